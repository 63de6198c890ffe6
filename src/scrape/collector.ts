import type { Clock } from '../base/clock.js';
import { TimeSlicer } from '../base/time-slicer.js';
import type { Node } from '../kube/objects.js';
import type { CacheLookup } from '../kubelet/node-cache.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import type { DanglingPods } from './dangling-pods.js';
import type { NodeCoverages } from './node-coverage.js';
import { askingOrder, type NodePolicy, nodesInScope } from './node-policy.js';
import type { MeasuredNode, NodeSnapshots } from './node-snapshots.js';
import type { ClusterSnapshot, NodeState, WorkloadSnapshot } from './snapshot.js';
import type { NodePart, WorkloadCollector } from './workload-collector.js';

export interface NodeLister {
  /** Whether nodes and pods were listed once. */
  readonly hasSynced: boolean;
  nodes(): Iterable<Node>;
}

export interface SummaryCache {
  /** Never rejects; answers at once when `signal` aborts. */
  get(node: Node, signal: AbortSignal): Promise<CacheLookup>;
  lastFailed(nodeName: string): boolean;
  retain(nodeNames: ReadonlySet<string>): void;
}

/** The configurations of kubelets, read in the background. */
export interface ConfigReader {
  /** Reads the node's when that is due; returns at once. */
  refresh(node: Node): void;
  retain(nodeNames: ReadonlySet<string>): void;
}

export interface CollectorOptions {
  readonly nodes: NodeLister;
  readonly policy: NodePolicy;
  readonly cache: SummaryCache;
  /** Undefined: configurations are not read. */
  readonly configs: ConfigReader | undefined;
  readonly snapshots: NodeSnapshots;
  readonly coverages: NodeCoverages;
  readonly danglingPods: DanglingPods;
  readonly resolver: WorkloadResolver;
  readonly workloads: WorkloadCollector;
  readonly clock: Clock;
}

export interface CollectOptions {
  /** Whether workloads that fail rest from then on; true without it. Looking on must not cost scrapes their figures. */
  readonly letsRest?: boolean;
}

