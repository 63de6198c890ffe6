import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { Node, Pod } from '../../src/cluster/kube/objects.js';
import type { PodIdentity } from '../../src/cluster/kube/pod-identity.js';
import { parseSelector } from '../../src/cluster/kube/selector-parser.js';
import type { KubeletConfiguration } from '../../src/cluster/kubelet/kubelet-configuration.js';
import type { CacheLookup, FoundLookup } from '../../src/cluster/kubelet/lookup.js';
import type { NodeSummary, PodSummary } from '../../src/cluster/kubelet/summary.js';
import { EvictionLog } from '../../src/facts/history/eviction-log.js';
import { NodeFaults } from '../../src/facts/node/node-faults.js';
import type { NodeMemory } from '../../src/facts/node/node-memory.js';
import type { PodLister } from '../../src/facts/node/node-snapshot.js';
import { NodeTrackers } from '../../src/facts/node/node-trackers.js';
import type { NodeView } from '../../src/facts/node/node-view.js';
import { Collector } from '../../src/facts/scrape/collector.js';
import type { OnView, SummaryCache } from '../../src/facts/scrape/node-lookups.js';
import { allObjects, type ClusterSnapshot } from '../../src/facts/scrape/snapshot.js';
import { contradictsStore } from '../../src/facts/scrape/snapshot-counts.js';
import { WorkloadBackoff } from '../../src/facts/workload/workload-backoff.js';
import { WorkloadCollector } from '../../src/facts/workload/workload-collector.js';
import { WorkloadResolver } from '../../src/facts/workload/workload-resolver.js';
import type { Lane } from '../../src/lib/base/lane.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import {
  aContainer,
  aContainerSummary,
  anFsStats,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aThreshold,
} from '../support/builders.js';
import { isLetGo } from '../support/heap.js';
import { ManualClock } from '../support/manual-clock.js';
import { trackerOptions } from '../support/tracker-options.js';

const graceMs = 60_000;

/** What the API server and the kubelets say, as plain data. */
class FakeCluster implements PodLister, SummaryCache {
  readonly clock = new ManualClock();
  hasSynced = true;
  readonly #pods = new Map<string, readonly Pod[]>();
  readonly #nodes: Node[] = [];
  readonly #lookups = new Map<string, CacheLookup>();
  readonly #held = new Map<string, Promise<void>>();
  readonly deletedUids = new Set<string>();
  readonly asked: string[] = [];
  /** Of the last wait for each node. */
  readonly signals = new Map<string, AbortSignal>();
  retained: ReadonlySet<string> = new Set();
  near: ReadonlySet<string> = new Set();
  unlisted: readonly string[] = [];

  nodes(): Iterable<Node> {
    return this.#nodes;
  }

  nodeNamed(name: string): Node {
    const node = this.#nodes.find((each) => each.name === name);
    if (node === undefined) throw new Error(`no node ${name}`);
    return node;
  }

  addNode(name: string, pods: readonly Pod[], labels: Record<string, string> = {}): void {
    this.#nodes.push(aNode({ name, labels }));
    this.setPods(name, pods);
  }

  changeNode(name: string, changes: Partial<Node>): void {
    const index = this.#nodes.findIndex((node) => node.name === name);
    this.#nodes[index] = aNode({ name, ...changes });
  }

  removeNode(name: string): void {
    this.#nodes.splice(
      this.#nodes.findIndex((node) => node.name === name),
      1,
    );
  }

  setPods(nodeName: string, pods: readonly Pod[]): void {
    this.#pods.set(nodeName, pods);
  }

  answer(nodeName: string, summary: Partial<NodeSummary>): void {
    this.setLookup(nodeName, {
      state: 'fresh',
      summary: aNodeSummary({ nodeName, ...summary }),
      arrivedAtMs: 0,
      fetchedAtMs: 0,
      configuration: undefined,
    });
  }

  /** From then on, with the same summary. */
  setConfiguration(nodeName: string, configuration: KubeletConfiguration | undefined): void {
    const lookup = this.#lookups.get(nodeName);
    if (lookup === undefined || lookup.state === 'absent') throw new Error('no summary');
    this.#lookups.set(nodeName, { ...lookup, configuration });
  }

  goStale(nodeName: string): void {
    const lookup = this.#lookups.get(nodeName);
    if (lookup?.state === 'fresh') this.#lookups.set(nodeName, { ...lookup, state: 'stale' });
  }

  setLookup(nodeName: string, lookup: CacheLookup): void {
    this.#lookups.set(nodeName, lookup);
  }

  /** The nodes answer from the returned call on. */
  hold(...nodeNames: readonly string[]): () => void {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    for (const name of nodeNames) this.#held.set(name, released);
    return release;
  }

  silence(...nodeNames: readonly string[]): void {
    for (const name of nodeNames) this.setLookup(name, { state: 'absent', reason: 'timeout' });
  }

  podsOn(nodeName: string): readonly Pod[] {
    return this.#pods.get(nodeName) ?? [];
  }

  unlistedNamespaces(): readonly string[] {
    return this.unlisted;
  }

  boundNodeNames(): Iterable<string> {
    return Array.from(this.#pods).flatMap(([name, pods]) => (pods.length === 0 ? [] : [name]));
  }

  findPod(namespace: string, name: string): Pod | undefined {
    return [...this.#pods.values()].flat().find((pod) => pod.namespace === namespace && pod.name === name);
  }

  isDeleted({ uid }: PodIdentity): boolean {
    return this.deletedUids.has(uid);
  }

  getFresh({ name }: Node): FoundLookup | undefined {
    const lookup = this.#held.has(name) ? undefined : this.#lookupOf(name);
    return lookup?.state === 'fresh' ? lookup : undefined;
  }

  async get(node: Node, signal: AbortSignal): Promise<CacheLookup> {
    this.asked.push(node.name);
    this.signals.set(node.name, signal);
    await this.#held.get(node.name);
    return this.#lookupOf(node.name) ?? { state: 'absent', reason: 'timeout' };
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }

  lastFailure(): undefined {
    return undefined;
  }

  inFlightMs(): number {
    return 0;
  }

  lastDurationMs(): undefined {
    return undefined;
  }

  growth(): ReadonlyMap<PodSummary, number> {
    return new Map();
  }

  retain(nodeNames: ReadonlySet<string>): void {
    this.retained = nodeNames;
  }

  /** As if the summary had just arrived. */
  #lookupOf(name: string): CacheLookup | undefined {
    const lookup = this.#lookups.get(name);
    if (lookup === undefined || lookup.state === 'absent') return lookup;
    return { ...lookup, arrivedAtMs: this.clock.monotonicMs() };
  }
}

