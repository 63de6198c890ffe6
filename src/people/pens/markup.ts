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
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += textOf(value) + (strings[index + 1] ?? '');
  return Markup.of(text);
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

/** Most texts need none of it: a test costs a fraction of what both replacements do. */
function escapeText(text: string): string {
  if (/^[\w .,:;/()%+-]*$/.test(text)) return text;
  return escapeInvisible(text).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}
