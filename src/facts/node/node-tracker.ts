import type { Node } from '../../cluster/kube/objects.js';
import type { KubeletConfiguration } from '../../cluster/kubelet/kubelet-configuration.js';
import type { AbsentLookup, CacheLookup, FoundLookup, LastSummary } from '../../cluster/kubelet/lookup.js';
import type { PodSummary } from '../../cluster/kubelet/summary.js';
import type { Clock } from '../../lib/base/clock.js';
import { isActive } from './limits.js';
import { CoverageRecord } from './node-coverage.js';
import type { NodeFaults } from './node-faults.js';
import type { NodeMemory } from './node-memory.js';
import { ObjectRecord } from './node-objects.js';
import { createNodeSnapshot, type NodeSnapshotInput, type NodeSnapshotOptions } from './node-snapshot.js';
import type { AbsentNodeView, GoneNode, MeasuredNodeView, NodeObjects, NodeSnapshot, NodeView } from './node-view.js';
import type { BoundPod, DerivedPods, PodRecord } from './pod-record.js';
import { podGraceMs } from './young-pods.js';

export interface NodeTrackerOptions extends NodeSnapshotOptions {
  readonly faults: NodeFaults;
  /** By the name of the node; they outlive the trackers. */
  readonly memories: Map<string, NodeMemory>;
  readonly clock: Clock;
  /** See `StoreLists.nodesSeenAtMs`. Undefined where nodes are read once. */
  readonly nodesSeenAtMs?: (() => number) | undefined;
}

type Found = Pick<FoundLookup, 'summary' | 'configuration' | 'arrivedAtMs'>;

/** Unknown pods of a node that each scrape looks up: what it does for all nodes in one step must take no time. */
const maxCheckedPods = 200;

/**
 * Joins what both servers know of one node. What was derived is kept while what it was derived from stays the same: the node,
 * its pods, its summary, its kubelet's configuration.
 */
export class NodeTracker {
  readonly #options: NodeTrackerOptions;
  readonly #objects: ObjectRecord;
  readonly #memory: NodeMemory;
  #kept:
    | {
        readonly configuration: KubeletConfiguration | undefined;
        /** The pods of the node. */
        readonly bound: readonly BoundPod[];
        /** Those that the snapshot counts as unread. */
        readonly danglingPods: number;
        readonly snapshot: NodeSnapshot;
      }
    | undefined;
  readonly #coverage: CoverageRecord;
  /** The last one of which all was derived. */
  #lastViewed: { readonly nodeUid: string; readonly lookup: FoundLookup } | undefined;

  constructor(nodeName: string, options: NodeTrackerOptions, memory: NodeMemory) {
    this.#options = options;
    this.#objects = new ObjectRecord(nodeName, options);
    this.#memory = memory;
    this.#coverage = new CoverageRecord(options.clock);
  }

  /** The last one; undefined before the first. */
  get snapshot(): NodeSnapshot | undefined {
    return this.#kept?.snapshot;
  }

  /** Whether `view` has nothing to derive. */
  isCurrent(node: Node, lookup: CacheLookup): boolean {
    const snapshot = lookup.state === 'absent' ? undefined : this.#keptOf(node, lookup);
    const hasSnapshot = lookup.state === 'absent' || snapshot !== undefined;
    return hasSnapshot && this.#coverage.isCurrent(this.#objects.boundPods(), snapshot);
  }

  /**
   * Returns the node as of now. `derived`: receives what is derived of the pods. A summary of which nothing can be derived costs
   * this node alone: it is absent then.
   */
  view(node: Node, lookup: CacheLookup, derived: DerivedPods = new Map()): NodeView {
    if (lookup.state === 'absent') return this.#absent(node, lookup);
    const { faults } = this.#options;
    try {
      const view = this.#measured(node, lookup, derived);
      if (!faults.has(view.snapshot) && !faults.has(view.objects)) return view;
    } catch (error) {
      faults.add(node.name, error);
    }
    return this.#absent(node, { reason: 'internal_error' });
  }

  /**
   * For a scrape that has no time to derive what is not derived yet: the lookup itself when only its summary's pods may have
   * changed since; otherwise the last one of which all was derived, or no data when that summary is as old as `maxAgeMs`.
   */
  withoutDeriving(node: Node, lookup: CacheLookup, maxAgeMs: number): CacheLookup {
    if (lookup.state === 'absent' || this.#kept?.snapshot.summary === lookup.summary) return lookup;
    const last = this.#lastViewed?.nodeUid === node.uid ? this.#lastViewed.lookup : undefined;
    const isUsable = last !== undefined && this.#options.clock.monotonicMs() - last.arrivedAtMs < maxAgeMs;
    return isUsable ? { ...last, state: 'stale' } : { state: 'absent', reason: 'timeout' };
  }

  /** The pods of a node that has left the cluster: as long as the API server calls them running, they are expected. */
  gone(): GoneNode {
    this.#forget();
    return { ...this.#coverage.of(this.#objects.boundPods(), undefined), objects: this.#objects.of(undefined) };
  }

  /** Of a node that is never scraped. */
  skippedObjects(node: Node): NodeObjects {
    this.#forget();
    return this.#objects.ofSkipped(node);
  }

  /**
   * What was last known of the node without data, for people: never part of a sum. Without pods that have ended or that the API
   * server no longer lists on the node. Undefined when it cannot be derived.
   */
  lastKnown(node: Node, last: LastSummary): NodeSnapshot | undefined {
    try {
      const arrivedAtMs = this.#options.clock.monotonicMs() - last.ageMs;
      const snapshot = this.#snapshotOf(node, { ...last, arrivedAtMs });
      const isThere = ({ bound }: PodRecord): boolean => bound !== undefined && isActive(bound.pod);
      return {
        ...snapshot,
        pods: snapshot.pods.filter(isThere),
        podsWithoutTotal: snapshot.podsWithoutTotal.filter(isThere),
      };
    } catch (error) {
      this.#options.faults.add(node.name, error);
      return undefined;
    }
  }

  /** Lets go of its summary and of what follows from it. */
  #forget(): void {
    this.#kept = undefined;
    this.#lastViewed = undefined;
  }

  #absent(
    node: Node,
    { reason, isIsolationOff }: Pick<AbsentNodeView, 'reason'> & Pick<AbsentLookup, 'isIsolationOff'>,
  ): AbsentNodeView {
    const coverage = this.#coverage.of(this.#objects.boundPods(), undefined);
    const objects = this.#objects.of(node);
    const unenforced = isIsolationOff === true || !node.enforcesStorageLimits ? 'isolation_disabled' : undefined;
    return { state: 'absent', reason, unenforced, nodeName: node.name, node, objects, ...coverage };
  }

