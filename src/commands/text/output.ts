import { stringify } from 'yaml';

import type { Clock } from '../../lib/base/clock.js';
import { escapeInvisible } from '../../lib/base/text.js';
import { toJson } from '../../lib/json/json.js';

/** Where a command writes, and when it ends. */
export interface CommandOutput {
  /** Size of the terminal that shows the output, in characters; undefined when that is no terminal. */
  readonly terminal: () => { readonly columns: number; readonly rows: number } | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Texts end with a newline. */
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly stopSignal: AbortSignal;
  /** Aborts when the reader of the output has gone (`| head`). */
  readonly outputClosed: AbortSignal;
  readonly clock: Clock;
}

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

/** Whether the output may be coloured: https://no-color.org/ */
export function hasColour({ terminal, environment }: Pick<CommandOutput, 'terminal' | 'environment'>): boolean {
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
