import { exporterPath } from '../../../config/served-paths.js';
import { mostSpecific } from '../../../facts/workload/workload.js';
import type { Document } from '../../pens/document.js';
import { writeHtml } from '../../pens/html-pen.js';
import { addressOf, type HtmlPlace, linksFrom, queryOf } from '../../pens/links.js';
import { type Markup, markup } from '../../pens/markup.js';
import { maxLimit } from '../../query/list-query.js';
import type { Status } from '../../query/status.js';
import { eventText } from '../../report/eviction-cause-text.js';
import type { PodReport } from '../../report/pod-report.js';
import { documentOf, isListView, type ListView, type ObjectView } from '../document-of.js';
import { NotFoundError } from '../view-errors.js';
import type { PageView } from '../views.js';
import { type PageFrame, renderFrame } from './frame.js';
import { listForm } from './list-form.js';
import { type LinkValues, objectLinkList } from './object-links.js';

/** The page at `/`, or that of the exporter. */
export function renderPage(document: Document, frame: PageFrame): string {
  const title = frame.path === exporterPath ? 'exporter' : undefined;
  return renderFrame(frame, { title, body: writeHtml(document, linksOf(frame)) });
}

/** What the page of a view shows. */
function bodyOf(view: PageView, links: HtmlPlace, status: Status): Markup {
  const document = documentOf(view, status);
  if (view.kind === 'problems' || view.kind === 'search') return writeHtml(document, links);
  if (isListView(view)) return writeHtml(document, placeOf(view, links), listForm(view.kind, view.query));
  return markup`${objectLinkList(status.links, valuesOf(view, status))}${writeHtml(document, links)}`;
}

function placeOf({ query }: ListView, links: HtmlPlace): HtmlPlace {
  const { given, limit } = query;
  const moreHref = limit < maxLimit ? queryOf({ ...given, limit: maxLimit }) : undefined;
  return { ...links, orderHref: (order) => queryOf({ ...given, order }), moreHref };
}

/** What the address of a page elsewhere may be made of. */
function valuesOf(view: ObjectView, status: Status): LinkValues {
  const { clusterName: cluster } = status;
  switch (view.kind) {
    case 'node':
      return { cluster, node: view.data.node.node };
    case 'pod':
      return podValues(view.data.pods[0] ?? view.data.evictions[0], status);
    case 'workload':
      return { cluster, namespace: view.data.workload.workloadNamespace, workload: view.data.workload.workload };
    case 'namespace':
      return { cluster, namespace: view.data.namespace.namespace };
    case 'eviction':
      return podValues(view.data, status);
  }
}

function podValues(
  of: Pick<PodReport, 'namespace' | 'pod' | 'node' | 'workloads'> | undefined,
  { clusterName: cluster }: Status,
): LinkValues {
  const { namespace, pod, node, workloads = [] } = of ?? {};
  return { cluster, namespace, pod, node, workload: mostSpecific(workloads)?.workload };
}

export function renderView(view: PageView, frame: PageFrame): string {
  return renderFrame(frame, { title: titleOf(view, frame), body: bodyOf(view, linksOf(frame), frame.status) });
}

function linksOf({ path, status }: PageFrame): HtmlPlace {
  return linksFrom(path, status.cluster?.grid.commonSuffix);
}

/** The parts of the address, which name what is shown, but for that of an eviction. */
function titleOf(view: PageView, { path }: PageFrame): string {
  if (view.kind === 'eviction') {
    const { namespace, pod } = view.data;
    return `${namespace}/${pod} ${eventText(view.data)}`;
  }
  const [list = '', ...parts] = path.slice(1).split('/').map(decodeURIComponent);
  return parts.length === 0 ? list : `${parts.join('/')} - ${list}`;
}

/** With links to what may be meant instead. */
export function renderError(error: Error, frame: PageFrame): string {
  const [, list = ''] = frame.path.split('/');
  const { root } = linksFrom(frame.path);
  const { what, meant } = error instanceof NotFoundError ? error : { what: error.message, meant: [] };
  const names = meant.map(
    (name) => markup`<li><a href="${addressOf(root, [list, ...name.split('/')])}">${name}</a></li>`,
  );
  const ofMeant = names.length === 0 ? undefined : markup`<p>Did you mean</p><ul class="lines">${names}</ul>`;
  const body = markup`<h1>Nothing to show</h1><p>${what}</p>${ofMeant}<p><a href="${root}">To the overview</a></p>`;
  return renderFrame(frame, { title: 'Nothing to show', body });
}