  #measured(node: Node, lookup: FoundLookup, derived: DerivedPods): MeasuredNodeView {
    const snapshot = this.#snapshotOf(node, lookup, derived);
    const coverage = this.#coverage.of(this.#objects.boundPods(), snapshot);
    // In place of the one before: two summaries of a node are kept no longer than it takes to derive the second one.
    this.#lastViewed = { nodeUid: node.uid, lookup };
    return {
      state: lookup.state,
      nodeName: node.name,
      node,
      objects: this.#objects.of(node, snapshot.endedPods),
      ...coverage,
      ageMs: this.#options.clock.monotonicMs() - lookup.arrivedAtMs,
      fetchedAtMs: lookup.fetchedAtMs,
      snapshot,
      danglingPods: this.#countDangling(snapshot),
    };
  }

  #snapshotOf(node: Node, lookup: Found, derived: DerivedPods = new Map()): NodeSnapshot {
    const kept = this.#keptOf(node, lookup);
    if (kept !== undefined) return kept;
    const input = this.#inputOf(node, lookup, derived);
    const bound = this.#objects.boundPods();
    const created = createNodeSnapshot(input, bound, this.#options);
    const danglingPods = this.#countDangling(created);
    const snapshot = withDangling(created, danglingPods);
    this.#kept = { configuration: lookup.configuration, bound, danglingPods, snapshot };
    return snapshot;
  }

  /** Undefined when something has changed since. */
  #keptOf(node: Node, { summary, configuration }: Found): NodeSnapshot | undefined {
    const kept = this.#kept;
    const isSame =
      kept?.snapshot.summary === summary &&
      kept.snapshot.node === node &&
      kept.configuration === configuration &&
      kept.bound === this.#objects.boundPods() &&
      this.#areUnknown(kept.snapshot.unknownPods) &&
      kept.danglingPods === this.#countDangling(kept.snapshot);
    return isSame ? kept.snapshot : undefined;
  }

  #inputOf(node: Node, { summary, configuration, arrivedAtMs }: Found, derived: DerivedPods): NodeSnapshotInput {
    const layout = this.#memory.layoutOf(node.uid, summary);
    const context = this.#options.contextOf(node, layout);
    const before = this.#kept?.snapshot;
    const frozen = this.#memory.frozenTimes.observe(summary, arrivedAtMs);
    const conditionSeenAtMs = this.#options.nodesSeenAtMs?.() ?? -Infinity;
    const known = before?.context === context ? byEntryUid(before.listedPods) : undefined;
    const memory = this.#memory;
    return {
      node,
      conditionSeenAtMs,
      summary,
      arrivedAtMs,
      layout,
      frozen,
      configuration,
      context,
      known,
      derived,
      memory,
    };
  }

  /**
   * An unknown pod may become known on another node, or known and deleted in between: the node's own pods do not show that.
   * Of many, which no node has for long, those after the first are looked up again with the next summary.
   */
  #areUnknown(unknownPods: readonly PodSummary[]): boolean {
    const { pods } = this.#options;
    if (unknownPods.length === 0) return true;
    return unknownPods
      .slice(0, maxCheckedPods)
      .every((pod) => pods.findPod(pod.namespace, pod.name) === undefined && !pods.isDeleted(pod));
  }

  /** Counts the pods of the snapshot that the API server has not known for longer than the grace period. */
  #countDangling({ unknownPods }: NodeSnapshot): number {
    const { pods, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    return this.#memory.countDangling(unknownPods, pods.unlistedNamespaces(), { nowMs, sinceMs: nowMs - podGraceMs });
  }
}

function byEntryUid(pods: readonly PodRecord[]): ReadonlyMap<string, PodRecord> {
  const byUid = new Map<string, PodRecord>();
  for (const pod of pods) byUid.set(pod.summary.uid, pod);
  return byUid;
}

/** With the dangling pods among the unread ones. Where a part of the pods is read, all that are unknown are counted already. */
function withDangling(snapshot: NodeSnapshot, danglingPods: number): NodeSnapshot {
  return snapshot.unreadPodCount === undefined && danglingPods > 0
    ? { ...snapshot, unreadPodCount: danglingPods }
    : snapshot;
}