interface Settings {
  readonly selectors?: Readonly<Record<string, string>>;
  readonly labels?: readonly string[];
  readonly controllers?: boolean;
  /** Of the settings that these replace. */
  readonly memories?: Map<string, NodeMemory>;
  /** Called once the views of all nodes are derived, before they become those of one moment. */
  readonly onDerived?: (resolver: WorkloadResolver) => void;
}

/** See {@link Settings.onDerived}. */
function watched(lane: Lane, onDerived: () => void): Lane {
  return {
    isHeld: false,
    run: (task) => lane.run(task),
    each: async (items, task) => {
      const all = [...items];
      await lane.each(all, task);
      if (all.some((item) => typeof item === 'object' && item !== null && 'lookup' in item)) onDerived();
    },
  };
}

function aCollector(cluster: FakeCluster, settings: Settings = {}) {
  const { selectors = {}, labels = [], controllers, memories = new Map<string, NodeMemory>(), onDerived } = settings;
  const { clock } = cluster;
  const logged: unknown[] = [];
  const faults = new NodeFaults({ error: (...line) => void logged.push(line) });
  const resolver = new WorkloadResolver({
    selectors: Object.entries(selectors).map(([name, selector]) => ({
      name,
      selector: parseSelector(selector),
      namespaces: [],
    })),
    labels,
    controllers: controllers ?? false,
  });
  const showsAllPods = Object.keys(selectors).length === 0 && controllers !== true;
  const trackers = new NodeTrackers(trackerOptions({ pods: cluster, resolver, showsAllPods, clock, faults, memories }));
  const scheduler = new Scheduler(clock);
  const collector = new Collector({
    nodes: cluster,
    policy: { nodeSelector: [], skipSelectors: [parseSelector('type=virtual-kubelet')] },
    cache: cluster,
    trackers,
    resolver,
    evictions: new EvictionLog({ retentionMs: 3_600_000, maxRecords: 10 }, clock),
    showsAllPods,
    ttlMs: 55_000,
    workloads: new WorkloadCollector({
      configured: resolver.configured,
      backoff: new WorkloadBackoff({ clock, maxBackoffMs: 300_000 }),
      pods: cluster,
      resolver,
      lane: scheduler.newLane(),
    }),
    onNearNodes: (nodeNames) => {
      cluster.near = nodeNames;
    },
    lane:
      onDerived === undefined
        ? scheduler.newLane()
        : watched(scheduler.newLane(), () => {
            onDerived(resolver);
          }),
    requests: scheduler.requests,
    clock,
  });
  const collect = async (): Promise<ClusterSnapshot> => {
    const snapshot = await collector.collect(new AbortController().signal);
    if (snapshot === undefined) throw new Error('nothing collected');
    return snapshot;
  };
  const arrive = async (nodeName: string, onView: OnView = () => undefined): Promise<void> => {
    const node = cluster.nodeNamed(nodeName);
    const lookup = cluster.getFresh(node);
    if (lookup === undefined) throw new Error('no data');
    await collector.arrived(node, lookup, onView);
  };
  return { collector, collect, arrive, clock, resolver, trackers, memories, faults, logged };
}

const workloadOf = (snapshot: ClusterSnapshot, name: string) =>
  snapshot.workloads.find(({ workload }) => workload.name === name);

const snapshotOf = (snapshot: ClusterSnapshot, nodeName: string) => {
  const state = snapshot.nodes.find((node) => node.nodeName === nodeName);
  return state === undefined || state.state === 'absent' ? undefined : state.snapshot;
};

const cart = (name: string, nodeName: string): Pod => aPod({ name, nodeName, labels: { app: 'cart' } });

function twoNodes(): FakeCluster {
  const cluster = new FakeCluster();
  cluster.addNode('node-1', [cart('cart-0', 'node-1')]);
  cluster.addNode('node-2', [cart('cart-1', 'node-2')]);
  cluster.answer('node-1', { pods: [aPodSummary({ name: 'cart-0', usedBytes: 100 })] });
  cluster.answer('node-2', { pods: [aPodSummary({ name: 'cart-1', usedBytes: 30 })] });
  return cluster;
}

