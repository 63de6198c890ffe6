import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import type { Status } from '../../src/people/query/status.js';
import { renderView } from '../../src/people/status/html/page.js';
import { type ViewKind, viewOf } from '../../src/people/status/views.js';
import { atOnce } from './lanes.js';
import { aStatus, someStatusSettings } from './status-builders.js';

interface AskedPage {
  readonly kind: ViewKind;
  /** As in its address, after the name of the list. */
  readonly path?: readonly string[];
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly status?: Partial<Status>;
}

export interface MadePage {
  readonly html: string;
  /** Without head, header and footer. */
  readonly main: string;
  /** Its words without markup, those of tooltips too. */
  readonly text: string;
  /** The words of a part. */
  readonly part: (id: string) => string;
}

/** The page of a view. */
export async function aPage(reading: ClusterReading, asked: AskedPage): Promise<MadePage> {
  const { kind, path = [], parameters = {} } = asked;
  const status = aStatus(asked.status);
  const view = await viewOf(
    { kind, path, parameters },
    { status, reading, settings: someStatusSettings, lane: atOnce },
  );
  const address = ['', `${kind}s`, ...path.map(encodeURIComponent)].join('/');
  const frame = {
    status,
    path: address,
    search: '',
    metricsPath: '/metrics',
    documentationUrl: './docs',
  };
  const html = renderView(view, frame);
  const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'));
  return { html, main, text: wordsOf(main), part: (id) => wordsOf(partOf(main, id)) };
}

/** From its beginning to that of the next part. */
function partOf(html: string, id: string): string {
  const start = html.indexOf(`id="${id}"`);
  if (start < 0) return '';
  const from = html.lastIndexOf('<', start);
  const next = html.slice(start).search(/<(?:section|div id="part-)/);
  return next < 0 ? html.slice(from) : html.slice(from, start + next);
}

function wordsOf(html: string): string {
  return html
    .replaceAll(/<title>[^<]*<\/title>/g, '')
    .replaceAll(/<\/?(?:abbr|dfn)[^>]*>/g, '')
    .replaceAll(/<span class="tip"[^<]*<\/span>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
