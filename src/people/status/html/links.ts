import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { ListKind } from '../../query/list-query.js';
import type { PodPlace } from '../../report/pod-report.js';
import type { WorkloadReference } from '../../report/workload-report.js';

/** Links to the pages, relative to one of them: all of them may be served below a prefix that the exporter does not know. */
export interface Links {
  /** The address of the page at `/`; ends with `/`. */
  readonly root: string;
  nodeHref(name: string): string;
  /** Shown without what the names of all nodes end with. */
  node(name: string, text?: MarkupContent): Markup;
  /** What {@link node} shows, with the whole name for those who ask. */
  nodeText(name: string): Markup;
  /** A text with names of nodes, each as {@link node} shows it. Not for commands. */
  shortened(text: string): string;
  pod(place: Pick<PodPlace, 'namespace' | 'pod'>, text?: MarkupContent): Markup;
  workload(workload: WorkloadReference, text?: MarkupContent): Markup;
  namespace(name: string, text?: MarkupContent): Markup;
  eviction(uid: string, text: MarkupContent): Markup;
  /** `parameters`: those that are undefined or '' are left out. */
  list(kind: ListKind, parameters: Readonly<Record<string, string | number | undefined>>, text: MarkupContent): Markup;
}

/** `path`: of the page that has the links. `nodeSuffix`: what the names of all nodes end with. */
export function linksFrom(path: string, nodeSuffix = ''): Links {
  const root = '../'.repeat(path.split('/').length - 2) || './';
  const link = (parts: readonly string[], text: MarkupContent): Markup =>
    markup`<a href="${addressOf(root, parts)}">${text}</a>`;
  const nodeText = (name: string): Markup => {
    const isCut = nodeSuffix !== '' && name.length > nodeSuffix.length && name.endsWith(nodeSuffix);
    return isCut ? markup`<span title="${name}">${name.slice(0, -nodeSuffix.length)}</span>` : markup`${name}`;
  };
  return {
    root,
    nodeText,
    shortened: (text) => (nodeSuffix === '' ? text : text.replaceAll(nodeSuffix, '')),
    nodeHref: (name) => addressOf(root, ['nodes', name]),
    node: (name, text = nodeText(name)) => link(['nodes', name], text),
    pod: ({ namespace, pod }, text = `${namespace}/${pod}`) => link(['pods', namespace, pod], text),
    workload: (of, text = of.workload) => link(workloadParts(of), text),
    namespace: (name, text = name) => link(['namespaces', name], text),
    eviction: (uid, text) => link(['evictions', uid], text),
    list: (kind, parameters, text) => markup`<a href="${root}${kind}${queryOf(parameters)}">${text}</a>`,
  };
}

function addressOf(root: string, parts: readonly string[]): string {
  return root + parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/');
}

function workloadParts({ workloadNamespace, workloadType, workload }: WorkloadReference): readonly string[] {
  return ['workloads', workloadNamespace || '-', workloadType, workload];
}

/** With `?`; '' without any. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value = '']): [string, string][] =>
    value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
