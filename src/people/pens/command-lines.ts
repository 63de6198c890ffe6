import { countedText } from '../../lib/base/text.js';
import { terminalText, wrapped } from './terminal-text.js';

/** As `shellWord` writes it: nothing that a shell would expand or obey. */
const word = String.raw`(?:[\w./:@=,%+-]|'[^'\p{Cc}]*'|"[\w ']*")+`;
const printable = new RegExp(`^(?:kubectl|ssh) (?!-)${word}(?: ${word})*$`, 'u');

/**
 * Writes a line for each command that people may paste into a shell: one program, of those that this project names, whatever
 * answers in the exporter's place; none is broken, so that it can be copied. Says how many others there are.
 */
export function commandLines(commands: readonly string[], width: number): readonly string[] {
  const known = commands.filter((command) => printable.test(command));
  const others = countedText(commands.length - known.length, ['command', 'commands']);
  const note =
    others === '' ? [] : wrapped([`${others} of the exporter left out: not one call of kubectl or ssh.`], width);
  return [...known.map((command) => `  ${terminalText(command)}`), ...note];
}
