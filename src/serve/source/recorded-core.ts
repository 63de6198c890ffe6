import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

import { Registry } from 'prom-client';
import { parseAllDocuments } from 'yaml';

import type { Node, Pod } from '../../cluster/kube/objects.js';
import { projectNode, projectPod } from '../../cluster/kube/projection.js';
import { wholeCluster } from '../../cluster/kube/scope.js';
import { hasStorage } from '../../cluster/kubelet/kubelet-policies.js';
import type { FoundLookup } from '../../cluster/kubelet/lookup.js';
import type { NodeSummary } from '../../cluster/kubelet/summary.js';
import { decodeSummary } from '../../cluster/kubelet/summary-reader.js';
import type { Config } from '../../config/schema.js';
import { EvictionLog } from '../../facts/history/eviction-log.js';
import { type Clock, systemClock } from '../../lib/base/clock.js';
import { messageOf, RequestError, UserError } from '../../lib/base/errors.js';
import { groupBy } from '../../lib/base/maps.js';
import { Scheduler } from '../../lib/base/scheduler.js';
import { escapeInvisible } from '../../lib/base/text.js';
import { readText } from '../../lib/base/text-file.js';
import { isObject, type JsonObject, objectOf, textOf } from '../../lib/json/json.js';
import type { ClusterReading } from '../../people/query/cluster-reading.js';
import { Core, type CorePlace } from '../app/core.js';
import { clusterReading } from '../app/core-reading.js';
import { EvictionTracker } from '../app/eviction-tracker.js';
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
    writeError,
    showsAll,
  }: {
    readonly config: Config;
    /** Called with each line about what is left out, with its newline. */
    readonly writeError: (text: string) => void;
    /** Without API objects no pod has a workload, and all pods are shown anyway. */
    readonly showsAll: boolean;
  },
): Promise<Core> {
  const warn = (text: string): void => {
    writeError(`${escapeInvisible(text)}\n`);
  };
  const recorded = await readSummaries(summaries, warn);
  if (recorded.length === 0)
    throw new UserError(`${summaries}: no kubelet summary found; expected bodies of /stats/summary in *.json files`);
  const place = recordedPlace(
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
    showsAll: showsAll || objects === undefined,
  });
  const evictions = new EvictionTracker(log, () => core);
  for (const object of place.store.pods()) evictions.podChanged({ object, previous: undefined, isInitial: true }, core);
  return core;
}

/** Reads a recording as a cluster is read. */
export async function readRecording(core: Core, signal: AbortSignal): Promise<ClusterReading> {
  const snapshot = await core.collector.collect(signal);
  if (snapshot === undefined) throw new Error('recordings need no list');
  const { place, resolver, clock } = core;
  const evictions = statusEvictions(place.store.pods(), resolver, clock.nowMs());
  return { ...clusterReading(core, { snapshot, evictions, askedAtMs: 0 }), ttlMs: 0 };
}

/**
 * A cluster that stands still: recorded summaries, all fresh, and the API objects that were recorded with them. `newestTimeMs`: at which
 * a kubelet measured a node's filesystem, since the epoch; 0 without any. Throws UserError when two summaries are of one node.
 */
export function recordedPlace(
  recorded: readonly RecordedSummary[],
  { nodes, pods }: RecordedObjects,
): CorePlace & { readonly newestTimeMs: number } {
  const summaries = summariesByNode(recorded);
  const nodeOf = new Map([...summaries.keys()].map((name) => [name, bareNode(name)]));
  for (const node of nodes) nodeOf.set(node.name, node);
  const podOf = new Map(pods.map((pod) => [`${pod.namespace}/${pod.name}`, pod]));
  const podsOf = groupBy(pods, ({ nodeName }) => nodeName);
  const boundNodeNames = [...podsOf.keys()].filter((name) => name !== undefined);
  const [noPods, noNames]: [readonly Pod[], readonly string[]] = [[], []];
  const times = [...summaries.values()].flatMap(({ nodefs, imagefs }) => [nodefs?.timeMs ?? 0, imagefs?.timeMs ?? 0]);
  const newestTimeMs = Math.max(0, ...times);
  const getFresh = ({ name }: Node): FoundLookup | undefined => {
    const summary = summaries.get(name);
    if (summary === undefined || !hasStorage(summary)) return undefined;
    return { state: 'fresh', summary, arrivedAtMs: 0, fetchedAtMs: newestTimeMs, configuration: undefined };
  };
  return {
    newestTimeMs,
    store: {
      hasSynced: true,
      lists: { nodesSeenAtMs: -Infinity, isServerAway: false },
      nodes: () => nodeOf.values(),
      findNode: (name) => nodeOf.get(name),
      mayBeGone: () => true,
      pods: () => podOf.values(),
      podsOn: (nodeName) => podsOf.get(nodeName) ?? noPods,
      findPod: (namespace, name) => podOf.get(`${namespace}/${name}`),
      boundNodeNames: () => boundNodeNames,
      unlistedNamespaces: () => noNames,
      isDeleted: () => false,
    },
    cache: {
      getFresh,
      get: (node) => {
        const reason = summaries.has(node.name) ? 'no_storage_stats' : 'never';
        return Promise.resolve(getFresh(node) ?? { state: 'absent', reason });
      },
      refresh: () => Promise.resolve(),
      lastFailure: () => undefined,
      lastSummary: () => undefined,
      history: () => undefined,
      inFlightMs: () => 0,
      lastDurationMs: () => undefined,
      growth: () => new Map(),
      retain: () => undefined,
    },
    setNearNodes: () => undefined,
  };
}

