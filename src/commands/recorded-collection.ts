import { Registry } from 'prom-client';

import { Core } from '../app/core.js';
import { clusterReading } from '../app/core-reading.js';
import { EvictionTracker } from '../app/eviction-tracker.js';
import { type Clock, systemClock } from '../base/clock.js';
import { UserError } from '../base/errors.js';
import { Scheduler } from '../base/scheduler.js';
import type { Config } from '../config/schema.js';
import { EvictionLog } from '../history/eviction-log.js';
import { wholeCluster } from '../kube/scope.js';
import type { Reader } from './cluster-reader.js';
import { RecordedCluster } from './recorded-cluster.js';
import { readObjects, readSummaries } from './recordings.js';
import { statusEvictions } from './status-evictions.js';

/** Where recordings of a cluster are. */
export interface RecordingFlags {
  /** File or folder. */
  readonly summaries: string;
  /** File or folder; undefined without API objects. */
  readonly objects: string | undefined;
}

/**
 * What the exporter makes of recorded summaries and API objects. It stands still at the newest time in the summaries: a recording does
 * not age while it is read, and gives the same each time. Throws UserError without a summary.
 */
export async function recordedCore(
  { summaries, objects }: RecordingFlags,
  {
    config,
    warn,
    showsAllPods,
  }: {
    readonly config: Config;
    /** Called with each line about what is left out. */
    readonly warn: (text: string) => void;
    /** Without API objects no pod has a workload, and all pods are shown anyway. */
    readonly showsAllPods: boolean;
  },
): Promise<Core> {
  const recorded = await readSummaries(summaries, warn);
  if (recorded.length === 0)
    throw new UserError(`${summaries}: no kubelet summary found; expected bodies of /stats/summary in *.json files`);
  const place = new RecordedCluster(
    recorded,
    objects === undefined ? { nodes: [], pods: [] } : await readObjects(objects, warn),
  );
  const nowMs = place.newestTimeMs;
  const clock: Clock = { ...systemClock, nowMs: () => nowMs, steadyNowMs: () => nowMs, monotonicMs: () => 0 };
  const log = new EvictionLog(config.evictions, clock);
  const core: Core = new Core({
    ...{ config, scope: wholeCluster, place, clock, scheduler: new Scheduler(clock) },
    // A recording shows evicted pods; it counts nothing.
    evictions: { snapshot: (options) => ({ ...log.snapshot(options), workloads: [], nodes: [] }) },
    selfMetrics: { registry: new Registry(), setSeries: () => undefined },
    observer: {
      capped: ({ families }) => {
        if (families.length > 0) warn(`left out, as they are above metrics.maxSeries: ${families.join(', ')}`);
      },
    },
    ...(showsAllPods || objects === undefined ? { showsAllPods: true } : {}),
  });
  const evictions = new EvictionTracker(log, () => core);
  for (const object of place.pods()) evictions.podChanged({ object, previous: undefined, isInitial: true }, core);
  return core;
}

/** Reads a recording as a cluster is read. */
export function recordedReader(core: Core): Reader {
  return {
    read: async (_durationMs, signal) => {
      const snapshot = await core.collector.collect(signal);
      if (snapshot === undefined) throw new Error('recordings need no list');
      const { place, resolver, clock } = core;
      const evictions = statusEvictions(place.store.pods(), resolver, clock.nowMs());
      return { ...clusterReading(core, { snapshot, evictions, askedAtMs: 0 }), ttlMs: 0 };
    },
  };
}