describe('Collector: one scrape', () => {
  it('each node is passed on as soon as it has responded, and before that as the API server knows it', async () => {
    const cluster = twoNodes();
    const release = cluster.hold('node-2');
    const { collector } = aCollector(cluster);
    const passed: string[] = [];
    const onView = (view: NodeView): void => {
      passed.push(`${view.nodeName} with ${view.state === 'absent' ? 0 : view.snapshot.pods.length} pod`);
    };
    const collecting = collector.collect(new AbortController().signal, { onView });
    await expect.poll(() => passed).toEqual(['node-1 with 1 pod', 'node-2 with 0 pod']);
    release();
    await collecting;
    expect(passed).toEqual(['node-1 with 1 pod', 'node-2 with 0 pod', 'node-2 with 1 pod']);
  });

  it.each(['derived already', 'not derived yet'])(
    'a node is waited for as long while the others are fresh and %s',
    async (others) => {
      const cluster = twoNodes();
      const { collect, clock } = aCollector(cluster);
      if (others === 'derived already') await collect();
      const release = cluster.hold('node-2');
      const collecting = collect();
      await clock.advance(5_000);
      expect(cluster.signals.get('node-2')?.aborted).toBe(false);
      release();
      await collecting;
    },
  );

  it('a node that was prepared is not derived again, unless its pods have changed since', async () => {
    const cluster = twoNodes();
    const { collector, arrive } = aCollector(cluster);
    const passed: string[] = [];
    const onView = ({ nodeName }: NodeView): void => void passed.push(nodeName);
    for (const name of ['node-1', 'node-2']) await arrive(name, onView);
    expect(passed.splice(0)).toEqual(['node-1', 'node-2']);
    cluster.setPods('node-2', []);
    const snapshot = await collector.collect(new AbortController().signal, { onView });
    expect(passed).toEqual(['node-2']);
    expect(snapshot && snapshotOf(snapshot, 'node-1')?.pods[0]?.summary.usedBytes).toBe(100);
  });

  it('nothing is collected before nodes and pods were listed', async () => {
    const cluster = twoNodes();
    cluster.hasSynced = false;
    const { collector } = aCollector(cluster);
    expect(await collector.collect(new AbortController().signal)).toBeUndefined();
    expect(cluster.asked).toEqual([]);
  });

  it('limits and requests are summed over all expected pods, also while a kubelet is silent', async () => {
    const declared = [aContainer({ limitBytes: 500, requestBytes: 20 })];
    const cluster = twoNodes();
    cluster.setPods('node-1', [{ ...cart('cart-0', 'node-1'), containers: declared }]);
    cluster.setPods('node-2', [{ ...cart('cart-1', 'node-2'), containers: declared }]);
    const { collect } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
    const sums = { limitBytes: 1000, requestBytes: 40, expectedPods: 2 };
    expect(workloadOf(await collect(), 'cart')).toMatchObject({ ...sums, usage: { usedBytes: 130 } });
    cluster.silence('node-2');
    expect(workloadOf(await collect(), 'cart')).toMatchObject({ ...sums, usage: { usedBytes: 100 } });
    cluster.silence('node-1');
    expect(workloadOf(await collect(), 'cart')).toMatchObject({ ...sums, usage: undefined, backoffMs: 1000 });
  });

  it('a workload backs off when none of its expected pods was measured, until one is', async () => {
    const cluster = twoNodes();
    cluster.answer('node-1', { pods: [] });
    cluster.answer('node-2', { pods: [] });
    const { collect, clock } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
    expect(workloadOf(await collect(), 'cart')).toMatchObject({ usage: undefined, backoffMs: 1000 });
    await clock.advance(400);
    expect(workloadOf(await collect(), 'cart')).toMatchObject({ usage: undefined, backoffMs: 600, measuredPods: 0 });
    cluster.answer('node-1', { pods: [aPodSummary({ name: 'cart-0', usedBytes: 7 })] });
    expect(workloadOf(await collect(), 'cart')).toMatchObject({ usage: { usedBytes: 7 }, backoffMs: 0 });
  });

  it('no workload backs off because a scrape was cut short', async () => {
    const cluster = twoNodes();
    cluster.silence('node-1');
    cluster.setLookup('node-2', { state: 'absent', reason: 'never' });
    const { collector, collect } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
    const cut = await collector.collect(AbortSignal.abort(new Error('time is up')));
    expect(cut?.workloads).toMatchObject([{ usage: undefined, backoffMs: 0, measuredPods: 0 }]);
    expect(workloadOf(await collect(), 'cart')).toMatchObject({ usage: undefined, backoffMs: 1000 });
  });

  it('a configured workload without pods is an empty, complete sum', async () => {
    const { collect } = aCollector(twoNodes(), { selectors: { none: 'app=nothing' } });
    expect(workloadOf(await collect(), 'none')).toMatchObject({
      expectedPods: 0,
      complete: true,
      usage: { usedBytes: 0, podMaxUsedBytes: undefined },
    });
  });

  it('nodes that serve no summaries are skipped: nothing is asked or expected of them', async () => {
    const cluster = twoNodes();
    cluster.addNode('virtual', [cart('cart-9', 'virtual')], { type: 'virtual-kubelet' });
    const { collect } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
    const snapshot = await collect();
    expect(snapshot.nodes.at(-1)).toMatchObject({
      state: 'absent',
      nodeName: 'virtual',
      reason: 'skipped',
      expectedPods: 0,
      measuredPods: 0,
    });
    expect(workloadOf(snapshot, 'cart')).toMatchObject({ expectedPods: 2, complete: true });
    expect(cluster.asked).not.toContain('virtual');
    expect([...cluster.retained]).toEqual(['node-1', 'node-2']);
  });
});

describe('Collector: what changes once all nodes are derived, in the same scrape', () => {
  const selectors = { cart: 'app=cart' };

  it('a pod that moves counts where it is', async () => {
    const cluster = twoNodes();
    const moved = aPod({ name: 'cart-0', uid: 'uid-2', nodeName: 'node-2', labels: { app: 'cart' } });
    const onDerived = (): void => {
      cluster.setPods('node-1', []);
      cluster.setPods('node-2', [moved]);
    };
    const { collect } = aCollector(cluster, { selectors, onDerived });
    const snapshot = await collect();
    expect(snapshot.nodes.map(({ expectedPods }) => expectedPods)).toEqual([0, 1]);
  });

  it('a pod that is deleted on a node whose other pods are unknown has no series', async () => {
    const cluster = twoNodes();
    cluster.setPods('node-1', []);
    cluster.setPods('node-2', []);
    const { collect } = aCollector(cluster, { onDerived: () => void cluster.deletedUids.add('uid-shop-cart-0') });
    expect(snapshotOf(await collect(), 'node-1')?.pods).toHaveLength(0);
  });

  it('pods are assigned again once names of workloads have become free', async () => {
    const cluster = twoNodes();
    const web = { name: 'web-0', uid: 'uid-web' };
    cluster.setPods('node-2', [aPod({ ...web, nodeName: 'node-2', labels: { app: 'web' } })]);
    cluster.answer('node-2', { pods: [aPodSummary(web)] });
    const { collect, resolver } = aCollector(cluster, {
      selectors: { cart: 'app=none' }, // the tuple of the same name clashes with it
      labels: ['app'],
      onDerived: (all) => {
        all.retain(new Set(), all.discoveredCount);
      },
    });
    await collect();
    expect(resolver.discoveredCount).toBe(2);
  });
});

