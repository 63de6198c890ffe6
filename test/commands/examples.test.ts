import { expect, it } from 'vitest';

import { createProgram, runArguments } from '../../src/commands/command-line.js';
import { exampleArguments } from '../../src/commands/examples.js';
import { aCommandContext } from '../support/command-context.js';

const commandNames = createProgram(aCommandContext().context).commands.flatMap((command) =>
  command.name() === 'options' ? [] : [command.name()],
);
const lines = commandNames.flatMap((name) => exampleArguments(name).map((line) => [line, name] as const));

it.each(lines)('the example "%s" is a command line of %s', async (line, name) => {
  const program = createProgram(aCommandContext().context);
  const ran: string[] = [];
  for (const command of program.commands) command.action(() => void ran.push(command.name()));
  await program.parseAsync(line.split(' '), { from: 'user' });
  expect(ran).toEqual([name]);
});

it.each(commandNames)('the help of %s ends with two to four examples', async (name) => {
  const { context, out } = aCommandContext({ invocation: 'kubectl ephemeral-storage' });
  expect(await runArguments([name, '--help'], context)).toBe(0);
  const [, examples = ''] = out().split('\nExamples:\n');
  const shown = examples.trimEnd().split('\n');
  expect(shown.filter((_line, index) => index % 2 === 0)).toSatisfy((purposes: readonly string[]) =>
    purposes.every((purpose) => /^ {2}# \S/.test(purpose)),
  );
  const commands = shown.filter((_line, index) => index % 2 === 1);
  expect(commands.length).toBeGreaterThanOrEqual(2);
  expect(commands.length).toBeLessThanOrEqual(4);
  for (const [index, line] of exampleArguments(name).entries())
    expect(commands[index]).toContain(`kubectl ephemeral-storage ${line}`);
});
