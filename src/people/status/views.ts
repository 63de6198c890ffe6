import { isObjectKind, type ObjectKind } from '../../config/served-paths.js';
import type { AttributionMode } from '../../facts/node/usage.js';
import { type WorkloadDefinition, workloadPath } from '../../facts/workload/workload.js';
import type { Lane } from '../../lib/base/lane.js';
import type { SearchResults } from '../answers/search-document.js';
import type { ClusterReading } from '../query/cluster-reading.js';
import { listEvictions } from '../query/list-evictions.js';
import { listNamespaces, type NamespaceObject } from '../query/list-namespaces.js';
import { listNodes } from '../query/list-nodes.js';
import { firstOf, type ListPage } from '../query/list-page.js';
import { listContainers, listVolumes } from '../query/list-parts.js';
import { listPods, readingOfWorkload } from '../query/list-pods.js';
import { type ListKind, type ListQuery, matchesSearch, parametersOf, parseListQuery } from '../query/list-query.js';
import { listWorkloads, type WorkloadObject } from '../query/list-workloads.js';
import { nodeDisks, nodeExplanation, type NodeObject } from '../query/node-explanation.js';
import { explainPods, type PodObject } from '../query/pod-explanation.js';
import type { Problem, Status } from '../query/status.js';
import { type EvictionReport, type ShownEviction, withAge } from '../report/eviction-report.js';
import type { ListedNodeReport } from '../report/node-report.js';
import type { ContainerReport } from '../report/pod-report.js';
import type { VolumeReport } from '../report/volume-report.js';
import { workloadOf } from '../report/workload-report.js';
import { composedObjects, type Lists, type ReadList } from './composed-objects.js';
import { noEviction, notFound, type NotFoundError, requireListed } from './view-errors.js';

/** What a page shows and the API returns, by the kind of page: plain data, exact numbers, the units of {@link Status}. */
export interface Views extends Lists {
  readonly problems: ListPage<Problem>;
  readonly nodes: ListPage<ListedNodeReport>;
  readonly containers: ListPage<ContainerReport>;
  readonly volumes: ListPage<VolumeReport>;
  readonly search: SearchResults;
  readonly node: NodeObject;
  readonly pod: PodObject;
  readonly workload: WorkloadObject;
  readonly namespace: NamespaceObject;
  readonly eviction: ShownEviction;
}

export type ViewKind = keyof Views;

/** One view, with the question that it answers. */
export type PageView = {
  readonly [Kind in ViewKind]: {
    readonly kind: Kind;
    readonly data: Views[Kind];
    /** Of the list, or of the list of pods of an object. */
    readonly query: ListQuery;
  };
}[ViewKind];

