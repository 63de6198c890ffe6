import { expect, it } from 'vitest';

import { runArguments } from '../../src/commands/command-line.js';
import { commandFirst, plainFlags } from '../../src/commands/flag-order.js';
import { createProgram } from '../../src/commands/program.js';
import { aCommandContext } from '../support/command-context.js';
import { kubectlLines, type UnderstoodLine } from '../support/kubectl-lines.js';

const program = createProgram('exporter', aCommandContext().context);
const words = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');

it.each([
  ['top pods', 'top pods'],
  ['--context x top pods', 'top --context x pods'],
  ['--context=x top pods -A', 'top --context=x pods -A'],
  ['-n top top pods', 'top -n top pods'],
  ['-An shop top pods', 'top -An shop pods'],
  ['-nshop top', 'top -nshop'],
  ['-w --set cache.ttl=1s top nodes', 'top -w --set cache.ttl=1s nodes'],
  ['--log.level debug', '--log.level debug'],
  ['--log.level debug serve', 'serve --log.level debug'],
  ['--no-such-flag x', '--no-such-flag x'],
  ['--version top', '--version top'],
  ['--help top', 'top --help'],
  ['-- top', '-- top'],
  ['', ''],
])('"%s" is understood as "%s"', (given, expected) => {
  expect(commandFirst(words(given), program)).toEqual(words(expected));
});

it.each([
  ['top -n=shop pods', 'top -n shop pods'],
  ['-n=shop top', '-n shop top'],
  ['top -wn=shop', 'top -w -n shop'],
  ['top -l=app=cart -o=json', 'top -l app=cart -o json'],
  ['top -lapp=cart', 'top -l app=cart'],
  ['top -nl=x', 'top -n l=x'],
  ['top -l -n=x', 'top -l -n=x'],
  ['top --set -n=x -n=y', 'top --set -n=x -n y'],
  ['top --namespace=shop', 'top --namespace=shop'],
  ['top -A=true -w=false pods', 'top -A pods'],
  ['top --no-headers=true', 'top --no-headers'],
  ['top --no-headers --no-headers=false', 'top'],
  ['top -Az=1', 'top -A -z=1'],
  ['top -h', 'top -h'],
  ['top -', 'top -'],
  ['top --no-such-flag=x', 'top --no-such-flag=x'],
  ['top -- -n=shop -A=true', 'top -- -n=shop -A=true'],
  ['top -l -- -n=shop', 'top -l -- -n shop'],
  ['serve --web.enable-lifecycle=true', 'serve --web.enable-lifecycle'],
  ['serve --web.enable-lifecycle=false', 'serve --set web.enableLifecycle=false'],
])('as kubectl, "%s" is understood as "%s"', (given, expected) => {
  expect(plainFlags(words(given), program)).toEqual(words(expected));
});

it.each(['-n=', '-l='])('unlike with kubectl, %s and nothing behind it is an empty value', (arg) => {
  expect(plainFlags(['top', arg, 'pods'], program)).toEqual(['top', arg.slice(0, 2), '', 'pods']);
});

it.each(kubectlLines)('top %s means what it means to kubectl get pods', async (line, expected) => {
  const { context, error } = aCommandContext();
  const parsed = createProgram('exporter', context);
  const understand = async (): Promise<UnderstoodLine | undefined> => {
    const top = parsed.commands.find((command) => command.name() === 'top')?.action(() => undefined);
    await parsed.parseAsync(commandFirst(plainFlags(['top', ...words(line)], parsed), parsed), { from: 'user' });
    const { namespace, allNamespaces, selector, watch } = top?.opts<UnderstoodLine>() ?? {};
    const found = { namespace: allNamespaces === true ? '' : namespace, allNamespaces, selector, watch };
    return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined && value !== ''));
  };
  expect(await understand().catch(() => undefined)).toEqual(expected);
  if (expected !== undefined) return;
  expect(await runArguments(['top', ...words(line)], context)).toBe(2);
  expect(error().trim()).toMatch(/^(?:(?:unknown )?option '|-)[^\n]+$/m);
});

it('no two commands have a flag of the same name of which only one takes a value', () => {
  const takesValue = new Map<string, boolean>();
  for (const { short, long, required } of program.commands.flatMap(({ options }) => options)) {
    for (const name of [short, long].filter((flag) => flag !== undefined)) {
      expect([name, takesValue.get(name) ?? required]).toEqual([name, required]);
      takesValue.set(name, required);
    }
  }
});