describe('Collector: a node of which an exception comes', () => {
  const faulty = (): PodSummary => ({
    ...aPodSummary({ name: 'cart-0' }),
    get usedBytes(): number {
      throw new Error('an unforeseen value');
    },
  });
  const onView = (): void => undefined;

  it.each([
    ['for readers', {}, faulty()],
    ['for scrapes', { onView }, faulty()],
  ])('a node of which an exception comes is absent, and no other, %s', async (_case, options, pod) => {
    const cluster = twoNodes();
    cluster.answer('node-1', { pods: [pod] });
    const { collector } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
    const snapshot = await collector.collect(new AbortController().signal, options);
    expect(snapshot?.nodes).toMatchObject([{ state: 'absent', reason: 'internal_error' }, { state: 'fresh' }]);
    expect(snapshot?.nodes.map(({ objects }) => objects?.pods.length)).toEqual([1, 1]);
    const partial = { expectedPods: 2, measuredPods: 1, complete: false, usage: { usedBytes: 30 } };
    expect(snapshot && workloadOf(snapshot, 'cart')).toMatchObject(partial);
  });

  it.each(['snapshot', 'objects'] as const)(
    'a node is absent when an exception comes while text of its %s is made',
    async (source) => {
      const { collector, faults } = aCollector(twoNodes(), { selectors: { cart: 'app=cart' } });
      const snapshot = await collector.collect(new AbortController().signal, {
        onView: (view) => {
          if (view.nodeName !== 'node-1' || view.state === 'absent') return;
          faults.add('node-1', new Error('an unforeseen value'), view[source]);
        },
      });
      expect(snapshot?.nodes).toMatchObject([{ state: 'absent', reason: 'internal_error' }, { state: 'fresh' }]);
      expect(snapshot && workloadOf(snapshot, 'cart')).toMatchObject({ measuredPods: 1, complete: false });
    },
  );

  it('an exception of a node is in the log once, and the node is whole with the next summary', async () => {
    const cluster = twoNodes();
    cluster.answer('node-1', { pods: [faulty()] });
    const { arrive, collect, logged } = aCollector(cluster);
    await arrive('node-1');
    await collect();
    await collect();
    expect(logged).toEqual([[expect.stringContaining('absent'), { node: 'node-1', error: 'an unforeseen value' }]]);
    cluster.answer('node-1', { pods: [aPodSummary({ name: 'cart-0', usedBytes: 100 })] });
    expect((await collect()).nodes.map(({ state }) => state)).toEqual(['fresh', 'fresh']);
  });

  it('an exception of what is done with a node ends the scrape and not the process', async () => {
    const cluster = twoNodes();
    const respond = cluster.hold('node-2');
    const { collector } = aCollector(cluster);
    const passed: string[] = [];
    const collecting = collector.collect(new AbortController().signal, {
      onView: ({ nodeName, state }) => {
        passed.push(nodeName);
        if (state !== 'absent') throw new Error('the client is gone');
      },
    });
    const ended = expect(collecting).rejects.toThrow('the client is gone');
    await expect.poll(() => passed).toEqual(['node-1', 'node-2']);
    respond();
    await ended;
  });
});

describe('Collector: a node whose turn has not come when the deadline does', () => {
  const noChange: (cluster: FakeCluster) => void = () => undefined;
  const withoutData: typeof noChange = (cluster) => {
    for (const name of ['node-1', 'node-2']) cluster.setLookup(name, { state: 'absent', reason: 'never' });
  };

  const anotherMachine: typeof noChange = (cluster) => {
    cluster.changeNode('node-1', { uid: 'another machine' });
  };

  /** Scrapes of two nodes with new summaries; the deadline comes while the text of the first one is made. */
  async function aLateScrape({ passMs = 0, prepare = noChange, meanwhile = noChange } = {}) {
    const cluster = twoNodes();
    const { collector, collect, clock } = aCollector(cluster);
    prepare(cluster);
    const before = await collect();
    await clock.advance(passMs);
    meanwhile(cluster);
    cluster.answer('node-1', { pods: [aPodSummary({ name: 'cart-0', usedBytes: 111 })] });
    cluster.answer('node-2', { pods: [aPodSummary({ name: 'cart-1', usedBytes: 33 })] });
    const deadline = new AbortController();
    const passed: string[] = [];
    const after = await collector.collect(deadline.signal, {
      onView: ({ nodeName }) => {
        passed.push(nodeName);
        deadline.abort();
      },
    });
    if (after === undefined) throw new Error('nothing collected');
    return { passed, before, after, collect };
  }

  it('a node that is too late is served as it was before, with the age of that summary', async () => {
    const { passed, before, after } = await aLateScrape({ passMs: 56_000 });
    expect(passed).toEqual(['node-2']);
    expect(after.nodes).toMatchObject([
      { state: 'stale', ageMs: 56_000 },
      { state: 'fresh', ageMs: 0 },
    ]);
    expect(snapshotOf(after, 'node-1')).toBe(snapshotOf(before, 'node-1'));
    expect(snapshotOf(after, 'node-2')?.pods[0]?.summary.usedBytes).toBe(33);
  });

  it.each([
    ['that summary is two TTLs old', { passMs: 110_000 }],
    ['no scrape had it', { prepare: withoutData }],
    ['it is another machine with its name', { passMs: 56_000, meanwhile: anotherMachine }],
  ])('a node that is too late has no data when %s', async (_case, options) => {
    const { after } = await aLateScrape(options);
    expect(after.nodes).toMatchObject([{ state: 'absent', reason: 'timeout' }, { state: 'fresh' }]);
  });

  it('a node with data is not passed on without it while its kubelet is silent', async () => {
    const cluster = twoNodes();
    const { collector, collect } = aCollector(cluster);
    await collect();
    const release = cluster.hold('node-1', 'node-2');
    const passed: string[] = [];
    const onView = ({ nodeName, state }: NodeView): void => void passed.push(`${nodeName} ${state}`);
    const collecting = collector.collect(new AbortController().signal, { onView });
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    release();
    await collecting;
    expect(passed.sort()).toEqual(['node-1 fresh', 'node-2 fresh']);
  });

  it('a node without data is not derived after the deadline', async () => {
    const cluster = twoNodes();
    const release = cluster.hold('node-1', 'node-2');
    const passed: string[] = [];
    const { collector } = aCollector(cluster);
    const collecting = collector.collect(AbortSignal.abort(), { onView: ({ nodeName }) => void passed.push(nodeName) });
    await expect.poll(() => cluster.asked).toHaveLength(2);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    release();
    await collecting;
    expect(passed).toEqual([]);
  });
});

