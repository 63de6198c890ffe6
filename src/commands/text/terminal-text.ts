import { stringify } from 'yaml';

import { escapeInvisible } from '../../lib/base/text.js';
import { toJson } from '../../lib/json/json.js';
import { limitThresholds } from '../../people/report/limit-report.js';
import type { CommandContext } from '../context.js';

/** Characters that terminals show in two columns: https://www.unicode.org/reports/tr11/ (wide, in a good approximation). */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
const combining = /\p{M}/u;

/** The text on one line that no terminal obeys: any user who may create objects chooses names. */
export function terminalText(text: string): string {
  return escapeInvisible(text);
}

/** The columns of a terminal that the text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (combining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** At most `width` columns: what is too much goes from the middle, as names often differ at both ends. */
export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width <= 1) return '…'.slice(0, Math.max(0, width));
  const characters = Array.from(text);
  const headWidth = Math.ceil((width - 1) / 2);
  const head = fitting(characters, headWidth);
  const tail = fitting(characters.reverse(), width - 1 - headWidth).reverse();
  return `${head.join('')}…${tail.join('')}`;
}

/** As many of the first characters as fit. */
function fitting(characters: readonly string[], width: number): string[] {
  let used = 0;
  const end = characters.findIndex((character) => (used += characterWidth(character)) > width);
  return characters.slice(0, end === -1 ? characters.length : end);
}

export function pad(text: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

/** Lines of at most `width` columns, broken between words; a word that is too long is shortened. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').map((long) => shorten(long, width))) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 1 + displayWidth(word) <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

/** The lines, which may hold anything, fit for a terminal of that width. */
export function wrapped(lines: readonly string[], width: number): readonly string[] {
  return lines.flatMap((line) => wrap(terminalText(line), width));
}

/** Paragraphs with an empty line between them; those without a line are left out. */
export function paragraphs(sections: readonly (readonly string[])[]): string {
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
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
