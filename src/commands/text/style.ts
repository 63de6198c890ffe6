import { limitThresholds } from '../../report/limit-report.js';
import type { CommandContext } from '../context.js';

export type Style = 'yellow' | 'red' | 'bold-red';

const codes: Readonly<Record<Style, string>> = { yellow: '33', red: '31', 'bold-red': '1;31' };

/** The text in a colour of the terminal; blanks around it stay as they are. */
export function painted(text: string, style: Style): string {
  return text.replace(/\S(?:.*\S)?/, (word) => `\u001b[${codes[style]}m${word}\u001b[0m`);
}

/** Yellow when a limit is near, red when it is almost reached, bold when it is reached. */
export function ratioStyle(ratio: number | undefined): Style | undefined {
  if (ratio === undefined || ratio < limitThresholds.near) return undefined;
  if (ratio < limitThresholds.high) return 'yellow';
  return ratio < limitThresholds.reached ? 'red' : 'bold-red';
}

/** Whether the output may be coloured: https://no-color.org/ */
export function hasColour({ terminal, environment }: Pick<CommandContext, 'terminal' | 'environment'>): boolean {
  return terminal() !== undefined && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
}

const defaultColumns = 80;

/**
 * The width to write for; also when a terminal does not know its own. A pipe or a file has no end: a search for a name
 * there must find the whole of it.
 */
export function screenColumns(terminal: { readonly columns: number } | undefined): number {
  if (terminal === undefined) return Infinity;
  return terminal.columns > 0 ? terminal.columns : defaultColumns;
}
