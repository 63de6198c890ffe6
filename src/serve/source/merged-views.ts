import { isNear } from '../../facts/node/standing.js';
import { RequestError } from '../../lib/base/errors.js';
import { addWhole } from '../../lib/base/maps.js';
import type { Coverage, CoverageGap } from '../../people/query/coverage.js';
import type { NamespaceReport } from '../../people/query/list-namespaces.js';
import type { WorkloadReport } from '../../people/report/workload-report.js';
import { workloadVerdict } from '../../people/report/workload-verdict.js';
import { NotFoundError } from '../../people/status/view-errors.js';
import type { Views } from '../../people/status/views.js';
import { compareBy } from './item-orders.js';
import { largest, mergedWorkload, partialVerdict } from './merged-workload.js';
import { askShards, type ReadyShards, type ShardAnswers, shardsText } from './shards.js';
import type {
  AnsweredShards,
  AnswerFacts,
  CommandList,
  CommandObject,
  ItemOf,
  ListAnswer,
  ObjectAnswer,
  ViewParameters,
  ViewReader,
} from './view-source.js';

/**
 * Reads several exporters as one: lists are sorted again, workloads and namespaces with pods in several parts are added up. One that
 * fails is missing, which a note says, and no workload is complete then: any may have pods there.
 */
export function mergedReader(shards: ReadyShards): ViewReader {
  return {
    list: async (kind, parameters, count) => {
      const found = await listShards(shards, kind, parameters, kind in sums ? Infinity : count);
      return mergedList(kind, found, { order: parameters['order'], count });
    },
    object: async (kind, path, parameters) => mergedObject(kind, await findObject(shards, kind, path, parameters)),
  };
}

/** A shard knows the labels of its own pods alone: each is asked for all workloads that have pods with the labels somewhere. */
async function listShards<Kind extends CommandList>(
  shards: ReadyShards,
  kind: Kind,
  parameters: ViewParameters,
  count: number,
): Promise<ShardAnswers<ListAnswer<ItemOf<Kind>>>> {
  const { selector = '', ...others } = parameters;
  if (kind !== 'workloads' || selector === '') {
    return askShards(shards, (reader) => reader.list(kind, parameters, count));
  }
  const chosen = await askShards(shards, (reader) => reader.list('workloads', parameters, count));
  const names = new Set(chosen.answers.flatMap(({ items }) => items.map(workloadNames)));
  const isChosen = (item: ItemOf<Kind>): boolean => names.has(workloadNames(item as WorkloadReport));
  return askShards(shards, async (reader) => {
    const all = await reader.list(kind, others, count);
    return { ...all, items: all.items.filter(isChosen) };
  });
}

/** In those that have it. Throws NotFoundError when none has, and RequestError when one that failed may be the one that has. */
async function findObject<Kind extends CommandObject>(
  shards: ReadyShards,
  kind: Kind,
  path: readonly string[],
  parameters: ViewParameters,
): Promise<ShardAnswers<ObjectAnswer<Kind>>> {
  let missing: NotFoundError | undefined;
  const found = await askShards(shards, async (reader) => {
    try {
      return [await reader.object(kind, path, parameters)];
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      missing = error;
      return [];
    }
  });
  const answers = found.answers.flat();
  const [failure] = found.failures;
  if (failure !== undefined && !answers.some(({ data }) => isFound(kind, data))) {
    const place = found.shards === undefined ? '' : ` ${shardsText(found.shards)}`;
    const message = `no ${kind} ${path.join('/')}${place}: ${failure.message}`;
    throw new RequestError(failure.reason, message, { cause: failure });
  }
  if (answers.length === 0 && missing !== undefined) throw missing;
  return { ...found, answers };
}

/** A pod may be known by its evictions alone where it was once. */
function isFound<Kind extends CommandObject>(kind: Kind, data: Views[Kind]): boolean {
  return kind !== 'pod' || (data as Views['pod']).pods.length > 0;
}

function mergedList<Kind extends CommandList>(
  kind: Kind,
  found: ShardAnswers<ListAnswer<ItemOf<Kind>>>,
  { order, count }: { readonly order: string | undefined; readonly count: number },
): ListAnswer<ItemOf<Kind>> {
  const { answers } = found;
  const all = answers.flatMap(({ items }) => items);
  const sum = sums[kind];
  const items = sum === undefined ? all : sum(all, found.shards !== undefined);
  const totalCount = sum === undefined ? answers.reduce((total, part) => total + part.totalCount, 0) : items.length;
  const compare = compareBy(kind, order) as (a: ItemOf<Kind>, b: ItemOf<Kind>) => number;
  return { ...mergedFacts(found), items: items.toSorted(compare).slice(0, count), totalCount };
}

function mergedFacts({ answers, notes, shards }: ShardAnswers<AnswerFacts>): AnswerFacts {
  const coverages = answers.map(({ coverage }) => coverage);
  const sumOf = (valueOf: (coverage: Coverage) => number): number =>
    coverages.reduce((sum, coverage) => sum + valueOf(coverage), 0);
  return {
    coverage: {
      freshNodeCount: sumOf(({ freshNodeCount }) => freshNodeCount),
      staleNodeCount: sumOf(({ staleNodeCount }) => staleNodeCount),
      skippedNodeCount: sumOf(({ skippedNodeCount }) => skippedNodeCount),
      oldestDataAgeMs: largest(coverages.map(({ oldestDataAgeMs }) => oldestDataAgeMs)),
      ttlMs: Math.max(...coverages.map(({ ttlMs }) => ttlMs)),
      absences: groups(
        coverages.flatMap(({ absences }) => absences),
        ({ reason, isAwaited }) => `${reason} ${isAwaited}`,
      ).map(mergedGap),
    },
    generatedAtMs: Math.min(...answers.map(({ generatedAtMs }) => generatedAtMs)),
    notes: [...notes, ...answers.flatMap((answer) => answer.notes)],
    ...(shards === undefined ? {} : { shards }),
  };
}

