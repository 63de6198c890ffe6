import { RequestError } from '../../base/errors.js';
import type { AnsweredShards, ViewReader } from './view-source.js';

/** One of several exporters, each of which measures a part of the nodes. */
interface Shard {
  /** That of its pod. */
  readonly name: string;
  readonly reader: ViewReader;
}

export interface ReadyShards {
  readonly ready: readonly Shard[];
  /** With those that are not ready. */
  readonly totalCount: number;
}

export interface ShardAnswers<Answer> {
  readonly answers: readonly Answer[];
  /** What the others failed with, in their order. */
  readonly failures: readonly RequestError[];
  /** A sentence for each failure, and one for those that are not ready. */
  readonly notes: readonly string[];
  /** Undefined when all answered. */
  readonly shards: AnsweredShards | undefined;
}

/** What is not in them. */
export function shardsText({ answeredCount, totalCount }: AnsweredShards): string {
  return `among the nodes of the shards that answered (${answeredCount} of ${totalCount})`;
}

/** Asks all that are ready. Throws the first failure when all fail, and what is no {@link RequestError}. */
export async function askShards<Answer>(
  { ready, totalCount }: ReadyShards,
  ask: (reader: ViewReader) => Promise<Answer>,
): Promise<ShardAnswers<Answer>> {
  const answers: Answer[] = [];
  const failures: RequestError[] = [];
  const notes = notReadyNotes({ ready, totalCount });
  const asked = await Promise.allSettled(ready.map(({ reader }) => ask(reader)));
  for (const [index, outcome] of asked.entries()) {
    if (outcome.status === 'fulfilled') {
      answers.push(outcome.value);
      continue;
    }
    const failure = requestError(outcome.reason);
    failures.push(failure);
    notes.push(`The nodes of shard ${ready[index]?.name} are missing: ${failure.message}`);
  }
  const [failure] = failures;
  if (answers.length === 0 && failure !== undefined) throw failure;
  const answeredCount = answers.length;
  return { answers, failures, notes, shards: answeredCount < totalCount ? { answeredCount, totalCount } : undefined };
}

function notReadyNotes({ ready, totalCount }: ReadyShards): string[] {
  if (ready.length >= totalCount) return [];
  return [`${ready.length} of ${totalCount} shards are ready: the nodes of the others are missing.`];
}

/** Returns what answers nothing else. Throws what is no {@link RequestError}. */
export function failingReader(error: unknown): ViewReader {
  const failure = requestError(error);
  return { list: () => Promise.reject(failure), object: () => Promise.reject(failure) };
}

function requestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  throw error;
}
