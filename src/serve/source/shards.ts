import { RequestError } from '../../lib/base/errors.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { meantText } from '../../lib/base/suggestion.js';
import type { Coverage } from '../../people/query/coverage.js';
import { NotFoundError } from '../../people/status/view-errors.js';
import type { AnsweredShards, ViewReader } from './view-source.js';

/** One of several exporters, each of which measures a part of the nodes, that was asked when a reading began. */
export interface AskedShard {
  /** That of its pod. */
  readonly name: string;
  readonly reader: ViewReader;
  /** Undefined where it failed. */
  readonly coverage: Coverage | undefined;
}

export interface ReadyShards {
  readonly ready: readonly Omit<AskedShard, 'coverage'>[];
  /** With those that are not ready. */
  readonly totalCount: number;
  /** A sentence for each that is not added up. */
  readonly leftOut: readonly string[];
}

/**
 * Chooses one of each part of the nodes, so that none is counted twice: where the number of shards changes, or a shard has two pods, parts
 * overlap. Of several numbers of shards, that of which the largest share is there.
 */
export function chosenShards(asked: readonly AskedShard[]): ReadyShards {
  const byTotal = new Map<number, Map<number, AskedShard>>();
  const freshCountOf = ({ coverage }: AskedShard): number => coverage?.freshNodeCount ?? 0;
  for (const one of asked.toSorted((a, b) => freshCountOf(b) - freshCountOf(a))) {
    if (one.coverage === undefined) continue;
    const { shard, totalShards } = partOf(one.coverage);
    const parts = getOrAdd(byTotal, totalShards, () => new Map<number, AskedShard>());
    if (!parts.has(shard)) parts.set(shard, one);
  }
  const bySize = [...byTotal].sort(([a, some], [b, others]) => others.size / b - some.size / a || b - a);
  const [totalCount, parts] = bySize[0] ?? [asked.length, new Map<number, AskedShard>()];
  const chosen = new Set(parts.values());
  const isWhole = chosen.size === totalCount;
  const isReady = (one: AskedShard): boolean => chosen.has(one) || (one.coverage === undefined && !isWhole);
  const leftOut = asked.filter((one) => !isReady(one)).map((one) => leftOutNote(one, totalCount));
  return { ready: asked.filter(isReady), totalCount, leftOut };
}

/** One that measures its own node alone is of too many to be whole. */
function partOf({ shard = 0, totalShards = 1, onlyNode }: Coverage): { shard: number; totalShards: number } {
  return { shard, totalShards: onlyNode === undefined ? totalShards : Infinity };
}

function leftOutNote({ name, coverage }: AskedShard, totalCount: number): string {
  if (coverage === undefined) return `${name} is left out: it does not answer.`;
  if (coverage.onlyNode !== undefined) return `${name} is left out: it measures ${coverage.onlyNode} alone.`;
  const { shard, totalShards } = partOf(coverage);
  const reason = totalShards === totalCount ? 'another pod is this shard too' : `others are of ${totalCount}`;
  return `${name} is left out: it is shard ${shard} of ${totalShards}, and ${reason}.`;
}

export interface ShardAnswers<Answer> {
  readonly answers: readonly [Answer, ...Answer[]];
  /** A sentence for each failure, for each that is left out, and one for those that are not ready. */
  readonly notes: readonly string[];
  /** Undefined when all answered, and none is left out. */
  readonly shards: AnsweredShards | undefined;
}

/** What is not in them. */
export function shardsText({ answeredCount, totalCount }: AnsweredShards): string {
  return `among the nodes of the shards that answered (${answeredCount} of ${totalCount})`;
}

/**
 * Asks all that are ready. Those that have nothing of a name have no part in the answer: throws NotFoundError when none has, else the
 * first failure when there is no answer, and what is no {@link RequestError}.
 */
export async function askShards<Answer>(
  { ready, totalCount, leftOut }: ReadyShards,
  ask: (reader: ViewReader) => Promise<Answer>,
): Promise<ShardAnswers<Answer>> {
  const outcomes = await Promise.all(
    ready.map(async ({ name, reader }) => {
      try {
        return { answer: await ask(reader) };
      } catch (error) {
        return { name, error: error instanceof NotFoundError ? error : requestError(error) };
      }
    }),
  );
  const [answer, ...others] = outcomes.flatMap((of) => ('answer' in of ? [of.answer] : []));
  const errors = outcomes.flatMap((of) => ('answer' in of ? [] : [of]));
  const missing = errors.flatMap(({ error }) => (error instanceof NotFoundError ? [error] : []));
  const failures = errors.filter(({ error }) => error instanceof RequestError);
  const isReady = ready.length >= totalCount;
  const notes = [
    ...(isReady ? [] : [`${ready.length} of ${totalCount} shards are ready: the nodes of the others are missing.`]),
    ...leftOut,
    ...failures.map(({ name, error }) => `The nodes of shard ${name} are missing: ${error.message}`),
  ];
  const answeredCount = ready.length - failures.length;
  const isWhole = answeredCount === totalCount && leftOut.length === 0;
  const facts = { notes, shards: isWhole ? undefined : { answeredCount, totalCount } };
  if (answer !== undefined) return { ...facts, answers: [answer, ...others] };
  throw missing.length > 0 ? notThere(missing, facts) : (errors[0]?.error ?? new Error('no shard is ready'));
}

/** What no shard has, one that did not answer may have. */
export function notThere(
  missing: readonly Pick<NotFoundError, 'what' | 'meant'>[],
  { shards, notes }: Omit<ShardAnswers<unknown>, 'answers'>,
): NotFoundError {
  const what = missing[0]?.what ?? '';
  const meant = [...new Set(missing.flatMap((one) => one.meant))].slice(0, maxMeantCount);
  if (shards === undefined) return new NotFoundError(what, { meant });
  return new NotFoundError([`${what} ${shardsText(shards)}${meantText(meant)}`, ...notes].join('\n'));
}

const maxMeantCount = 5;

/** Returns what answers nothing else. Throws what is no {@link RequestError}. */
export function failingReader(error: unknown): ViewReader {
  const failure = requestError(error);
  return { list: () => Promise.reject(failure), object: () => Promise.reject(failure) };
}

function requestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  throw error;
}
