import { exporterPath, type ObjectKind } from '../../../config/served-paths.js';
import { mostSpecific } from '../../../facts/workload/workload.js';
import { capitalised } from '../../../lib/base/text.js';
import type { Document } from '../../pens/document.js';
import { addressOf, type HtmlPlace, linksFrom, queryOf } from '../../pens/html-line.js';
import { writeHtml } from '../../pens/html-pen.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import { type ListKind, type ListQuery, maxLimit, parametersOf, valuesOf } from '../../query/list-query.js';
import type { Status } from '../../query/status.js';
import { eventText } from '../../report/eviction-cause-text.js';
import type { PodReport } from '../../report/pod-report.js';
import { documentOf, isListView, type ListView } from '../document-of.js';
import { NotFoundError } from '../view-errors.js';
import type { PageView } from '../views.js';
import { type LinkValues, objectLinkList, type PageFrame, podParts, renderFrame } from './frame.js';

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
  return markup`${objectLinkList(status.links, linkValues(view, status))}${writeHtml(document, links)}`;
}

function placeOf({ query }: ListView, links: HtmlPlace): HtmlPlace {
  const { given, limit } = query;
  const moreHref = limit < maxLimit ? queryOf({ ...given, limit: maxLimit }) : undefined;
  return { ...links, orderHref: (order) => queryOf({ ...given, order }), moreHref };
}

/** What the address of a page elsewhere may be made of. */
function linkValues(view: Extract<PageView, { readonly kind: ObjectKind }>, status: Status): LinkValues {
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

/** Not in the form: the order is that of a column's header, the number that of the link, and a name that of a page. */
const withoutField = ['order', 'limit', 'name'];

const hints: Readonly<Record<string, string>> = {
  workload: 'NAMESPACE/TYPE/NAME',
  selector: 'app=web,tier!=cache',
};

/** Leads from the pods to their parts and back, with what all of them are filtered by; of volumes, to those that count. */
function tabs(current: ListKind, given: ListQuery['given']): Markup | undefined {
  if (current !== 'pods' && !podParts.includes(current)) return undefined;
  const items = (['pods', 'containers', 'volumes'] as const).map((kind) => {
    const kept = parametersOf(kind).filter((name) => !withoutField.includes(name));
    const query = Object.fromEntries(kept.map((name) => [name, name === 'counted' ? 'yes' : given[name]]));
    const isCurrent = kind === current ? markup` aria-current="page"` : undefined;
    return markup`<li><a href="${kind}${queryOf(query)}"${isCurrent}>${capitalised(kind)}</a></li>`;
  });
  return markup`<nav class="tabs" aria-label="Pods and their parts"><ul>${items}</ul></nav>`;
}

/** Finds rows by names; what else filters them is said, each with the way without it, and more can be chosen. */
function listForm(kind: ListKind, { given }: Pick<ListQuery, 'given'>): Markup {
  const names = parametersOf(kind).filter((name) => !withoutField.includes(name));
  const others = names.filter((name) => name !== 'search');
  const kept = Object.entries(given).filter(([name]) => !names.includes(name));
  const hidden = kept.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`);
  const search = markup`<label class="visually-hidden" for="filter-search">part of a name</label><input id="filter-search" type="search" name="search" value="${given['search'] ?? ''}" placeholder="part of a name" autocomplete="off"><button type="submit">Show</button>`;
  const chips = [...others, 'name'].flatMap((name) => chip(name, given));
  const more =
    others.length === 0
      ? undefined
      : markup`<details id="filters" class="filters"><summary data-key="filters">Filters</summary>${others.map((name) => field(kind, name, given))}</details>`;
  return markup`${tabs(kind, given)}<form class="filter small" method="get">${hidden}${search}${chips}${more}</form>`;
}

function chip(name: string, given: ListQuery['given']): readonly Markup[] {
  const value = given[name];
  if (value === undefined) return [];
  const href = queryOf({ ...given, [name]: undefined }) || '?';
  return [
    markup` <a class="chip plain" href="${href}" data-key="without-${name}">${name}: ${value} <span aria-hidden="true">×</span><span class="visually-hidden"> remove</span></a>`,
  ];
}

function field(kind: ListKind, name: string, given: ListQuery['given']): MarkupContent {
  const id = `filter-${name}`;
  const label = markup`<label for="${id}">${name}</label>`;
  const values = valuesOf(kind, name);
  if (values === undefined) {
    return markup`<span>${label}<input id="${id}" name="${name}" value="${given[name] ?? ''}" placeholder="${hints[name] ?? ''}" autocomplete="off"></span>`;
  }
  const options = ['', ...values].map(
    (option) =>
      markup`<option value="${option}"${option === (given[name] ?? '') ? markup` selected` : undefined}>${option === '' ? 'all' : option}</option>`,
  );
  return markup`<span>${label}<select id="${id}" name="${name}">${options}</select></span>`;
}
