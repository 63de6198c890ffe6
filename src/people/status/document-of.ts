import { exporterPath, type ObjectKind } from '../../config/served-paths.js';
import { evictionDocument } from '../answers/eviction.js';
import { exporterDocument } from '../answers/exporter.js';
import { statusTone } from '../answers/figures.js';
import { namespaceDocument } from '../answers/namespace.js';
import { nodeDocument } from '../answers/node.js';
import { knownSince, overviewDocument } from '../answers/overview.js';
import { podDocument } from '../answers/pod.js';
import { problemsDocument } from '../answers/problem-document.js';
import { searchDocument } from '../answers/search-document.js';
import { workloadDocument } from '../answers/workload-document.js';
import { type Kind, listDocument } from '../kinds/kind.js';
import { nextKind } from '../kinds/next-kind.js';
import { nodeKind } from '../kinds/node-kind.js';
import { containerKind, evictionKind, namespaceKind, volumeKind, workloadKind } from '../kinds/part-kinds.js';
import { podKind } from '../kinds/pod-kind.js';
import { type Document, headerOf } from '../pens/document.js';
import { type ListKind, ordersOf } from '../query/list-query.js';
import type { Status } from '../query/status.js';
import type { Moment } from './status-source.js';
import type { PageView, Views } from './views.js';

export type ListView = Extract<PageView, { readonly kind: Exclude<ListKind, 'problems'> }>;

type KindOf<View> = View extends { readonly data: { readonly items: readonly (infer Report)[] } }
  ? Kind<Report>
  : never;

/** The lists, as page and terminal show them. */
const kinds: { readonly [Name in ListView['kind']]: KindOf<ListView & { readonly kind: Name }> } = {
  nodes: nodeKind,
  pods: podKind,
  containers: containerKind,
  volumes: volumeKind,
  workloads: workloadKind,
  namespaces: namespaceKind,
  evictions: evictionKind,
};

/** `next`: who is evicted next, which commands alone list. */
export function listedKind(list: ListView['kind'] | 'next'): Kind<unknown> {
  return (list === 'next' ? nextKind : kinds[list]) as Kind<unknown>;
}

/**
 * Returns what a list can be sorted by, by the names that people give it: those of its orders, and the headers of its columns, which have
 * an order, or are sorted by what they show. `about`: what the column means.
 */
export function sortOrders(list: ListView['kind'] | 'next') {
  const orders: readonly string[] = list === 'next' ? [] : ordersOf[list];
  const columns = listedKind(list).columns.map(({ title, order, about }) => {
    const column = order === undefined ? title : undefined;
    return [headerOf(title).toLowerCase(), { order, column, about }] as const;
  });
  return Object.fromEntries([
    ...orders.map((order) => [order, { order, column: undefined, about: undefined }] as const),
    ...columns,
  ]);
}

const objects: {
  readonly [Name in ObjectKind]: (data: Views[Name], notListed: string | undefined) => Document;
} = {
  node: nodeDocument,
  pod: podDocument,
  workload: workloadDocument,
  namespace: namespaceDocument,
  eviction: evictionDocument,
};

/** Writes what a view says, for page, terminal and `curl`. */
export function documentOf(view: PageView, status: Status): Document {
  if (view.kind === 'problems') return problemsDocument(view.data, statusTone(status));
  if (view.kind === 'search') return searchDocument(view.data);
  if (isListView(view)) return listOf(view, status);
  return objectDocument(view.kind, view.data, status.notListed);
}

export function objectDocument<Name extends ObjectKind>(kind: Name, data: Views[Name], notListed?: string): Document {
  return (objects[kind] as (data: Views[Name], notListed: string | undefined) => Document)(data, notListed);
}

function listOf(view: ListView, status: Status): Document {
  const list = listDocument(listedKind(view.kind), view.data, view.query);
  if (view.kind !== 'evictions') return list;
  return { ...list, blocks: [{ is: 'text', line: knownSince(status) }, ...list.blocks] };
}

/** Writes what is said of the status: at the path of the exporter how that does, else the overview. */
export function statusDocument(path: string, { status, reading }: Pick<Moment, 'status' | 'reading'>): Document {
  return path === exporterPath ? exporterDocument(status) : overviewDocument(status, reading.evictions);
}

export function isListView(view: PageView): view is ListView {
  return Object.hasOwn(kinds, view.kind);
}
