import type { Credentials } from '../../cluster/credentials/credentials.js';
import type { Pod } from '../../cluster/kube/objects.js';
import { projectPod } from '../../cluster/kube/projection.js';
import { wholeCluster } from '../../cluster/kube/scope.js';
import { listObjects } from '../../cluster/watch/list-session.js';
import { collectionOf } from '../../cluster/watch/resource-path.js';
import { storageEviction } from '../../facts/history/eviction-message.js';
import type { EvictionRecord } from '../../facts/history/eviction-record.js';
import type { WorkloadResolver } from '../../facts/workload/workload-resolver.js';
import type { Clock } from '../../lib/base/clock.js';
import { Scheduler } from '../../lib/base/scheduler.js';
import { type ClusterReading, noHistory, noSnapshot } from '../../people/query/cluster-reading.js';
import { type EvictionReport, evictionReports } from '../../people/report/eviction-report.js';
import type { CommandRequests } from './command-requests.js';

/**
 * Reads the status of evicted pods alone: it asks no kubelet, and what the pods used is not in it. Those of controllers may be deleted at
 * once. Throws RequestError.
 */
export async function readEvictedPods(
  question: {
    readonly credentials: Credentials;
    /** Undefined: pods of all namespaces. */
    readonly namespace: string | undefined;
    readonly resolver: WorkloadResolver;
    readonly clock: Clock;
    readonly requests: CommandRequests;
  },
  signal: AbortSignal,
): Promise<ClusterReading> {
  const { credentials, namespace, resolver, clock, requests } = question;
  const collection = collectionOf({ resource: 'pods', namespace, fieldSelector: 'status.phase=Failed' });
  using api = requests.client(credentials);
  const { objects } = await listObjects(
    {
      ...{ api, clock, collection, background: new Scheduler(clock).background },
      project: (object: unknown) => projectPod(object),
      onExpired: () => undefined,
    },
    '0',
    signal,
  );
  return {
    scope: wholeCluster,
    ttlMs: 0,
    snapshot: noSnapshot,
    knownPods: [],
    knownNodes: [],
    readAtMs: clock.nowMs(),
    failures: new Map(),
    ...noHistory,
    evictions: statusEvictions(objects, resolver, clock.nowMs()),
    notes: ['Only the status of pods was read, without what they used.'],
  };
}

/** What the status of evicted pods shows; the newest first. */
export function statusEvictions(
  pods: Iterable<Pod>,
  resolver: WorkloadResolver,
  nowMs: number,
): readonly EvictionReport[] {
  const found = Array.from(pods).flatMap((pod) => {
    const eviction = pod.eviction && storageEviction(pod.eviction.message);
    if (pod.eviction === undefined || eviction === undefined) return [];
    const record: EvictionRecord = {
      ...eviction,
      namespace: pod.namespace,
      pod: pod.name,
      uid: pod.uid,
      node: pod.nodeName ?? '',
      labels: pod.labels,
      workloads: resolver.workloadsOf(pod),
      message: pod.eviction.message,
      evictedAtMs: pod.eviction.atMs ?? nowMs,
      seenAtMs: nowMs,
      wasSeenLive: false,
      diskPressure: undefined,
      lastUsage: 'no_exporter',
    };
    return [record];
  });
  return evictionReports(found.sort((a, b) => b.evictedAtMs - a.evictedAtMs));
}