function mergedGap(gaps: readonly [CoverageGap, ...CoverageGap[]]): CoverageGap {
  return {
    ...gaps[0],
    nodeCount: gaps.reduce((sum, { nodeCount }) => sum + nodeCount, 0),
    exampleNodes: gaps.flatMap(({ exampleNodes }) => exampleNodes).slice(0, 5),
  };
}

/** `isPartial`: a shard is missing. */
const sums: {
  readonly [Kind in CommandList]?: (items: readonly ItemOf<Kind>[], isPartial: boolean) => readonly ItemOf<Kind>[];
} = {
  workloads: (items, isPartial) => groups(items, workloadNames).map((parts) => mergedWorkload(parts, isPartial)),
  namespaces: (items) => groups(items, ({ namespace }) => namespace).map(mergedNamespace),
};

function workloadNames({ workloadNamespace, workloadType, workload }: WorkloadReport): string {
  return `${workloadNamespace}/${workloadType}/${workload}`;
}

function mergedNamespace(parts: readonly [NamespaceReport, ...NamespaceReport[]]): NamespaceReport {
  return parts.reduce((a, b) => ({
    namespace: a.namespace,
    measuredPodCount: a.measuredPodCount + b.measuredPodCount,
    usedBytes: a.usedBytes + b.usedBytes,
    unmeasuredPodCount: a.unmeasuredPodCount + b.unmeasuredPodCount,
    nearLimitPodCount: a.nearLimitPodCount + b.nearLimitPodCount,
    evictionCount: a.evictionCount + b.evictionCount,
    isUnlisted: a.isUnlisted || b.isUnlisted,
  }));
}

function groups<T>(items: readonly T[], keyOf: (item: T) => string): readonly (readonly [T, ...T[]])[] {
  const byKey = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = byKey.get(keyOf(item));
    if (group === undefined) byKey.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...byKey.values()];
}

/** A node is of one part; a pod that is known by its evictions alone may be of several. */
function mergedObject<Kind extends CommandObject>(
  kind: Kind,
  found: ShardAnswers<ObjectAnswer<Kind>>,
): ObjectAnswer<Kind> {
  const merge = merges[kind] as (...found: Parameters<MergeOf<Kind>>) => Views[Kind];
  const parts = found.answers.map(({ data }) => data);
  return { ...mergedFacts(found), data: merge(parts, found.shards) };
}

/** `shards`: see {@link ShardAnswers}. */
type MergeOf<Kind extends CommandObject> = (
  parts: readonly Views[Kind][],
  shards: AnsweredShards | undefined,
) => Views[Kind] | undefined;

const merges: { readonly [Kind in CommandObject]: MergeOf<Kind> } = {
  node: ([first]) => first,
  pod: (parts) => ({
    pods: parts.flatMap(({ pods }) => pods),
    evictions: mergedEvictions(parts),
  }),
  workload: (parts, shards) => {
    const [first, ...others] = parts;
    if (first === undefined) return undefined;
    const pods = pageOf(parts.map((part) => part.pods));
    const merged = mergedWorkload([first.workload, ...others.map(({ workload }) => workload)], shards !== undefined);
    const near = pods.items.filter(({ standing }) => isNear(standing)).toSorted(compareBy('pods', undefined));
    const evictions = mergedEvictions(parts);
    const workload = {
      ...merged,
      containers: merged.usedBytes === undefined ? undefined : mergedContainers(parts),
      verdict: partialVerdict(workloadVerdict(merged, { items: near, totalCount: near.length }, evictions[0]), shards),
    };
    return {
      workload,
      pods,
      missing: pageOf(parts.map(({ missing }) => missing)),
      evictions,
    };
  },
};

function mergedEvictions(parts: readonly Pick<Views['pod'], 'evictions'>[]): Views['pod']['evictions'] {
  return parts.flatMap(({ evictions }) => evictions).toSorted(compareBy('evictions', 'newest'));
}

function pageOf(pages: readonly Views['pods'][]): Views['pods'] {
  const items = pages.flatMap((page) => page.items).toSorted(compareBy('pods', 'urgency'));
  const totalCount = pages.reduce((sum, page) => sum + page.totalCount, 0);
  return { items, totalCount, offset: 0, limit: items.length };
}

function mergedContainers(parts: readonly Views['workload'][]): Views['workload']['workload']['containers'] {
  const all = parts.flatMap(({ workload }) => workload.containers ?? []);
  return groups(all, ({ container }) => container).map(([first, ...others]) =>
    others.reduce(
      (a, b) => ({
        container: a.container,
        usedBytes: addWhole(a.usedBytes, b.usedBytes),
        maxUsedBytes: addWhole(a.maxUsedBytes, b.maxUsedBytes) && Math.max(a.maxUsedBytes ?? 0, b.maxUsedBytes ?? 0),
      }),
      first,
    ),
  );
}
