import { groupBy } from '../../lib/base/maps.js';
import { byNames, naturalNames } from '../../lib/base/ranking.js';
import { countedText, formatCount } from '../../lib/base/text.js';
import type { Coverage } from '../../people/query/coverage.js';
import { evictionOrder } from '../../people/query/list-evictions.js';
import { namespaceOrder } from '../../people/query/list-namespaces.js';
import { firstOf, type ListPage } from '../../people/query/list-page.js';
import { maxLimit, ordersOf } from '../../people/query/list-query.js';
import { workloadOrder } from '../../people/query/list-workloads.js';
import type { WorkloadReport } from '../../people/report/workload-report.js';
import { composedObjects, type ReadList } from '../../people/status/composed-objects.js';
import type { Views } from '../../people/status/views.js';
import { askShards, notThere, type ReadyShards, type ShardAnswers } from './shards.js';
import type {
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
 * Reads several exporters as one: lists are sorted again, workloads and namespaces with pods in several parts are added up, and what has
 * pods in several parts is made of the lists. One that fails is missing, which a note says, and no workload is complete then: any may
 * have pods there.
 */
export function mergedReader(shards: ReadyShards): ViewReader {
  const reader: ViewReader = {
    list: async (kind, parameters, count = maxLimit) => {
      const found = await listShards(shards, kind, parameters, kind in sums ? maxLimit : count);
      return mergedList(kind, found, { order: parameters['order'], limit: Math.min(count, maxLimit) });
    },
    object: (kind, path, parameters) => {
      const isComposed = kind === 'workload' || kind === 'namespace';
      return isComposed ? composed(reader, kind, path, parameters) : findObject(shards, kind, path, parameters);
    },
  };
  return reader;
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

/** Makes an object of the lists of all, with what was said of the first of them. */
async function composed<Kind extends CommandObject>(
  reader: ViewReader,
  kind: 'workload' | 'namespace',
  path: readonly string[],
  parameters: ViewParameters,
): Promise<ObjectAnswer<Kind>> {
  const asked: AnswerFacts[] = [];
  const read = async (list: CommandList, { limit, ...others }: ViewParameters) => {
    const found = await reader.list(list, others, limit === undefined ? undefined : Number(limit));
    const { coverage, generatedAtMs, notes, shards, ...page } = found;
    asked.push({ coverage, generatedAtMs, notes, shards });
    return page;
  };
  const data = await composedObjects[kind](read as ReadList, path.join('/'), parameters);
  const [facts] = asked;
  if (facts === undefined) throw new Error(`no list of ${kind} was read`);
  return { ...facts, data: data as Views[Kind] };
}

/** A node is of one part. A pod may be known by its evictions alone where it was once: one that did not answer may have it. */
async function findObject<Kind extends CommandObject>(
  shards: ReadyShards,
  kind: Kind,
  path: readonly string[],
  parameters: ViewParameters,
): Promise<ObjectAnswer<Kind>> {
  const found = await askShards(shards, (reader) => reader.object(kind, path, parameters));
  const facts = mergedFacts(found);
  const [first] = found.answers;
  if (kind !== 'pod') return { ...facts, data: first.data };
  const parts = found.answers.map(({ data }) => data as Views['pod']);
  const pods = parts.flatMap((part) => part.pods);
  if (found.shards !== undefined && pods.length === 0)
    throw notThere([{ what: `no pod ${path.join('/')}`, meant: [] }], found);
  const evictions = parts.flatMap((part) => part.evictions).toSorted(evictionOrder('newest'));
  return { ...facts, data: { pods, evictions } as object as Views[Kind] };
}

function mergedList<Kind extends CommandList>(
  kind: Kind,
  found: ShardAnswers<ListAnswer<ItemOf<Kind>>>,
  { order = ordersOf[kind][0], limit }: { readonly order: string | undefined; readonly limit: number },
): ListAnswer<ItemOf<Kind>> {
  const { answers, shards } = found;
  const facts = mergedFacts(found);
  const items = answers.flatMap((of) => of.items);
  const sum = sums[kind];
  const compare = reportOrders[kind]?.(order) as ((a: ItemOf<Kind>, b: ItemOf<Kind>) => number) | undefined;
  if (sum === undefined || compare === undefined) {
    const totalCount = answers.reduce((count, of) => count + of.totalCount, 0);
    const sorted = compare === undefined ? mergedByRank(answers, kind, order) : items.toSorted(compare);
    return { ...facts, ...firstOf(sorted, limit, totalCount) };
  }
  const { keyOf, add } = sum;
  const cut = answers.filter(({ isComplete }) => !isComplete).map((of) => new Set(of.items.map(keyOf)));
  const isWhole = (key: string): boolean => shards === undefined && cut.every((keys) => keys.has(key));
  const all = Array.from(groupBy(items, keyOf), ([key, parts]) => add(parts, isWhole(key)));
  const page = firstOf(all.toSorted(compare), limit);
  if (cut.length === 0) return { ...facts, ...page };
  const note = `${countedText(cut.length, ['shard has', 'shards have'])} more than ${formatCount(maxLimit)} ${kind}: counts and sums are at least these.`;
  return { ...facts, ...page, isComplete: false, notes: [...facts.notes, note] };
}

function mergedFacts({ answers, notes, shards }: ShardAnswers<AnswerFacts>): AnswerFacts {
  const [first, ...others] = answers;
  return {
    coverage: addedCoverage([first.coverage, ...others.map(({ coverage }) => coverage)]),
    generatedAtMs: Math.min(...answers.map(({ generatedAtMs }) => generatedAtMs)),
    notes: [...notes, ...answers.flatMap((answer) => answer.notes)],
    ...(shards === undefined ? {} : { shards }),
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
    add: (parts, isWhole) => addedWorkload(parts, !isWhole),
  },
  namespaces: { keyOf: ({ namespace }) => namespace, add: added },
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

/** Returns the items of several lists in the order that each of them is in. */
function mergedByRank<T>(
  lists: readonly Pick<ListPage<T>, 'items' | 'ranks'>[],
  kind: CommandList,
  order: string,
): readonly T[] {
  const all = lists.flatMap(({ items, ranks }) => items.map((item, index) => ({ item, ranks: ranks?.[index] ?? [] })));
  const byName = byNames<{ readonly item: T }>(({ item }) =>
    namesOf(item as Readonly<Record<string, string>>, kind === 'nodes' || order === 'node'),
  );
  return all.toSorted((a, b) => compareRanks(a.ranks, b.ranks) || byName(a, b)).map(({ item }) => item);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((rank, at) => rank !== b[at]);
  return index < 0 ? 0 : (b[index] ?? 0) - (a[index] ?? 0);
}

/** Returns what an item of a list that has ranks is called, as far as it has it. */
function namesOf(item: Readonly<Record<string, string>>, isByNode: boolean): readonly string[] {
  const { namespace = '', pod = '', container, volume = '', node = '' } = item;
  const names = [namespace, pod, container ?? volume];
  return isByNode ? [...naturalNames(node), ...names] : [...names, node];
}

/** What is no sum of what several exporters have. */
const largest: ReadonlySet<string> = new Set([
  ...['podMaxUsedBytes', 'maxUsedBytes'],
  ...['backoffMs', 'ttlMs', 'oldestDataAgeMs'],
]);
/** What is unknown where one part of it is; of other numbers, the known ones are added up. */
const whole: ReadonlySet<string> = new Set(['usedBytes', 'podMaxUsedBytes', 'maxUsedBytes']);

/** Adds up what several exporters have of one thing. What is no number, and no answer to a question, is that of the first. */
function added<T extends object>(parts: readonly [T, ...T[]]): T {
  const keys = new Set(parts.flatMap((part) => Object.keys(part)));
  const entries = Array.from(keys, (key) => {
    const all = parts.map((part) => (part as Readonly<Record<string, unknown>>)[key]);
    return [key, addedValue(key, all)] as const;
  });
  return Object.fromEntries(entries) as T;
}

function addedValue(key: string, all: readonly unknown[]): unknown {
  const known = all.filter((value) => value !== undefined);
  const [first] = known;
  if (whole.has(key) && known.length < all.length) return undefined;
  if (typeof first === 'boolean') return key === 'isComplete' ? known.every(Boolean) : known.some(Boolean);
  if (typeof first !== 'number') return first;
  const numbers = known.map(Number);
  return largest.has(key) ? Math.max(...numbers) : numbers.reduce((sum, value) => sum + value, 0);
}

/** `isPartial`: an exporter is missing, which may have pods of it too. */
function addedWorkload(parts: readonly [WorkloadReport, ...WorkloadReport[]], isPartial: boolean): WorkloadReport {
  const sum = added(parts);
  const { usedBytes, podMaxUsedBytes } = added(summedParts(parts));
  const isComplete = sum.isComplete && !isPartial;
  const all = parts.flatMap(({ containers = [] }) => containers);
  const containers = Array.from(groupBy(all, ({ container }) => container).values(), added);
  const isKnown = sum.containers !== undefined && usedBytes !== undefined;
  return { ...sum, isComplete, usedBytes, podMaxUsedBytes, containers: isKnown ? containers : undefined };
}

/** A part that measures none of its pods adds nothing to those of others, and makes them incomplete. */
function summedParts(parts: readonly [WorkloadReport, ...WorkloadReport[]]): typeof parts {
  const [first, ...others] = parts.filter(({ measuredPodCount }) => measuredPodCount > 0);
  if (first !== undefined) return [first, ...others];
  const [expected, ...more] = parts.filter(({ expectedPodCount }) => expectedPodCount > 0);
  return expected === undefined ? parts : [expected, ...more];
}

const exampleCount = 5;

function addedCoverage(parts: readonly [Coverage, ...Coverage[]]): Coverage {
  const sum = { ...added(parts), shard: undefined, totalShards: undefined, onlyNode: undefined };
  const all = parts.flatMap(({ absences }) => absences);
  const gaps = groupBy(all, ({ reason, isAwaited }) => `${reason} ${isAwaited}`);
  const absences = Array.from(gaps.values(), (some) => ({
    ...added(some),
    exampleNodes: some.flatMap(({ exampleNodes }) => exampleNodes).slice(0, exampleCount),
  }));
  return { ...sum, absences };
}
