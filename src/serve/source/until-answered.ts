import type { Clock } from '../../lib/base/clock.js';
import type { Coverage } from '../../people/query/coverage.js';
import type { ViewReader } from './view-source.js';

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
