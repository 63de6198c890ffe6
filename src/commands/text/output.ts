import { stringify } from 'yaml';

import { escapeInvisible } from '../../lib/base/text.js';
import { toJson } from '../../lib/json/json.js';
import type { Style } from '../../people/pens/terminal-text.js';
import { limitThresholds } from '../../people/report/limit-report.js';
import type { CommandContext } from '../context.js';

/** Plain data as JSON or YAML, fields without a value left out, that is safe on a terminal too. */
export function dataText(value: unknown, form: 'json' | 'line' | 'yaml'): string {
  const text = form === 'yaml' ? yamlText(value) : toJson(value, form === 'json' ? 2 : undefined);
  return `${text.trimEnd().split('\n').map(escapeInvisible).join('\n')}\n`;
}

/** Escapes mean themselves in double quotes only: all strings have those when one of them needs it. */
function yamlText(value: unknown): string {
  const plain: unknown = JSON.parse(toJson(value)); // without the fields that have no value
  const text = stringify(plain, { lineWidth: 0 });
  const isSafe = text.split('\n').every((line) => line === escapeInvisible(line));
  return isSafe ? text : stringify(plain, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE' });
}

/** Yellow when a limit is near, red when it is almost reached, bold when it is reached. */
export function ratioStyle(ratio: number | undefined): Style | undefined {
  if (ratio === undefined || ratio < limitThresholds.near) return undefined;
  if (ratio < limitThresholds.alerted) return 'yellow';
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
