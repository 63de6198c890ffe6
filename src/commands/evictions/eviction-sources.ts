import { type Clock, startDeadline } from '../../base/clock.js';
import { messageOf, RequestError, UserError } from '../../base/errors.js';
import { Scheduler } from '../../base/scheduler.js';
import type { Credentials } from '../../credentials/credentials.js';
import { storageEviction } from '../../history/eviction-message.js';
import type { EvictionRecord } from '../../history/eviction-record.js';
import { noEvictionsSeen } from '../../history/eviction-record.js';
import { ApiClient } from '../../http/api-client.js';
import { readAtMost } from '../../http/response-body.js';
import type { Pod } from '../../kube/objects.js';
import { projectPod } from '../../kube/projection.js';
import { type ClusterReading, noHistory } from '../../query/cluster-reading.js';
import { maxLimit, maxOffset } from '../../query/list-query.js';
import { type EvictionReport, evictionReport } from '../../report/eviction-report.js';
import { listObjects } from '../../watch/list-session.js';
import { collectionOf } from '../../watch/resource-path.js';
import type { WorkloadResolver } from '../../workload/workload-resolver.js';
import type { Reader } from '../cluster-reader.js';
import { defaultExporter, type ExporterAddress, proxyPath } from './exporter-address.js';
import { exporterClient } from './exporter-client.js';
import { decodeEvictions } from './received-evictions.js';

export interface EvictionSourceOptions {
  /** Undefined: the Service of this project's manifests, and only the status of pods where it does not answer. */
  readonly exporter: ExporterAddress | undefined;
  /** Undefined: no cluster is known, and only the exporter is asked. */
  readonly credentials: Credentials | undefined;
  /** Undefined: pods of all namespaces. */
  readonly namespace: string | undefined;
  readonly resolver: WorkloadResolver;
  readonly clock: Clock;
  readonly version: string;
}

/** A thousand evictions with all that is known of them. */
const maxBodyBytes = 64 * 2 ** 20;

/**
 * The evictions that an exporter has seen, with what the pods used, and those that the status of pods shows besides: of
 * several exporters, the one behind a Service knows a part only.
 */
export async function readEvictions(
  options: EvictionSourceOptions,
  signal: AbortSignal,
): Promise<Pick<ClusterReading, 'evictions' | 'notes'>> {
  const { exporter, credentials } = options;
  const notes: string[] = [];
  const attempt = async (isRequired: boolean, read: () => Promise<readonly EvictionReport[]>) => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (isRequired) throw new UserError(error.message, { cause: error });
      notes.push(messageOf(error));
      return [];
    }
  };
  const seen = await attempt(exporter !== undefined, () => askExporter(options, signal));
  const isAsked = notes.length === 0;
  const known =
    credentials === undefined ? [] : await attempt(!isAsked, () => evictedPods(options, credentials, signal));
  const uids = new Set(seen.map(({ uid }) => uid));
  const evictions = [...seen, ...known.filter(({ uid }) => !uids.has(uid))].sort(
    (a, b) => b.evictedAtMs - a.evictedAtMs,
  );
  const unread = isAsked
    ? notes.map((note) => `The status of pods was not read: ${note}.`)
    : [noExporterNote(notes[0])];
  return { evictions, notes: unread };
}

function noExporterNote(message = ''): string {
  return `Only the status of pods was read, without what they used: ${message.replace(/\.$/, '')}. Set --exporter to a URL or NAMESPACE/SERVICE.`;
}

async function askExporter(
  { exporter = defaultExporter, credentials, clock, version }: EvictionSourceOptions,
  signal: AbortSignal,
): Promise<readonly EvictionReport[]> {
  using api = await exporterClient({ exporter, credentials, clock, version });
  const path = `${'url' in exporter ? '' : proxyPath(exporter)}/api/v1/evictions`;
  const what = `GET ${path}`;
  const evictions: EvictionReport[] = [];
  using deadline = startDeadline({
    clock,
    durationMs: 30_000,
    error: () => new RequestError('timeout', `${what}: no complete response within 30 s`),
    parent: signal,
  });
  for (let totalCount = Infinity; evictions.length < Math.min(totalCount, maxOffset);) {
    const query = { limit: String(maxLimit), offset: String(evictions.length) };
    const { bytes, isComplete } = await readAtMost(await api.open({ path, query }, deadline.signal), maxBodyBytes);
    if (!isComplete) throw new RequestError('too_large', `${what}: more than ${maxBodyBytes} bytes`);
    const received = decodeEvictions(bytes, what);
    if (received.items.length === 0) break;
    evictions.push(...received.items);
    ({ totalCount } = received);
  }
  return evictions;
}

/** Of pods that still exist: those of controllers may be deleted at once. */
async function evictedPods(
  { namespace, resolver, clock, version }: EvictionSourceOptions,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<readonly EvictionReport[]> {
  using api = new ApiClient({ credentials, clock, version });
  const list = {
    api,
    clock,
    background: new Scheduler(clock).background,
    collection: collectionOf({ resource: 'pods', namespace, fieldSelector: 'status.phase=Failed' }),
    project: (object: unknown) => projectPod(object, (text) => text),
    onExpired: () => undefined,
  };
  const { objects } = await listObjects(list, '0', signal);
  return statusEvictions(objects, resolver, clock.nowMs());
}

/** What the status of evicted pods shows. */
export function statusEvictions(
  pods: Iterable<Pod>,
  resolver: WorkloadResolver,
  nowMs: number,
): readonly EvictionReport[] {
  return Array.from(pods).flatMap((pod) => {
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
    return [evictionReport(record)];
  });
}

/** Reads evictions alone: it asks no kubelet. */
export function evictionsReader(options: EvictionSourceOptions): Reader {
  return {
    read: async (_durationMs, signal) => ({
      snapshot: { nodes: [], gone: [], workloads: [], evictions: noEvictionsSeen, unlistedNamespaces: [] },
      knownPods: [],
      knownNodes: [],
      readAtMs: options.clock.nowMs(),
      failures: new Map(),
      ...noHistory,
      ...(await readEvictions(options, signal)),
    }),
  };
}
