import { RequestError } from '../../base/errors.js';
import type { ViewReader } from './view-source.js';

/** One of several exporters, each of which measures a part of the nodes. */
export interface Shard {
  /** That of its pod. */
  readonly name: string;
  readonly reader: ViewReader;
}

export interface ShardAnswers<Answer> {
  readonly answers: readonly Answer[];
  /** What the others failed with, in their order. */
  readonly failures: readonly RequestError[];
  /** A sentence for each failure. */
  readonly notes: readonly string[];
}

/** Asks all of them. Throws the first failure when all fail, and what is no {@link RequestError}. */
export async function askShards<Answer>(
  shards: readonly Shard[],
  ask: (reader: ViewReader) => Promise<Answer>,
): Promise<ShardAnswers<Answer>> {
  const answers: Answer[] = [];
  const failures: RequestError[] = [];
  const notes: string[] = [];
  const asked = await Promise.allSettled(shards.map(({ reader }) => ask(reader)));
  for (const [index, outcome] of asked.entries()) {
    if (outcome.status === 'fulfilled') {
      answers.push(outcome.value);
      continue;
    }
    const failure = requestError(outcome.reason);
    failures.push(failure);
    notes.push(`The nodes of shard ${shards[index]?.name} are missing: ${failure.message}`);
  }
  const [failure] = failures;
  if (answers.length === 0 && failure !== undefined) throw failure;
  return { answers, failures, notes };
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