describe('Collector: what is kept between scrapes', () => {
  it('the former data of a node is let go as soon as the new data is derived', async () => {
    const cluster = twoNodes();
    const { arrive, collect } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
    const formerOf = async () => {
      const former = snapshotOf(await collect(), 'node-1');
      if (former === undefined) throw new Error('no data');
      return [former, former.summary].map((object) => new WeakRef<object>(object));
    };
    const former = await formerOf();
    cluster.answer('node-1', { pods: [aPodSummary({ name: 'cart-0', usedBytes: 111 })] });
    await arrive('node-1');
    expect(await isLetGo(...former)).toBe(true);
  });

  it('the list of workloads is new when the pods of a namespace have become known, also without any', async () => {
    const cluster = twoNodes();
    cluster.unlisted = ['media'];
    const { collect } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
    expect(workloadOf(await collect(), 'cart')).toMatchObject({ complete: false, mayHaveUnlistedPods: true });
    cluster.unlisted = [];
    expect(workloadOf(await collect(), 'cart')).toMatchObject({ complete: true, mayHaveUnlistedPods: false });
  });

  it('an unknown pod is dropped as soon as the API server names it on another node', async () => {
    const cluster = twoNodes();
    cluster.setPods('node-1', []);
    const { collect } = aCollector(cluster);
    expect(snapshotOf(await collect(), 'node-1')?.pods).toHaveLength(1);
    cluster.setPods('node-2', [cart('cart-0', 'node-2'), cart('cart-1', 'node-2')]);
    expect(snapshotOf(await collect(), 'node-1')?.pods).toHaveLength(0);
  });
});

it.each([
  {
    what: 'is never scraped any longer',
    change: (cluster: FakeCluster) => {
      cluster.changeNode('node-1', { labels: { type: 'virtual-kubelet' } });
    },
  },
  {
    what: 'has left the cluster before its pods',
    change: (cluster: FakeCluster) => {
      cluster.removeNode('node-1');
    },
  },
])('no summary is kept of a node that $what', async ({ change }) => {
  const cluster = twoNodes();
  const { collect, trackers } = aCollector(cluster);
  await collect();
  expect(trackers.of({ name: 'node-1' }).snapshot).toBeDefined();
  change(cluster);
  await collect();
  expect(trackers.of({ name: 'node-1' }).snapshot).toBeUndefined();
});

it('the memory of a node that is gone with its pods is forgotten', async () => {
  const cluster = twoNodes();
  const { collect, memories } = aCollector(cluster);
  await collect();
  cluster.removeNode('node-1');
  cluster.setPods('node-1', []);
  await collect();
  expect([...memories.keys()]).toEqual(['node-2']);
});

const disk = (capacityBytes: number) => anFsStats({ capacityBytes, availableBytes: 5, inodes: 9 });
const container = aContainerSummary({ rootfsBytes: 90, logsBytes: 20 });
const answer = (cluster: FakeCluster, imageDiskBytes: number, kubeletStartedAtMs: number): void => {
  const pods = [aPodSummary({ usedBytes: 110, containers: [container] })];
  cluster.answer('node-1', { nodefs: disk(100), imagefs: disk(imageDiskBytes), kubeletStartedAtMs, pods });
};
const containerRatio = (snapshot: ClusterSnapshot) => {
  const node = snapshotOf(snapshot, 'node-1');
  const ratios = node?.pods.flatMap((pod) => node.context.ratiosOf(pod));
  return ratios?.find(({ rule }) => rule === 'container')?.ratio;
};

it('the layout of the disks of a node is what its kubelet saw at its start, also with new settings', async () => {
  const cluster = new FakeCluster();
  cluster.addNode('node-1', [aPod({ containers: [aContainer({ limitBytes: 100 })] })]);
  answer(cluster, 200, 1); // images and writable layers on a disk of their own: logs alone count
  const before = aCollector(cluster);
  expect(containerRatio(await before.collect())).toBe(0.2);
  answer(cluster, 100, 1);
  expect(containerRatio(await before.collect())).toBe(0.2);
  const reloaded = aCollector(cluster, { memories: before.memories });
  // An eviction right after the reload finds it too, before any scrape.
  expect(reloaded.trackers.layout('node-1')).toMatchObject({ hasDedicatedImagefs: true });
  expect(containerRatio(await reloaded.collect())).toBe(0.2);
  answer(cluster, 100, 2);
  expect(containerRatio(await reloaded.collect())).toBe(1.1);
});

