import { countedText } from '../../base/text.js';
import { isKnownCommand } from './known-commands.js';
import { terminalText, wrapped } from './terminal-text.js';

export interface TextWithCommands {
  readonly text: string;
  readonly commands: readonly string[];
}

/** The sentence, then a line for each command that this program would print itself, and how many others an exporter has. */
export function verdictLines({ text, commands }: TextWithCommands, width: number): readonly string[] {
  const known = commands.filter(isKnownCommand);
  const others = countedText(commands.length - known.length, ['command', 'commands']);
  const note =
    others === ''
      ? []
      : wrapped([`${others} of the exporter left out: not of a form that this version prints.`], width);
  return [...ownLines({ text, commands: known }, width), ...note];
}

/** The same with commands of this program itself. None is broken, so that it can be copied. */
export function ownLines({ text, commands }: TextWithCommands, width: number): readonly string[] {
  return [...wrapped([text], width), ...commands.map((command) => `  ${terminalText(command)}`)];
}
