import { countedText, programName } from '../../lib/base/text.js';
import { terminalText, wrapped } from './terminal-text.js';

export interface TextWithCommands {
  readonly text: string;
  readonly commands: readonly string[];
}

/** As `shellWord` writes it: nothing that a shell would expand or obey. */
const word = String.raw`(?:[\w./:@=,%+-]|'[^'\p{Cc}]*'|"[\w ']*")+`;
const printable = new RegExp(`^(?:kubectl|ssh|${programName}) (?!-)${word}(?: ${word})*$`, 'u');

/** The sentence, then its commands. */
export function verdictLines({ text, commands }: TextWithCommands, width: number): readonly string[] {
  return [...wrapped([text], width), ...commandLines(commands, width)];
}

/**
 * Writes a line for each command that people may paste into a shell: one program, of those that this project names, whatever
 * answers in the exporter's place. Says how many others there are.
 */
export function commandLines(commands: readonly string[], width: number): readonly string[] {
  const known = commands.filter((command) => printable.test(command));
  const others = countedText(commands.length - known.length, ['command', 'commands']);
  const note =
    others === ''
      ? []
      : wrapped([`${others} of the exporter left out: not one call of kubectl, ssh or ${programName}.`], width);
  return [...known.map(asLine), ...note];
}

/** As {@link verdictLines}, with commands of this program itself. */
export function ownLines({ text, commands }: TextWithCommands, width: number): readonly string[] {
  return [...wrapped([text], width), ...commands.map(asLine)];
}

/** None is broken, so that it can be copied. */
const asLine = (command: string): string => `  ${terminalText(command)}`;
