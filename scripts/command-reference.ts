import { createProgram } from '../src/commands/command-line.js';
import { markdownTable } from '../src/commands/metrics.js';
import { programName } from '../src/lib/base/text.js';

/** Lists the commands with their purpose, as markdown. */
export function commandTable(): string {
  const { commands } = createProgram({
    invocation: programName,
    version: '',
    terminal: () => undefined,
    writeOut: () => undefined,
    writeError: () => undefined,
  });
  return markdownTable(
    ['Command', 'What it does'],
    commands.map((command) => [`\`${command.name()}\``, command.description()]),
  );
}