/** Which view is asked for. `path`: the decoded parts of its address after the name of the list. */
export interface ViewRequest {
  readonly kind: ViewKind;
  readonly path: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What views go by. */
export interface ViewSettings {
  readonly attribution: AttributionMode;
  readonly definitions: readonly WorkloadDefinition[];
}

/** What views are made of. */
export interface ViewInputs {
  readonly status: Pick<Status, 'problems' | 'clusterName' | 'notListed'>;
  readonly reading: ClusterReading;
  readonly settings: ViewSettings;
  readonly lane: Lane;
}

/** Throws UserError for parameters that are wrong, NotFoundError, and NotListedError. */
export async function viewOf(request: ViewRequest, inputs: ViewInputs): Promise<PageView> {
  requireListed(request.kind, inputs.status);
  const { kind } = request;
  const make = isList(kind) ? listMaker(kind) : (makers[kind] as Maker<ViewKind>);
  return make(request, inputs);
}

function isList(kind: ViewKind): kind is keyof typeof lists {
  return Object.hasOwn(lists, kind);
}

type Maker<Kind extends ViewKind> = (request: ViewRequest, inputs: ViewInputs) => Promise<PageView & { kind: Kind }>;

const shownEvictionCount = 20;
/** Of each kind, by a search. */
const foundCount = 10;

/** `what`: whose name a list may be asked for. */
const lists = {
  nodes: { read: listNodes, what: 'node' },
  pods: { read: listPods, what: 'pod' },
  containers: { read: listContainers, what: 'pod' },
  volumes: { read: listVolumes, what: 'pod' },
  workloads: { read: listWorkloads, what: 'workload' },
  namespaces: { read: listNamespaces, what: 'namespace' },
  evictions: {
    read: ({ evictions, readAtMs }: ClusterReading, query: ListQuery) => {
      const { items, ...page } = listEvictions(evictions, query);
      return Promise.resolve({ ...page, items: items.map((of) => withAge(of, readAtMs)) });
    },
    what: 'eviction of pod or workload',
  },
} as const;

function listReader(inputs: ViewInputs): ReadList {
  return async (kind, parameters) =>
    (await listMaker(kind)({ kind, path: [], parameters }, inputs)).data as Views[typeof kind];
}

function listMaker<Kind extends keyof typeof lists>(kind: Kind): Maker<Kind> {
  return async ({ parameters }, inputs) => {
    const { reading, settings, lane } = inputs;
    const query = parseListQuery(kind, parameters);
    const data = await lists[kind].read(reading, query, lane, settings.definitions);
    if (data.totalCount === 0) await requireNamed(kind, query, inputs);
    return { kind, query, data } as PageView & { kind: Kind };
  };
}

const makers: { readonly [Kind in Exclude<ViewKind, keyof typeof lists>]: Maker<Kind> } = {
  problems: (request, { status }) => {
    const query = parseListQuery('problems', request.parameters);
    const all = status.problems.filter(({ text, detail = '' }) => matchesSearch(query.search, `${text} ${detail}`));
    return Promise.resolve({ kind: 'problems', query, data: firstOf(all, query.limit) });
  },
  search: async ({ parameters }, { reading, lane }) => {
    const names = parametersOfView('search');
    const of = (kind: ListKind) => ({ ...parseListQuery(kind, parameters, names), limit: foundCount });
    const query = of('pods');
    const data = {
      words: query.search,
      nodes: await listNodes(reading, of('nodes'), lane),
      pods: await listPods(reading, query, lane),
      workloads: await listWorkloads(reading, of('workloads'), lane),
      namespaces: await listNamespaces(reading, of('namespaces'), lane),
      evictions: listEvictions(reading.evictions, of('evictions')),
    };
    return { kind: 'search', query, data };
  },
  node: async ({ path: [name = ''], parameters }, inputs) => {
    const { reading, lane } = inputs;
    const query = podQuery('node', parameters, { node: name });
    const view = reading.snapshot.nodes.find(({ nodeName }) => nodeName === name);
    if (view === undefined) throw await notThere('node', name, inputs);
    const data = {
      node: nodeExplanation(view, reading),
      disks: nodeDisks(reading, view),
      pods: await listPods(reading, query, lane),
      evictions: newest(reading, (of) => of.node === name),
    };
    return { kind: 'node', query, data };
  },
  pod: async ({ path: [namespace = '', name = ''], parameters }, inputs) => {
    const { reading, settings, lane } = inputs;
    const query = parseListQuery('pods', parameters, parametersOfView('pod'));
    const pods = await explainPods(reading, { namespace, name, mode: settings.attribution }, lane);
    const evictions = newest(reading, (of) => of.namespace === namespace && of.pod === name);
    if (pods.length + evictions.length === 0) throw await notThere('pod', `${namespace}/${name}`, inputs);
    return { kind: 'pod', query, data: { pods, evictions } };
  },
  workload: async ({ path, parameters }, inputs) => {
    const name = path.join('/');
    const query = podQuery('workload', parameters, { workload: name });
    const reading = await readingOfWorkload(inputs.reading, { ...query, workload: name }, inputs.lane);
    const data = await composedObjects.workload(listReader({ ...inputs, reading }), name, query.given);
    return { kind: 'workload', query, data };
  },
  namespace: async ({ path: [name = ''], parameters }, inputs) => {
    const query = podQuery('namespace', parameters, { namespace: name });
    return { kind: 'namespace', query, data: await composedObjects.namespace(listReader(inputs), name, query.given) };
  },
  eviction: ({ path: [uid = ''], parameters }, { reading, status }) => {
    const query = parseListQuery('evictions', parameters, parametersOfView('eviction'));
    const found = reading.evictions.find((of) => of.uid === uid);
    if (found === undefined) throw noEviction(uid, status);
    return Promise.resolve({ kind: 'eviction', query, data: withAge(found, reading.readAtMs) });
  },
};

/** What there is, by the names that people give it. */
const names = {
  node: ({ snapshot }) => snapshot.nodes.map(({ nodeName }) => nodeName),
  pod: function* ({ knownPods }) {
    for (const { pod } of knownPods) yield `${pod.namespace}/${pod.name}`;
  },
  workload: function* ({ knownPods, snapshot, evictions }) {
    for (const { workload } of snapshot.workloads) yield workloadPath(workload);
    for (const { workloads } of evictions) yield* workloads.map(workloadOf).map(workloadPath);
    for (const { workloads } of knownPods) yield* workloads.map(workloadPath);
  },
  namespace: function* ({ knownPods }) {
    for (const { pod } of knownPods) yield pod.namespace;
  },
  'eviction of pod or workload': ({ evictions }) => evictions.map(({ namespace, pod }) => `${namespace}/${pod}`),
} as const satisfies Readonly<Record<string, (reading: ClusterReading) => Iterable<string>>>;

function notThere(
  what: keyof typeof names,
  wanted: string,
  { reading, lane }: Pick<ViewInputs, 'reading' | 'lane'>,
): Promise<NotFoundError> {
  const isEmpty = what === 'namespace' ? ', or it has no pods' : '';
  return notFound(`no ${what} ${wanted} in scope${isEmpty}`, { wanted, names: names[what](reading), lane });
}

/** Throws NotFoundError where what an empty list was asked for is not there. Evictions outlive nodes and workloads. */
async function requireNamed(kind: keyof typeof lists, query: ListQuery, inputs: ViewInputs): Promise<void> {
  for (const what of ['node', 'workload'] as const) {
    const wanted = kind === 'evictions' ? undefined : query[what];
    let isThere = wanted === undefined;
    if (!isThere) await inputs.lane.each(names[what](inputs.reading), (name) => (isThere ||= name === wanted));
    if (wanted !== undefined && !isThere) throw await notThere(what, wanted, inputs);
  }
  if (query.name !== undefined) throw await notThere(lists[kind].what, wantedName(query), inputs);
}

/** Returns what a list was asked for, as it is said. */
function wantedName({ name = '', namespace }: ListQuery): string {
  return namespace === undefined || name.includes('/') ? name : `${namespace}/${name}`;
}

/** Of the list of the object's pods. `fixed`: what its address has of them. */
function podQuery(
  kind: ObjectKind,
  parameters: ViewRequest['parameters'],
  fixed: Partial<Pick<ListQuery, 'node' | 'namespace' | 'workload'>>,
): ListQuery {
  return { ...parseListQuery('pods', parameters, parametersOfView(kind)), ...fixed };
}

function newest(
  { evictions, readAtMs }: ClusterReading,
  isWanted: (eviction: EvictionReport) => boolean,
): readonly ShownEviction[] {
  const newestFirst = evictions.filter(isWanted).slice(0, shownEvictionCount);
  return newestFirst.map((of) => withAge(of, readAtMs));
}

/** What the address of an object says already of the list of its pods, where it has one. */
const fixedParameters: Readonly<Partial<Record<ObjectKind, string>>> = {
  node: 'node',
  workload: 'workload',
  namespace: 'namespace',
};

/** Returns the names of the parameters that a view has: of its list, or of the list of its pods. */
export function parametersOfView(kind: ListKind | ObjectKind | 'search'): readonly string[] {
  if (kind === 'search') return ['search'];
  if (!isObjectKind(kind)) return parametersOf(kind);
  const fixed = fixedParameters[kind];
  return fixed === undefined ? [] : parametersOf('pods').filter((name) => name !== fixed);
}
