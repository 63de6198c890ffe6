/**
 * The exporter's own functions without sockets, in a process of its own: what one node costs from its body to its text, and
 * what a pod leaves in the store.
 */
import process from 'node:process';

import { Registry } from 'prom-client';

import { createDedupe, createInterner } from '../../src/cluster/kube/dedupe.js';
import type { Node, Pod } from '../../src/cluster/kube/objects.js';
import { projectNode } from '../../src/cluster/kube/projection.js';
import { wholeCluster } from '../../src/cluster/kube/scope.js';
import { decodeSummary } from '../../src/cluster/kubelet/summary-reader.js';
import { ObjectStore } from '../../src/cluster/watch/object-store.js';
import { type SharedValues, watchedPods } from '../../src/cluster/watch/watched-collection.js';
import { loadConfig } from '../../src/config/load.js';
import { NodeFaults } from '../../src/facts/node/node-faults.js';
import { NodeTrackers } from '../../src/facts/node/node-trackers.js';
import { type DerivedPods, podContexts } from '../../src/facts/node/pod-record.js';
import { WorkloadResolver } from '../../src/facts/workload/workload-resolver.js';
import { systemClock } from '../../src/lib/base/clock.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { Exposition } from '../../src/metrics/exposition/exposition.js';
import type { Profile } from '../../src/metrics/exposition/family.js';
import { noFilter } from '../../src/metrics/exposition/selection.js';
import { nodeObjectText, PodObjects } from './cluster/api-objects.js';
import { ClusterState } from './cluster/cluster-state.js';
import { Summaries } from './cluster/summaries.js';
import type { Ingest, Kept, LibraryRequest } from './library.js';

const nodeCount = 40;
const kubeletPort = 10_250;
const minuteMs = 60_000;
/** Until what is measured has been compiled. */
const discardedCount = 25;
/** Of the exporter. */
const maxInternedBytes = 8 * 2 ** 20;

const podObjects = new PodObjects();

function podText(state: ClusterState, index: number): string {
  const buffer = Buffer.alloc(podObjects.sizeBytes);
  const pod = state.pods[index];
  if (pod === undefined) throw new Error(`pod ${index} does not exist`);
  podObjects.write(buffer, 0, pod);
  return buffer.toString();
}

interface KeptPods {
  readonly store: ObjectStore<Pod>;
  /** What finds equal values stays as long as the store. */
  readonly shared: SharedValues;
}

/** As a watch of all pods keeps them. */
async function keptPods(state: ClusterState): Promise<KeptPods> {
  const shared = { intern: createInterner(maxInternedBytes), dedupe: createDedupe() };
  const scope = { scope: wholeCluster, namespaces: [], podSelector: [], nodeLocalSpreadMs: 0 };
  const pods = watchedPods({ ...scope, clock: systemClock }, shared);
  const { namespaceOf, groupOf } = pods;
  const store = new ObjectStore<Pod>({ namespaceOf, groupOf, lane: new Scheduler(systemClock).newLane() });
  await store.replace(state.pods.flatMap((_, index) => pods.project(JSON.parse(podText(state, index))) ?? []));
  return { store, shared };
}

/** As the exporter is wired, for one profile. */
class Pipeline {
  readonly #nodes: readonly Node[];
  readonly #trackers: NodeTrackers;
  readonly #exposition: Exposition;
  readonly #lane = new Scheduler(systemClock).newLane();