describe('Collector: workloads that are discovered from labels', () => {
  /** A Job whose pod on node-1 has ended: no summary lists it. */
  const ended = aPod({
    ...{ name: 'job-1', nodeName: 'node-1', phase: 'Succeeded', runningSinceMs: undefined },
    labels: { app: 'job--1', part: 'a' },
  });
  /** Its labels ask for the name of the workload of the ended pod. */
  const clashing = aPod({ name: 'cart-1', nodeName: 'node-2', labels: { app: 'job', part: '1--a' } });

  it.each([
    ['a pod with labels of its own has ended', cart('cart-1', 'node-2'), 0],
    ['a pod asks for the name of the workload of one that has ended', clashing, 1],
    ['pods that have ended ask for one name', { ...clashing, phase: 'Failed', runningSinceMs: undefined }, 1],
  ])('what was derived is kept when %s', async (_case, other, clashCount) => {
    const cluster = twoNodes();
    cluster.setPods('node-1', [cart('cart-0', 'node-1'), ended]);
    cluster.setPods('node-2', [other]);
    const { collect, resolver } = aCollector(cluster, { labels: ['app', 'part'] });
    await collect();
    const [before, { generation }] = [await collect(), resolver];
    const after = await collect();
    expect([resolver.generation, resolver.clashCount]).toEqual([generation, clashCount]);
    expect(snapshotOf(after, 'node-1')).toBe(snapshotOf(before, 'node-1'));
    expect(snapshotOf(after, 'node-2')).toBe(snapshotOf(before, 'node-2'));
  });

  it('what was derived of other nodes is kept when the last pod of one of them is deleted', async () => {
    const cluster = twoNodes();
    cluster.setPods('node-1', [cart('cart-0', 'node-1'), aPod({ name: 'last', labels: { app: 'last' } })]);
    const { collect } = aCollector(cluster, { labels: ['app'] });
    await collect();
    cluster.setPods('node-1', [cart('cart-0', 'node-1')]);
    const before = await collect();
    const after = await collect();
    expect(snapshotOf(after, 'node-2')).toBe(snapshotOf(before, 'node-2'));
    expect(after.workloads).toBe(before.workloads);
  });

  it('a name stays with its tuple while there is a pod of it, and then goes to the other one', async () => {
    const cluster = twoNodes();
    const running = aPod({ name: 'job-1', nodeName: 'node-1', labels: ended.labels });
    cluster.setPods('node-1', [running]);
    cluster.setPods('node-2', [clashing]);
    const { collect } = aCollector(cluster, { labels: ['app', 'part'] });
    const holder = async () => workloadOf(await collect(), 'job--1--a')?.workload.origin;
    await collect();
    expect(await holder()).toMatchObject({ labels: running.labels });
    cluster.setPods('node-1', [ended]);
    cluster.answer('node-1', { pods: [] });
    await collect();
    cluster.setPods('node-1', []);
    await collect();
    expect(await holder()).toMatchObject({ labels: clashing.labels });
    expect(await holder()).toMatchObject({ labels: clashing.labels });
  });
});

it('a node without data is not near an eviction, whatever it had before', async () => {
  const cluster = twoNodes();
  cluster.setPods('node-1', [
    aPod({ name: 'cart-0', nodeName: 'node-1', containers: [aContainer({ limitBytes: 100 })] }),
  ]);
  const { collect } = aCollector(cluster);
  await collect();
  expect([...cluster.near]).toEqual(['node-1']);
  cluster.silence('node-1');
  await collect();
  expect([...cluster.near]).toEqual([]);
});

it('the last of two overlapping collections decides which nodes may soon evict a pod', async () => {
  const cluster = twoNodes();
  const nearLimit = aPod({ name: 'cart-0', nodeName: 'node-1', containers: [aContainer({ limitBytes: 100 })] });
  cluster.setPods('node-1', [nearLimit]);
  const { collect } = aCollector(cluster);
  await collect();
  expect([...cluster.near]).toEqual(['node-1']);
  const release = cluster.hold('node-2');
  cluster.asked.length = 0;
  const first = collect();
  await expect.poll(() => cluster.asked).toContain('node-2');
  cluster.answer('node-1', { pods: [aPodSummary({ name: 'cart-0', usedBytes: 10 })] });
  cluster.hold('node-2')();
  await collect();
  expect([...cluster.near]).toEqual([]);
  release();
  await first;
  expect([...cluster.near]).toEqual([]);
});

it('a workload without pods is forgotten although a scrape always runs', async () => {
  const cluster = twoNodes();
  const { collect, resolver } = aCollector(cluster, { controllers: true });
  /** With what ends it. */
  const begin = async (): Promise<() => Promise<unknown>> => {
    const respond = cluster.hold('node-2');
    const collecting = collect();
    await expect.poll(() => cluster.asked.splice(0)).toContain('node-2');
    return async () => {
      respond();
      return collecting;
    };
  };
  let endLast = await begin();
  const overlap = async (): Promise<void> => {
    const endFormer = endLast;
    endLast = await begin();
    await endFormer();
  };
  await overlap();
  const pod = cart('cart-0', 'node-1');
  const [before] = resolver.workloadsOf(pod);
  await overlap();
  expect(resolver.workloadsOf(pod)[0]).toBe(before);
  cluster.setPods('node-1', []);
  await overlap();
  await overlap();
  expect(resolver.workloadsOf(pod)[0]).not.toBe(before);
  await endLast();
});