function summariesByNode(recorded: readonly RecordedSummary[]): ReadonlyMap<string, NodeSummary> {
  const files = new Map<string, string>();
  const summaries = new Map<string, NodeSummary>();
  for (const { file, summary } of recorded) {
    const other = files.get(summary.nodeName);
    if (other !== undefined) {
      throw new UserError(
        `${other} and ${file} are both summaries of node ${summary.nodeName}; keep one of them in --summaries`,
      );
    }
    files.set(summary.nodeName, file);
    summaries.set(summary.nodeName, summary);
  }
  return summaries;
}

/** A node that is known by its summary alone. */
function bareNode(name: string): Node {
  const metadata = { name, uid: name, resourceVersion: '0' };
  return projectNode({ metadata, status: { conditions: [{ type: 'Ready', status: 'True' }] } });
}

export interface RecordedSummary {
  readonly file: string;
  readonly summary: NodeSummary;
}

export interface RecordedObjects {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
}

/** The summaries of a file or of the `*.json` files of a folder. Throws UserError when there is no such path. */
async function readSummaries(location: string, warn: (text: string) => void): Promise<readonly RecordedSummary[]> {
  const summaries: RecordedSummary[] = [];
  for (const file of await filesAt(location, ['.json'])) {
    try {
      summaries.push({ file, summary: decodeSummary(await readText(file), file) });
    } catch (error) {
      const place = error instanceof RequestError ? '' : `${file}: `;
      warn(`left out: ${place}${messageOf(error)}`);
    }
  }
  return summaries;
}

/** The nodes and pods of a file or of the JSON and YAML files of a folder: lists, single objects or several documents. */
async function readObjects(location: string, warn: (text: string) => void): Promise<RecordedObjects> {
  const nodes: Node[] = [];
  const pods: Pod[] = [];
  for (const file of await filesAt(location, ['.json', '.yaml', '.yml'])) {
    try {
      const objects = itemsOfFile(await readText(file));
      nodes.push(...objects.filter(({ kind }) => kind === 'Node').map(({ value }) => projectNode(value)));
      pods.push(...objects.filter(({ kind }) => kind === 'Pod').map(({ value }) => projectPod(value)));
    } catch (error) {
      warn(`left out: ${file}: ${messageOf(error)}`);
    }
  }
  return { nodes, pods };
}

async function filesAt(location: string, endings: readonly string[]): Promise<readonly string[]> {
  try {
    if ((await stat(location)).isFile()) return [location];
    const names = await readdir(location);
    return names
      .filter((name) => endings.includes(path.extname(name)))
      .sort()
      .map((name) => path.join(location, name));
  } catch (error) {
    throw new UserError(`${location}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function itemsOfFile(text: string): ReturnType<typeof itemsOf> {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return itemsOf(document.toJS());
  });
}

/** Items of lists have no kind of their own unless the list is of kind `List`. */
function itemsOf(document: unknown): readonly { readonly kind: string; readonly value: JsonObject }[] {
  if (!isObject(document)) return [];
  const kind = textOf(document['kind']) ?? '';
  const items = document['items'];
  if (!Array.isArray(items)) return [{ kind, value: withResourceVersion(document) }];
  const itemKind = kind.replace(/List$/, '');
  return items
    .filter(isObject)
    .map((item) => ({ kind: textOf(item['kind']) ?? itemKind, value: withResourceVersion(item) }));
}

/** A kubelet's own `/pods` has none for static pods. */
function withResourceVersion(object: JsonObject): JsonObject {
  return { ...object, metadata: { resourceVersion: '0', ...objectOf(object['metadata']) } };
}
