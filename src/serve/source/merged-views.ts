import { isNear } from '../../facts/node/standing.js';
import { addWhole } from '../../lib/base/maps.js';
import { countedText, formatCount } from '../../lib/base/text.js';
import type { Coverage, CoverageGap } from '../../people/query/coverage.js';
import { evictionOrder } from '../../people/query/list-evictions.js';
import { namespaceOrder } from '../../people/query/list-namespaces.js';
import { firstOf } from '../../people/query/list-page.js';
import { maxLimit, ordersOf } from '../../people/query/list-query.js';
import { workloadOrder } from '../../people/query/list-workloads.js';
import type { WorkloadReport } from '../../people/report/workload-report.js';
import { workloadVerdict } from '../../people/report/workload-verdict.js';
import type { Views } from '../../people/status/views.js';
import { mergedByRank } from './merged-rank.js';
import { largest, mergedNamespace, mergedWorkload, partialVerdict } from './merged-workload.js';
import { askShards, notThere, type ReadyShards, type ShardAnswers } from './shards.js';
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
    list: async (kind, parameters, count = maxLimit) => {
      const found = await listShards(shards, kind, parameters, kind in sums ? maxLimit : count);
      return mergedList(kind, found, { order: parameters['order'], limit: Math.min(count, maxLimit) });
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

/** A pod may be known by its evictions alone where it was once: one that did not answer may have it. */
async function findObject<Kind extends CommandObject>(
  shards: ReadyShards,
  kind: Kind,
  path: readonly string[],
  parameters: ViewParameters,
): Promise<ShardAnswers<ObjectAnswer<Kind>>> {
  const found = await askShards(shards, (reader) => reader.object(kind, path, parameters));
  const isFound = kind !== 'pod' || found.answers.some(({ data }) => (data as Views['pod']).pods.length > 0);
  if (found.shards === undefined || isFound) return found;
  throw notThere([{ what: `no pod ${path.join('/')}`, meant: [] }], found);
}

function mergedList<Kind extends CommandList>(
  kind: Kind,
  found: ShardAnswers<ListAnswer<ItemOf<Kind>>>,
  { order = ordersOf[kind][0], limit }: { readonly order: string | undefined; readonly limit: number },
): ListAnswer<ItemOf<Kind>> {
  const { answers, shards } = found;
  const sum = sums[kind];
  const compare = reportOrders[kind]?.(order) as ((a: ItemOf<Kind>, b: ItemOf<Kind>) => number) | undefined;
  if (sum === undefined || compare === undefined) {
    const items = compare ? answers.flatMap((of) => of.items).toSorted(compare) : mergedByRank(answers, kind, order);
    return { ...mergedFacts(found), ...firstOf(items, limit, totalCountOf(answers)) };
  }
  const { keyOf, add } = sum;
  const cut = answers.filter(({ isComplete }) => !isComplete).map(({ items }) => new Set(items.map(keyOf)));
  const isWhole = (key: string): boolean => shards === undefined && cut.every((keys) => keys.has(key));
  const parts = groups(
    answers.flatMap(({ items }) => items),
    keyOf,
  );
  const all = parts.map((of) => add(of, isWhole(keyOf(of[0])))).toSorted(compare);
  const page = firstOf(all, limit);
  if (cut.length === 0) return { ...mergedFacts(found), ...page };
  const { notes, ...facts } = mergedFacts(found);
  const note = `${countedText(cut.length, ['shard has', 'shards have'])} more than ${formatCount(maxLimit)} ${kind}: counts and sums are at least these.`;
  return { ...facts, ...page, isComplete: false, notes: [...notes, note] };
}

function totalCountOf(parts: readonly { readonly totalCount: number }[]): number {
  return parts.reduce((sum, { totalCount }) => sum + totalCount, 0);
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

/** What adds up the parts of one item. `isWhole`: no shard may have another part of it. */
const sums: {
  readonly [Kind in CommandList]?: {
    readonly keyOf: (item: ItemOf<Kind>) => string;
    readonly add: (parts: readonly [ItemOf<Kind>, ...ItemOf<Kind>[]], isWhole: boolean) => ItemOf<Kind>;
  };
} = {
  workloads: {
    keyOf: workloadNames,
    add: (parts, isWhole) => mergedWorkload(parts, !isWhole),
  },
  namespaces: { keyOf: ({ namespace }) => namespace, add: mergedNamespace },
};

/** Of lists that are sorted by what their items show: the others have ranks. */
const reportOrders: {
  readonly [Kind in CommandList]?: (order: string) => (a: ItemOf<Kind>, b: ItemOf<Kind>) => number;
} = {
  workloads: workloadOrder,
  namespaces: namespaceOrder,
  evictions: evictionOrder,
};

function workloadNames({ workloadNamespace, workloadType, workload }: WorkloadReport): string {
  return `${workloadNamespace}/${workloadType}/${workload}`;
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
    const near = pods.items.filter(({ standing }) => isNear(standing));
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
  namespace: (parts, shards) => {
    const [first, ...others] = parts;
    if (first === undefined) return undefined;
    const isPart = shards !== undefined || parts.some(({ workloads }) => !workloads.isComplete);
    const ofShards = groups(
      parts.flatMap(({ workloads }) => workloads.items),
      workloadNames,
    );
    // One that spans namespaces may have pods elsewhere in a shard that has none of it here.
    const isCut = (of: readonly WorkloadReport[]): boolean =>
      isPart || (of[0]?.workloadNamespace === '' && of.length < parts.length);
    const workloads = ofShards.map((of) => mergedWorkload(of, isCut(of))).toSorted(workloadOrder('used'));
    return {
      namespace: mergedNamespace([first.namespace, ...others.map(({ namespace }) => namespace)]),
      pods: pageOf(parts.map(({ pods }) => pods)),
      workloads: firstOf(workloads, first.workloads.limit),
      evictions: mergedEvictions(parts),
    };
  },
};

function mergedEvictions(parts: readonly Pick<Views['pod'], 'evictions'>[]): Views['pod']['evictions'] {
  return parts.flatMap(({ evictions }) => evictions).toSorted(evictionOrder('newest'));
}

function pageOf(pages: readonly Views['pods'][]): Views['pods'] {
  const items = mergedByRank(pages, 'pods', 'urgency');
  return firstOf(items, items.length, totalCountOf(pages));
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
