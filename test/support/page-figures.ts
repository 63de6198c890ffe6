/** A figure as its page explains it. */
export interface ShownFigure {
  readonly name: string;
  readonly text: string;
  readonly queries: readonly string[];
}

/** What the panel of a page reports of its figures, in its order. */
export function figuresIn(html: string): readonly ShownFigure[] {
  const start = html.indexOf('<details id="how-page"');
  if (start < 0) return [];
  const panel = html.slice(start, html.indexOf('</details>', start));
  return panel
    .split('<p><strong>')
    .slice(1)
    .map((part) => {
      const [name = '', rest = ''] = part.split('</strong>: ');
      const codes = Array.from(rest.matchAll(/<code>([^<]*)<\/code>/g), ([, code = '']) => decoded(code));
      return {
        name: decoded(name),
        text: decoded(rest.replace(/<\/p>[^]*/, '').replaceAll(/<[^>]+>/g, '')),
        queries: codes,
      };
    });
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

function decoded(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}
