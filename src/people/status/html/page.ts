import { mostSpecific } from '../../../facts/workload/workload.js';
import { evictionDocument } from '../../answers/eviction.js';
import { nodeDocument } from '../../answers/node.js';
import { podDocument } from '../../answers/pod.js';
import { writeHtml } from '../../pens/html-pen.js';
import { type Markup, markup } from '../../pens/markup.js';
import { eventText } from '../../report/eviction-cause-text.js';
import type { PodReport } from '../../report/pod-report.js';
import type { Status } from '../status.js';
import type { PageView, ViewKind } from '../views.js';
import { knownSince } from './evictions-section.js';
import { type PageFrame, renderFrame } from './frame.js';
import { type Links, linksFrom } from './links.js';
import { evictionList, namespaceList, podList, workloadList } from './list-pages.js';
import { namespacePage } from './namespace-page.js';
import { nodeList } from './node-list.js';
import { type LinkValues, objectLinkList } from './object-links.js';
import { overviewBody } from './overview-page.js';
import { containerList, volumeList } from './part-lists.js';
import { problemsPage } from './problems-page.js';
import { searchPage } from './search-page.js';
import { workloadPage } from './workload-page.js';

/** The page at `/`. */
export function renderPage(status: Status, frame: PageFrame): string {
  return renderFrame(frame, { title: undefined, body: overviewBody(status, linksOf(frame)) });
}

/** What the page of a view shows below its title. */
type Body<Kind extends ViewKind> = (view: PageView & { readonly kind: Kind }, links: Links, status: Status) => Markup;

const bodies: { readonly [Kind in ViewKind]: Body<Kind> } = {
  problems: problemsPage,
  nodes: ({ data: page, query }, links) => listBody('Nodes', nodeList({ page, query, links })),
  pods: ({ data: page, query }, links) => listBody('Pods', podList({ page, query, links })),
  containers: ({ data: page, query }, links) => listBody('Containers', containerList({ page, query, links })),
  volumes: ({ data: page, query }, links) => listBody('Volumes', volumeList({ page, query, links })),
  workloads: ({ data: page, query }, links) => listBody('Workloads', workloadList({ page, query, links })),
  namespaces: ({ data: page, query }, links) => listBody('Namespaces', namespaceList({ page, query, links })),
  evictions: ({ data: page, query }, links, status) =>
    listBody('Evictions', markup`${knownSince(status)}${evictionList({ page, query, links })}`),
  search: searchPage,
  node: ({ data }, links, status) =>
    markup`${objectLinkList(status.links, { cluster: status.clusterName, node: data.node.node })}${writeHtml(nodeDocument(data), links)}`,
  pod: ({ data }, links, status) =>
    markup`${objectLinkList(status.links, podValues(data.pods[0] ?? data.evictions[0], status))}${writeHtml(podDocument(data), links)}`,
  workload: workloadPage,
  namespace: namespacePage,
  eviction: ({ data }, links, status) =>
    markup`${objectLinkList(status.links, podValues(data, status))}${writeHtml(evictionDocument(data, status.notListed), links)}`,
};

type OfPod = Pick<PodReport, 'namespace' | 'pod' | 'node' | 'workloads'>;

function podValues(of: OfPod | undefined, { clusterName: cluster }: Status): LinkValues {
  const { namespace, pod, node, workloads = [] } = of ?? {};
  return { cluster, namespace, pod, node, workload: mostSpecific(workloads)?.workload };
}

function listBody(title: string, list: Markup): Markup {
  return markup`<h1>${title}</h1>${list}`;
}

export function renderView(view: PageView, frame: PageFrame): string {
  const body = bodies[view.kind] as (view: PageView, links: Links, status: Status) => Markup;
  return renderFrame(frame, {
    title: titleOf(view, frame),
    body: body(view, linksOf(frame), frame.status),
  });
}

function linksOf({ path, status }: PageFrame): Links {
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

export function renderError(message: string, frame: PageFrame): string {
  const body = markup`<h1>Nothing to show</h1><p>${message}</p><p><a href="${linksFrom(frame.path).root}">To the overview</a></p>`;
  return renderFrame(frame, { title: 'Nothing to show', body });
}
