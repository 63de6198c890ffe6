import { setTimeout as delay } from 'node:timers/promises';

import type { SimulatedCluster } from '../../sim/cluster.js';
import type { ManualClock } from '../../test/support/manual-clock.js';

/** Loopback sockets deliver within this time unless the machine is very busy. */
const pauseMs = 10;
const quietPauses = 4;

function requestCount(cluster: SimulatedCluster): number {
  const kubelets = cluster.model.nodes.map(({ spec }) => cluster.kubeletRequestCount(spec.name));
  return kubelets.reduce((sum, count) => sum + count, cluster.apiRequests.length);
}

/** Resolves when no request has come for some pauses: what the last change caused has happened. */
export async function settled(cluster: SimulatedCluster): Promise<void> {
  let before = -1;
  for (let quiet = 0; quiet < quietPauses;) {
    await delay(pauseMs);
    const now = requestCount(cluster);
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
}

/** Advances the clock in steps, so that what one step causes does not depend on how fast this machine is. */
export async function advance(cluster: SimulatedCluster, clock: ManualClock, durationMs: number): Promise<void> {
  const stepMs = 5_000;
  for (let leftMs = durationMs; leftMs > 0; leftMs -= stepMs) {
    await clock.advance(Math.min(stepMs, leftMs));
    await settled(cluster);
  }
}

/**
 * Resolves with what `work` resolves with. With `advanceMs`, something never responds, such as a kubelet that hangs: as soon as
 * all else is quiet, the time passes in which it is waited for.
 */
export async function completed<T>(
  { cluster, clock, advanceMs }: { cluster: SimulatedCluster; clock: ManualClock; advanceMs: number | undefined },
  work: Promise<T>,
): Promise<T> {
  if (advanceMs === undefined) return work;
  await delay(300);
  await settled(cluster);
  await clock.advance(advanceMs);
  return work;
}