  constructor(state: ClusterState, { store }: KeptPods, profile: Profile) {
    const intern = createInterner(maxInternedBytes);
    this.#nodes = Array.from({ length: state.shape.nodeCount }, (_, index) =>
      projectNode(JSON.parse(nodeObjectText(index, kubeletPort)), intern),
    );
    this.#trackers = new NodeTrackers({
      pods: {
        podsOn: (nodeName) => store.group(nodeName),
        boundNodeNames: () => store.groupNames(),
        unlistedNamespaces: () => [],
        findPod: (namespace, name) => store.get(name, namespace),
        isDeleted: () => false,
      },
      resolver: new WorkloadResolver({ selectors: [], labels: [], controllers: true }),
      contextOf: podContexts('measured'),
      scope: { namespaces: [], hasPodSelector: false },
      showsAllPods: false,
      maxUnknownPods: 20,
      growth: () => new Map(),
      ttlMs: minuteMs,
      clock: systemClock,
      faults: new NodeFaults(silentLogger),
      memories: new Map(),
    });
    this.#exposition = new Exposition({
      lane: this.#lane,
      settings: loadConfig({ environment: {}, assignments: [`metrics.profile=${profile}`], flags: {} }).metrics,
      selfMetrics: { registry: new Registry(), setSeries: () => undefined },
      observer: { capped: () => undefined },
      clock: systemClock,
    });
  }

  /** Decodes, joins, attributes and renders. */
  async ingest(nodeIndex: number, body: Buffer): Promise<void> {
    const node = this.#nodes[nodeIndex];
    if (node === undefined) throw new Error(`node ${nodeIndex} does not exist`);
    const summary = decodeSummary(body, 'summary');
    const lookup = {
      state: 'fresh',
      summary,
      arrivedAtMs: systemClock.monotonicMs(),
      fetchedAtMs: systemClock.nowMs(),
      configuration: undefined,
    } as const;
    const tracker = this.#trackers.of(node);
    await this.#lane.run(() => {
      const derived: DerivedPods = new Map();
      this.#exposition.prepareNode(tracker.view(node, lookup, derived), derived, noFilter);
    });
  }
}

async function cpuMsOf(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function ingest(request: LibraryRequest & { do: 'ingest' }): Promise<Ingest> {
  const { podsPerNode, profile, roundCount, changedShare } = request;
  const state = new ClusterState({ nodeCount, podsPerNode }, Date.now() - minuteMs);
  const summaries = new Summaries(podsPerNode, changedShare);
  const pipeline = new Pipeline(state, await keptPods(state), profile);
  const rounds: { ingestMs: number; parseMs: number }[] = [];
  for (let round = 0; round < roundCount + discardedCount; round++) {
    const nowMs = Date.now() + round * minuteMs;
    const bodies = Array.from({ length: nodeCount }, (_, index) =>
      Buffer.from(summaries.body(index, state.podsOn(index), nowMs)),
    );
    const texts = bodies.map((body) => body.toString('latin1'));
    const ingestMs = await cpuMsOf(async () => {
      for (const [index, body] of bodies.entries()) await pipeline.ingest(index, body);
    });
    const parseMs = await cpuMsOf(() => {
      for (const text of texts) JSON.parse(text);
    });
    if (round >= discardedCount) rounds.push({ ingestMs: ingestMs / nodeCount, parseMs: parseMs / nodeCount });
  }
  return { rounds };
}

function usedBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Bytes of the heap for a pod, as what the store keeps and as the whole object. */
async function kept({ podsPerNode }: LibraryRequest & { do: 'kept' }): Promise<Kept> {
  const state = new ClusterState({ nodeCount: 4 * nodeCount, podsPerNode }, Date.now());
  const podCount = state.pods.length;
  const emptyBytes = usedBytes();
  const { store, shared } = await keptPods(state);
  const storeBytes = usedBytes() - emptyBytes;
  const full = state.pods.map((_, index) => JSON.parse(podText(state, index)) as object);
  const fullBytes = usedBytes() - emptyBytes - storeBytes;
  if (full.length !== podCount || Array.from(store.values()).length !== podCount) throw new Error('pods are missing');
  shared.dedupe({}); // not collected before here
  shared.intern('');
  return { storedBytes: storeBytes / podCount, fullBytes: fullBytes / podCount };
}

process.on('message', (request: LibraryRequest) => {
  const answered = request.do === 'ingest' ? ingest(request) : kept(request);
  answered.then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => {
  process.exit(0);
});
