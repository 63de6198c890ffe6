import type { CommandContext } from '../context.js';

export type Style = 'yellow' | 'red' | 'bold-red';

const codes: Readonly<Record<Style, string>> = { yellow: '33', red: '31', 'bold-red': '1;31' };

/** The text in a colour of the terminal; blanks around it stay as they are. */
export function painted(text: string, style: Style): string {
  return text.replace(/\S(?:.*\S)?/, (word) => `\u001b[${codes[style]}m${word}\u001b[0m`);
}

/** Yellow from 80 % of a limit on, red from 90 % on, bold when it is reached. */
export function ratioStyle(ratio: number | undefined): Style | undefined {
  if (ratio === undefined || ratio < 0.8) return undefined;
  if (ratio < 0.9) return 'yellow';
  return ratio < 1 ? 'red' : 'bold-red';
}

/** Whether the output may be coloured: https://no-color.org/ */
export function hasColour({ terminal, environment }: Pick<CommandContext, 'terminal' | 'environment'>): boolean {
  return terminal() !== undefined && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
}
