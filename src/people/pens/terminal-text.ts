import { escapeInvisible } from '../../lib/base/text.js';

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

export type Style = 'yellow' | 'red' | 'bold-red';

const codes: Readonly<Record<Style, string>> = { yellow: '33', red: '31', 'bold-red': '1;31' };

/** The text in a colour of the terminal; blanks around it stay as they are. */
export function painted(text: string, style: Style | undefined): string {
  if (style === undefined) return text;
  return text.replace(/\S(?:.*\S)?/, (word) => `\u001b[${codes[style]}m${word}\u001b[0m`);
}
