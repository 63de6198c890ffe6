import { expect, it } from 'vitest';

import { commandFirst, separateValues } from '../../src/commands/flag-order.js';
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

it.each([
  ['top -n=shop pods', 'top -n shop pods'],
  ['-n=shop top', '-n shop top'],
  ['top -wn=shop', 'top -wn shop'],
  ['top -l=app=cart -o=json', 'top -l app=cart -o json'],
  ['top -lapp=cart', 'top -lapp=cart'],
  ['top -nl=x', 'top -nl=x'],
  ['top -l -n=x', 'top -l -n=x'],
  ['top --set -n=x -n=y', 'top --set -n=x -n y'],
  ['top --namespace=shop', 'top --namespace=shop'],
  ['top -A=true', 'top -A=true'],
  ['top -- -n=shop', 'top -- -n=shop'],
  ['top -l -- -n=shop', 'top -l -- -n shop'],
])('as kubectl, "%s" is understood as "%s"', (given, expected) => {
  expect(separateValues(given.split(' '), program)).toEqual(expected.split(' '));
});

it('a short flag with an equals sign and nothing behind it has an empty value', () => {
  expect(separateValues(['top', '-n=', 'pods'], program)).toEqual(['top', '-n', '', 'pods']);
});

it('no two commands have a flag of the same name of which only one takes a value', () => {
  const takesValue = new Map<string, boolean>();
  for (const { long, required } of program.commands.flatMap(({ options }) => options)) {
    expect([long, takesValue.get(long ?? '') ?? required]).toEqual([long, required]);
    takesValue.set(long ?? '', required);
  }
});