/** One scrape: asks the nodes for their summaries and puts together what they give. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #slicer: TimeSlicer;
  #turn = 0;
  #underWayCount = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#slicer = new TimeSlicer(options.clock);
  }

  /**
   * What the cluster uses now. When `signal` aborts, nodes that have not answered are served as the cache has them; an
   * error of a node is that node's absence. Undefined until nodes and pods were listed once: sums over an unknown part
   * of the pods would pass for sums over all.
   */
  async collect(signal: AbortSignal, options: CollectOptions = {}): Promise<ClusterSnapshot | undefined> {
    if (!this.#options.nodes.hasSynced) return undefined;
    this.#underWayCount += 1;
    try {
      return await this.#collect(signal, options);
    } finally {
      this.#underWayCount -= 1;
    }
  }

  async #collect(signal: AbortSignal, { letsRest = true }: CollectOptions): Promise<ClusterSnapshot> {
    const { nodes, policy, cache } = this.#options;
    const { asked, skipped, missing } = nodesInScope(nodes.nodes(), policy);
    this.#forgetOthers(asked);
    const order = askingOrder(asked, this.#turn++, (nodeName) => cache.lastFailed(nodeName));
    const answered = await Promise.all(order.map((node) => this.#ask(node, signal)));
    // In one step: a pod that moved or went while others were waited for must not count where it was.
    const collected = answered.map((answer) => this.#current(answer)).sort((a, b) => byNodeName(a.state, b.state));
    const workloads = await this.#collectWorkloads(
      collected.map((node) => this.#partOf(node)),
      letsRest && !signal.aborted,
    );
    const states = [
      ...collected.map(({ state }) => state),
      ...skipped.map(skippedState),
      ...(missing === undefined ? [] : [missingState(missing)]),
    ];
    return { nodes: states.sort(byNodeName), workloads };
  }

  async #ask(node: Node, signal: AbortSignal): Promise<Answer> {
    const { cache, configs, snapshots, coverages, clock } = this.#options;
    const lookup = await cache.get(node, signal);
    const lookedUpAtMs = clock.monotonicMs();
    if (lookup.state === 'absent') return { node, lookup };
    configs?.refresh(node); // not of a kubelet that does not even give its summary
    const { state, summary, ageMs } = lookup;
    const measured = await this.#slicer.run(() => {
      const ofSummary = snapshots.of(node.name, summary);
      coverages.of(node.name, ofSummary); // kept for the step over all nodes, which cannot be cut into slices
      return ofSummary;
    });
    return { node, state, measured, measuredAtMs: lookedUpAtMs - ageMs };
  }

  /** As of now: other nodes may have been waited for since this one answered. */
  #current(answer: Answer): CollectedNode {
    const { node } = answer;
    const { snapshots, coverages, danglingPods, clock } = this.#options;
    if (answer.lookup !== undefined) {
      const { expectedPods } = coverages.of(node.name, undefined);
      const state = { ...answer.lookup, ...named(node), expectedPods, measuredPods: 0 };
      return { state, measured: undefined };
    }
    const measured = snapshots.current(answer.measured);
    const { expectedPods, measuredPods, missingPods } = coverages.of(node.name, measured);
    const state = {
      state: answer.state,
      ...named(node),
      ageMs: clock.monotonicMs() - answer.measuredAtMs,
      snapshot: measured.snapshot,
      expectedPods,
      measuredPods,
      missingPods,
      danglingPods: danglingPods.count(node.name, measured.unknownPods),
    };
    return { state, measured };
  }

  #partOf({ state, measured }: CollectedNode): NodePart {
    return { sums: measured?.sums, coverage: this.#options.coverages.of(state.nodeName, measured).workloads };
  }

  async #collectWorkloads(parts: readonly NodePart[], letsRest: boolean): Promise<readonly WorkloadSnapshot[]> {
    const { resolver, workloads } = this.#options;
    const isAlone = this.#underWayCount === 1;
    const turn = this.#turn;
    const collected = await workloads.collect(parts, letsRest);
    // Workloads that another collection has found since are not among these, and must not be forgotten.
    if (isAlone && turn === this.#turn) resolver.retain(new Set(collected.map(({ workload }) => workload.name)));
    return collected;
  }

  #forgetOthers(asked: readonly Node[]): void {
    const { cache, configs, snapshots, coverages, danglingPods } = this.#options;
    const names = new Set(asked.map(({ name }) => name));
    cache.retain(names);
    configs?.retain(names);
    snapshots.retain(names);
    coverages.retain(names);
    danglingPods.retain(names);
  }
}

/** What came of asking a node. */
type Answer =
  | { readonly node: Node; readonly lookup: Extract<CacheLookup, { readonly state: 'absent' }> }
  | {
      readonly node: Node;
      readonly lookup?: never;
      readonly state: 'fresh' | 'stale';
      readonly measured: MeasuredNode;
      /** Monotonic time in milliseconds at which the summary came. */
      readonly measuredAtMs: number;
    };

interface CollectedNode {
  readonly state: NodeState;
  /** Undefined for a node without data. */
  readonly measured: MeasuredNode | undefined;
}

function named({ name, allocatableBytes }: Node): Pick<NodeState, 'nodeName' | 'allocatableBytes'> {
  return { nodeName: name, allocatableBytes };
}

function byNodeName(a: NodeState, b: NodeState): number {
  return a.nodeName < b.nodeName ? -1 : 1;
}

const noPods = { expectedPods: 0, measuredPods: 0 };

function missingState(nodeName: string): NodeState {
  return { state: 'absent', nodeName, allocatableBytes: undefined, ...noPods, reason: 'no_node' };
}

function skippedState(node: Node): NodeState {
  return { state: 'absent', ...named(node), ...noPods, reason: 'skipped' };
}
