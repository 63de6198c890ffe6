import { expect, it } from 'vitest';

import { commandFirst } from '../../src/commands/flag-order.js';
import { createProgram } from '../../src/commands/program.js';
import { aCommandContext } from '../support/command-context.js';

const program = createProgram('exporter', aCommandContext().context);

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
  const words = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');
  expect(commandFirst(words(given), program)).toEqual(words(expected));
});

it('no two commands have a flag of the same name of which only one takes a value', () => {
  const takesValue = new Map<string, boolean>();
  for (const { long, required } of program.commands.flatMap(({ options }) => options)) {
    expect([long, takesValue.get(long ?? '') ?? required]).toEqual([long, required]);
    takesValue.set(long ?? '', required);
  }
});