it.each([{ controllers: true }, { labels: ['app'] }])(
  'a workload that another scrape found while this one ran is not forgotten, with %j',
  async (settings) => {
    const cluster = twoNodes();
    const { collect, resolver } = aCollector(cluster, settings);
    const release = cluster.hold('node-2');
    const first = collect();
    const pod = aPod({ name: 'new-0', nodeName: 'node-3', labels: { app: 'new' } });
    cluster.addNode('node-3', [pod]);
    cluster.answer('node-3', { pods: [aPodSummary({ name: 'new-0' })] });
    const second = collect();
    await expect.poll(() => resolver.discoveredCount).toBe(2); // of node-1 and node-3
    const [found] = resolver.workloadsOf(pod);
    release();
    await first;
    expect(resolver.workloadsOf(pod)[0]).toBe(found);
    expect((await second).workloads.map(({ workload }) => workload)).toContain(found);
  },
);

it('the evictions of a workload are counted once while some of its pods are too young to be measured', async () => {
  const cluster = twoNodes();
  const { collect, clock } = aCollector(cluster, { labels: ['app'] });
  const young = { ...cart('cart-9', 'node-2'), runningSinceMs: clock.nowMs() };
  cluster.setPods('node-1', [cart('cart-0', 'node-1')]);
  cluster.setPods('node-2', [young, { ...young, name: 'other-0', labels: { app: 'other' } }]);
  const { workloads, evictions } = await collect();
  expect(workloads.map(({ workload }) => workload.name)).toEqual(['cart']);
  expect(evictions.workloads.map(({ of }) => of.name)).toEqual(['cart', 'other']);
});

it('configurations that change or are forgotten change the thresholds with the same summary', async () => {
  const configuration = (amount: number): KubeletConfiguration => ({
    thresholds: [aThreshold({ value: { amount } })],
    images: undefined,
    logRotation: { maxFileBytes: amount, maxFileCount: 5 },
  });
  const cluster = twoNodes();
  cluster.answer('node-1', { nodefs: anFsStats({ availableBytes: 100 }) });
  const { collect } = aCollector(cluster);
  cluster.setConfiguration('node-1', configuration(70));
  await collect();
  cluster.setConfiguration('node-1', configuration(120));
  expect(snapshotOf(await collect(), 'node-1')?.thresholds[0]).toMatchObject({ headroom: -20, isAssumed: false });
  cluster.setConfiguration('node-1', undefined);
  const forgotten = snapshotOf(await collect(), 'node-1');
  expect(forgotten?.thresholds.every(({ isAssumed }) => isAssumed)).toBe(true);
  expect(forgotten?.logRotation).toBeUndefined();
});

describe('Collector: pods on which kubelet and API server disagree', () => {
  const countsOf = (snapshot: ClusterSnapshot) =>
    snapshot.nodes.map((node) =>
      node.state === 'absent' ? 'absent' : `${node.missingPods} missing, ${node.danglingPods} dangling`,
    );
  const [none, oneMissing] = ['0 missing, 0 dangling', '1 missing, 0 dangling'];

  it('pods are missing when they run for longer than the grace period and the summary lacks them', async () => {
    const cluster = twoNodes();
    const { collect, clock } = aCollector(cluster);
    const young = aPod({ name: 'young', runningSinceMs: clock.nowMs() });
    cluster.setPods('node-1', [cart('cart-0', 'node-1'), young, aPod({ name: 'done', phase: 'Succeeded' })]);
    expect(countsOf(await collect())).toEqual([none, none]);
    await clock.advance(graceMs + 1);
    expect(countsOf(await collect())).toEqual([oneMissing, none]);
  });

  it('pods are not missing when the summary lists them without figures', async () => {
    const cluster = twoNodes();
    cluster.answer('node-1', { pods: [aPodSummary({ name: 'cart-0', usedBytes: undefined })] });
    expect(countsOf(await aCollector(cluster).collect())).toEqual([none, none]);
  });
});

it('pods with detail series are those that belong to a workload, once there is one', async () => {
  const cluster = twoNodes();
  cluster.setPods('node-2', [aPod({ name: 'cart-1', nodeName: 'node-2' })]);
  const { collect } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
  const snapshot = await collect();
  expect(snapshotOf(snapshot, 'node-1')?.pods).toHaveLength(1);
  expect(snapshotOf(snapshot, 'node-2')?.pods).toHaveLength(0);
});

it('pods without detail series are counted by reason', async () => {
  const cluster = new FakeCluster();
  cluster.addNode('node-1', [aPod({ name: 'silent' }), aPod({ name: 'bare', containers: [] })]);
  cluster.answer('node-1', {
    pods: [
      aPodSummary({ name: 'silent', usedBytes: undefined }),
      aPodSummary({ name: 'bare', containers: [] }),
      aPodSummary({ name: 'stranger' }),
    ],
  });
  const { collect } = aCollector(cluster);
  expect(Object.fromEntries(snapshotOf(await collect(), 'node-1')?.skippedPods ?? [])).toEqual({
    no_usage: 1,
    no_containers: 1,
    unknown_pod: 1,
  });
});

