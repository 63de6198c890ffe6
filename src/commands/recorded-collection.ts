import { type Collection, createCollection } from '../app/collection.js';
import { recordPodChange } from '../app/eviction-tracker.js';
import { type Clock, systemClock } from '../base/clock.js';
import { UserError } from '../base/errors.js';
import { Scheduler } from '../base/scheduler.js';
import type { Config } from '../config/schema.js';
import { EvictionLog } from '../history/eviction-log.js';
import { wholeCluster } from '../kube/scope.js';
import { noHistory } from '../query/cluster-reading.js';
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

interface RecordedCollection {
  readonly cluster: RecordedCluster;
  readonly collection: Collection;
  /** Stands still at the newest time in the summaries: a recording does not age while it is read, and gives the same each time. */
  readonly scheduler: Scheduler;
  readonly clock: Clock;
}

/** What the exporter makes of recorded summaries and API objects. Throws UserError without a summary. */
export async function readRecordedCollection(
  { summaries, objects }: RecordingFlags,
  {
    config,
    warn,
    showsAllPods,
  }: {
    readonly config: Config;
    /** Called for each file that cannot be read. */
    readonly warn: (text: string) => void;
    /** Without API objects no pod has a workload, and all pods are shown anyway. */
    readonly showsAllPods: boolean;
  },
): Promise<RecordedCollection> {
  const recorded = await readSummaries(summaries, warn);
  if (recorded.length === 0)
    throw new UserError(`${summaries}: no kubelet summary found; expected bodies of /stats/summary in *.json files`);
  const cluster = new RecordedCluster(
    recorded,
    objects === undefined ? { nodes: [], pods: [] } : await readObjects(objects, warn),
  );
  const clock = clockAt(cluster.newestTimeMs);
  const scheduler = new Scheduler(clock);
  const log = new EvictionLog(config.evictions, clock);
  const collection = createCollection({
    config,
    store: cluster,
    cache: cluster,
    // A recording shows evicted pods; it counts nothing.
    evictions: { snapshot: (options) => ({ ...log.snapshot(options), workloads: [], nodes: [] }) },
    scheduler,
    clock,
    ...(showsAllPods || objects === undefined ? { showsAllPods: true } : {}),
  });
  for (const object of cluster.pods()) {
    const change = { object, previous: undefined, isInitial: true };
    recordPodChange(change, { log, config, collection, nodes: cluster, cache: { history: () => undefined } });
  }
  return { cluster, collection, scheduler, clock };
}

function clockAt(nowMs: number): Clock {
  return { ...systemClock, nowMs: () => nowMs, steadyNowMs: () => nowMs, monotonicMs: () => 0 };
}

/** Reads a recording as a cluster is read. All pods are shown, whether or not they belong to a workload. */
export function recordedReader({ cluster, collection, clock }: RecordedCollection): Reader {
  return {
    read: async (_durationMs, signal) => {
      const snapshot = await collection.collector.collect(signal);
      if (snapshot === undefined) throw new Error('recordings need no list');
      const knownPods = Array.from(cluster.pods(), (pod) => ({ pod, workloads: collection.resolver.workloadsOf(pod) }));
      return {
        scope: wholeCluster,
        ttlMs: 0,
        snapshot,
        knownPods,
        knownNodes: [...cluster.nodes()],
        readAtMs: clock.nowMs(),
        failures: new Map(),
        ...noHistory,
        evictions: statusEvictions(cluster.pods(), collection.resolver, clock.nowMs()),
        notes: [],
      };
    },
  };
}
