import type { Clock } from '../../lib/base/clock.js';
import type { Coverage } from '../../people/query/coverage.js';
import { type ExporterConnection, exporterReader } from './exporter-views.js';
import { mergedReader } from './merged-views.js';
import { type AskedShard, chosenShards, failingReader } from './shards.js';
import type { ReadViews, ViewReader } from './view-source.js';

/**
 * Reads an exporter, or several of a part of the nodes each as one, when their kubelets have responded. One that fails when a reading
 * begins is not waited for again in it. `name`: of its pod.
 */
export function answeredViews(
  exporters: readonly { readonly name: string; readonly connection: ExporterConnection }[],
): ReadViews {
  return async (signal) => {
    const asked = await Promise.all(
      exporters.map(async ({ name, connection }): Promise<AskedShard> => {
        const failed = (error: unknown) => ({ reader: failingReader(error), coverage: undefined });
        return { name, ...(await answered(connection, signal).catch(failed)) };
      }),
    );
    const whole = asked.length === 1 ? asked.find(({ coverage }) => coverage?.totalShards === undefined) : undefined;
    return whole?.reader ?? mergedReader(chosenShards(asked));
  };
}

async function answered(connection: ExporterConnection, signal: AbortSignal) {
  const reader = exporterReader(connection, signal);
  return { reader, coverage: await untilAnswered(reader, connection.clock, signal) };
}

/** Before an exporter is asked again, which repeats an answer that lacks kubelets for the first of these times. */
const pausesMs = [250, 500, 1_000, 1_000];

/** A kubelet that hangs for the first time is not waited for any longer. */
const patienceMs = 1_000;

/**
 * An exporter that nobody has read for a while asks its kubelets again, and waits for half a second. Resolves when they have responded,
 * or when no more of them do, with
 * what answers are made of then.
 */
export async function untilAnswered(reader: ViewReader, clock: Clock, signal: AbortSignal): Promise<Coverage> {
  let [fewest, progressedAtMs] = [Infinity, -Infinity];
  let { coverage } = await reader.list('nodes', {}, 1);
  for (const pauseMs of pausesMs) {
    const count = awaitedCount(coverage);
    if (count === 0) break;
    const nowMs = clock.monotonicMs();
    if (count < fewest) [fewest, progressedAtMs] = [count, nowMs];
    else if (nowMs - progressedAtMs >= patienceMs) break;
    await clock.sleep(pauseMs, signal);
    ({ coverage } = await reader.list('nodes', {}, 1));
  }
  return coverage;
}

function awaitedCount({ absences }: Coverage): number {
  return absences.reduce((sum, { isAwaited, nodeCount }) => sum + (isAwaited ? nodeCount : 0), 0);
}
