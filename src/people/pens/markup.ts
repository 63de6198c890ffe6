import { escapeInvisible } from '../../lib/base/text.js';

/** HTML text. Created only by {@link markup}, {@link trusted} and {@link lines}, so that everything else is escaped. */
export class Markup {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  static of(text: string): Markup {
    return new Markup(text);
  }
}

export type MarkupContent = Markup | string | number | undefined | readonly MarkupContent[];

/** HTML in which every value is escaped, in elements and in quoted attributes. Undefined is empty, a list its items. */
export function markup(strings: TemplateStringsArray, ...values: readonly MarkupContent[]): Markup {
  return Markup.of(strings.map((text, index) => text + textOf(values[index])).join(''));
}

/** For the program's own texts: style and script. */
export function trusted(text: string): Markup {
  return Markup.of(text);
}

/** Keeps line breaks; other control characters become visible. */
export function lines(text: string): Markup {
  return Markup.of(text.split('\n').map(escapeText).join('\n'));
}

function textOf(content: MarkupContent): string {
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