describe('Collector: what the API server knows', () => {
  const objectsOf = (snapshot: ClusterSnapshot, nodeName: string) =>
    allObjects(snapshot).find((objects) => objects.nodeName === nodeName);
  const podNames = (snapshot: ClusterSnapshot, nodeName: string) =>
    objectsOf(snapshot, nodeName)?.pods.map(({ pod }) => pod.name);

  it('the object of a pod that has ended is there as long as it has usage', async () => {
    const cluster = twoNodes();
    cluster.setPods('node-1', [{ ...cart('cart-0', 'node-1'), phase: 'Failed' }]);
    const { collect } = aCollector(cluster);
    expect(podNames(await collect(), 'node-1')).toEqual(['cart-0']);
    cluster.answer('node-1', { pods: [] });
    expect(podNames(await collect(), 'node-1')).toEqual([]);
  });

  it('the objects are those of pods with a workload alone, where workloads are configured', async () => {
    const cluster = twoNodes();
    cluster.setPods('node-2', [cart('cart-1', 'node-2'), aPod({ name: 'other', nodeName: 'node-2' })]);
    const { collect } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
    expect(podNames(await collect(), 'node-2')).toEqual(['cart-1']);
  });

  it('pods that have ended and have no usage are apart, in scope and with a workload', async () => {
    const cluster = twoNodes();
    const ended = (name: string, namespace = 'shop') => aPod({ name, namespace, phase: 'Succeeded' });
    cluster.setPods('node-1', [cart('cart-0', 'node-1'), ended('job'), ended('listed')]);
    cluster.answer('node-1', { pods: [aPodSummary({ name: 'listed', usedBytes: 200 })] });
    const objects = objectsOf(await aCollector(cluster).collect(), 'node-1');
    expect(objects?.pods.map(({ pod }) => pod.name)).toEqual(['cart-0', 'listed']);
    expect(objects?.formerPods.map(({ pod }) => pod.name)).toEqual(['job']);
  });

  it('the objects of a node that is never scraped are the node alone', async () => {
    const cluster = twoNodes();
    cluster.addNode('virtual', [aPod({ name: 'v', nodeName: 'virtual' })], { type: 'virtual-kubelet' });
    const { collect } = aCollector(cluster);
    const first = objectsOf(await collect(), 'virtual');
    expect(first).toMatchObject({ node: { name: 'virtual' }, pods: [], runningPodCount: undefined });
    expect(objectsOf(await collect(), 'virtual')).toBe(first);
  });
});

it('pods on a node that has left the cluster are expected and not measured as long as they run', async () => {
  const cluster = twoNodes();
  const { collect } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
  cluster.setPods('gone', [cart('cart-2', 'gone')]);
  const before = await collect();
  const missing = { expectedPods: 3, measuredPods: 2, podsOnAbsentNodes: 0, complete: false };
  expect(workloadOf(before, 'cart')).toMatchObject(missing);
  expect(allObjects(before).map(({ nodeName, node }) => [nodeName, node?.name])).toEqual([
    ['gone', undefined],
    ['node-1', 'node-1'],
    ['node-2', 'node-2'],
  ]);
  expect(before.nodes.map(({ nodeName }) => nodeName)).toEqual(['node-1', 'node-2']);
  cluster.setPods('gone', []);
  const after = await collect();
  expect(workloadOf(after, 'cart')).toMatchObject({ expectedPods: 2, measuredPods: 2, complete: true });
  expect(allObjects(after).map(({ nodeName }) => nodeName)).toEqual(['node-1', 'node-2']);
});

const starting = cart('cart-1', 'node-2');

const listed = (more: Partial<PodSummary> = {}) => [aPodSummary({ name: 'cart-1', usedBytes: 30, ...more })];
const pending = { phase: 'Pending' } as const;
const idle = { runningSinceMs: undefined };
const withoutContainers = listed({ containers: [] });

it.each<[string, Partial<Pod>, NodeSummary['pods'] | undefined, [measured: number, of: number, usedBytes: number]]>([
  ['an init container for an hour', pending, listed(), [2, 2, 130]],
  ['an init container for an hour, on a silent node', pending, undefined, [1, 2, 100]],
  ['an init container, and its kubelet does not list it', pending, [], [1, 2, 100]],
  ['nothing yet', { ...pending, ...idle }, [], [1, 1, 100]],
  ['nothing, and its kubelet lists its emptyDir without containers', idle, withoutContainers, [2, 2, 130]],
  ['nothing, pending, and its kubelet lists its emptyDir', { ...pending, ...idle }, withoutContainers, [2, 2, 130]],
  ['nothing more, and its kubelet still lists it', { ...idle, phase: 'Succeeded' }, listed(), [2, 2, 130]],
  ['a container, and its kubelet has no total of it', {}, listed({ usedBytes: undefined }), [1, 2, 100]],
])(
  'the bytes of a workload are those of counted pods, when one runs %s',
  async (_case, overrides, pods, [measuredPods, expectedPods, usedBytes]) => {
    const cluster = twoNodes();
    cluster.setPods('node-2', [{ ...starting, ...overrides }]);
    cluster.silence('node-2');
    if (pods !== undefined) cluster.answer('node-2', { pods });
    const { collect } = aCollector(cluster, { selectors: { cart: 'app=cart' } });
    const cartWorkload = workloadOf(await collect(), 'cart');
    const complete = expectedPods === measuredPods;
    expect(cartWorkload).toMatchObject({ expectedPods, measuredPods, complete, usage: { usedBytes } });
  },
);

it.each<[string, string, (cluster: FakeCluster) => void, boolean]>([
  ['that is known', 'cart-0', () => undefined, false],
  ['that is not known', 'stranger', () => undefined, true],
  ['that has just been deleted', 'stranger', ({ deletedUids }) => deletedUids.add('uid-shop-stranger'), true],
  ['of a namespace that is not listed yet', 'stranger', (cluster) => (cluster.unlisted = ['shop']), false],
  [
    'that runs for long and is in no summary',
    'cart-0',
    (cluster) => {
      cluster.setPods('node-1', [cart('cart-0', 'node-1'), cart('cart-1', 'node-1')]);
    },
    true,
  ],
  [
    'in a summary that is stale',
    'stranger',
    (cluster) => {
      cluster.goStale('node-1');
    },
    false,
  ],
])('kubelets contradict the store, or do not, by a pod %s', async (_case, name, change, expected) => {
  const cluster = new FakeCluster();
  cluster.addNode('node-1', [cart('cart-0', 'node-1')]);
  cluster.answer('node-1', { pods: [...new Set(['cart-0', name])].map((each) => aPodSummary({ name: each })) });
  change(cluster);
  expect(contradictsStore(await aCollector(cluster).collect())).toBe(expected);
});
