import { escapeInvisible } from '../../base/text.js';

/** Text that is HTML already. Made by {@link markup} and {@link trusted} only, so whatever else is shown gets escaped. */
export class Markup {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  static of(text: string): Markup {
    return new Markup(text);
  }
}

export type Content = Markup | string | number | undefined | readonly Content[];

/** HTML in which every value is escaped, in elements and in quoted attributes; undefined is nothing, a list its parts. */
export function markup(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return Markup.of(strings.map((text, index) => text + textOf(values[index])).join(''));
}

/** For texts of the program itself: style and script. */
export function trusted(text: string): Markup {
  return Markup.of(text);
}

/** Lines stay lines; other control characters are made visible. */
export function lines(text: string): Markup {
  return Markup.of(text.split('\n').map(escapeText).join('\n'));
}

function textOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'number') return String(content);
  if (typeof content === 'string') return escapeText(content);
  return content.map(textOf).join('');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return escapeInvisible(text).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}
