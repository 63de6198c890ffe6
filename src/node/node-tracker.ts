import type { Clock } from '../base/clock.js';
import type { Lane } from '../base/scheduler.js';
import type { Node } from '../kube/objects.js';
import type { KubeletConfiguration } from '../kubelet/kubelet-configuration.js';
import type { CacheLookup, FoundLookup, LastSummary } from '../kubelet/lookup.js';
import type { NodeSummary, PodSummary } from '../kubelet/summary.js';
import type { BoundPod } from './bound-pods.js';
import { DanglingPods, withDangling } from './dangling-pods.js';
import { DerivedLookup, type KnownLookup } from './derived-lookup.js';
import { isActive } from './limits.js';
import { CoverageRecord } from './node-coverage.js';
import type { NodeFaults } from './node-faults.js';
import { type LayoutOfLife, layoutOfLife, type NodeLayout } from './node-layout.js';
import type { ObjectRecords } from './node-objects.js';
import {
  createNodeSnapshot,
  isLarge,
  joinNodePods,
  type KnownRecords,
  type NodeSnapshotInput,
  type NodeSnapshotOptions,
  recordPod,
} from './node-snapshot.js';
import type {
  AbsenceReason,
  MeasuredNodeState,
  NodeCoverage,
  NodeObjects,
  NodeSnapshot,
  NodeState,
} from './node-state.js';
import type { DerivedPod, DerivedPods, PodRecord } from './pod-record.js';

export interface NodeRecordsOptions extends NodeSnapshotOptions {
  /** How long a pod may run before its node's summary must list it, in milliseconds; also how long the API server's watch may not know a pod that a summary lists. */
  readonly graceMs: number;
  readonly faults: NodeFaults;
  readonly clock: Clock;
}

type Found = Pick<FoundLookup, 'summary' | 'configuration'>;

/** Unknown pods of a node that each scrape looks up: what it does for all nodes in one step must take no time. */
const maxCheckedPods = 200;

/** A node in one scrape. */
export interface ScrapedNode {
  readonly state: NodeState;
  readonly objects: NodeObjects;
}

/** A node that has left the cluster while pods are still bound to it. */
export interface GoneNode {
  readonly coverage: NodeCoverage;
  readonly objects: NodeObjects;
}

/** What most series of a node are made from, unless a pod changes before the collection is complete. */
export interface PreparedNode {
  /** Undefined while the node has no data. */
  readonly snapshot: NodeSnapshot | undefined;
  readonly objects: NodeObjects;
  /** Of its pods, as far as it was derived to make the snapshot. */
  readonly derived: DerivedPods;
}

/** What was derived for one node, kept while what it was derived from stays the same. */
export class NodeRecord {
  readonly #options: NodeRecordsOptions;
  readonly #objects: ObjectRecords;
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
  /** Under way. */
  #listing: LargeListing | undefined;
  readonly #dangling: DanglingPods;
  #layout: LayoutOfLife | undefined;
  readonly #derived = new DerivedLookup();

  constructor(options: NodeRecordsOptions, objects: ObjectRecords, former?: NodeRecord) {
    this.#options = options;
    this.#objects = objects;
    this.#coverage = new CoverageRecord(options.clock, options.graceMs);
    this.#dangling = new DanglingPods(former === undefined ? undefined : former.#dangling);
    this.#layout = former === undefined ? undefined : former.#layout;
  }

  /** The last one; undefined before the first. */
  get snapshot(): NodeSnapshot | undefined {
    return this.#kept?.snapshot;
  }

  get layout(): NodeLayout | undefined {
    return this.#kept?.snapshot.layout ?? this.#layout?.layout;
  }

  /** Derives what `scraped` needs, so that it takes no time. Yields to the event loop between pods. */
  async prepare(node: Node, known: KnownLookup, lane: Lane): Promise<PreparedNode> {
    try {
      return await this.#prepare(node, known, lane);
    } catch (error) {
      this.#options.faults.add(node.name, error);
      return { snapshot: undefined, objects: this.#objects.of(node.name, node, undefined), derived: new Map() };
    }
  }

  async #prepare(node: Node, known: KnownLookup, lane: Lane): Promise<PreparedNode> {
    const { lookup } = known;
    const listing = lookup.state === 'absent' ? undefined : await this.#listPods(node, lookup, lane);
    return lane.run(() => {
      const derived = listing?.derived ?? new Map<PodRecord, DerivedPod>();
      const snapshot = lookup.state === 'absent' ? undefined : this.#snapshotOf(node, lookup, derived, listing?.known);
      this.#coverage.of(this.#objects.boundPods(node.name), snapshot);
      this.#derived.set(node, known);
      return { snapshot, objects: this.#objects.of(node.name, node, snapshot), derived };
    });
  }

  /** The pods of a node that has left the cluster: as long as the API server calls them running, they are expected. */
  gone(nodeName: string): GoneNode {
    const coverage = this.#coverage.of(this.#objects.boundPods(nodeName), undefined);
    return { coverage, objects: this.#objects.of(nodeName, undefined, undefined) };
  }

  /** Without pods that have ended or that the API server no longer lists on the node. */
  lastKnown(node: Node, last: LastSummary): NodeSnapshot {
    const snapshot = this.#snapshotOf(node, last);
    const isThere = ({ bound }: PodRecord): boolean => bound !== undefined && isActive(bound.pod);
    return {
      ...snapshot,
      pods: snapshot.pods.filter(isThere),
      podsWithoutTotal: snapshot.podsWithoutTotal.filter(isThere),
    };
  }

  /** Whether `scraped` has nothing to derive. */
  isPrepared(node: Node, lookup: CacheLookup): boolean {
    const snapshot = lookup.state === 'absent' ? undefined : this.#keptOf(node, lookup);
    const hasSnapshot = lookup.state === 'absent' || snapshot !== undefined;
    return hasSnapshot && this.#coverage.isCurrent(this.#objects.boundPods(node.name), snapshot);
  }

  /**
   * For a scrape that has no time to derive what is not derived yet: the lookup itself when only its summary's pods may have
   * changed since; otherwise the last one of which all was derived, or no data when that summary is as old as `maxAgeMs`.
   */
  withoutDeriving(node: Node, lookup: CacheLookup, maxAgeMs: number): CacheLookup {
    if (lookup.state === 'absent' || this.#kept?.snapshot.summary === lookup.summary) return lookup;
    return this.#derived.at(this.#options.clock.monotonicMs(), node, maxAgeMs);
  }

  /** As of now: `lookup` was made `sinceMs` ago, and other nodes have been waited for since. */
  scraped(node: Node, lookup: CacheLookup, sinceMs: number): ScrapedNode {
    if (lookup.state === 'absent') return this.#absent(node, lookup.reason);
    const { faults } = this.#options;
    try {
      const scraped = this.#measured(node, lookup, sinceMs);
      if (!faults.has(scraped.state.snapshot) && !faults.has(scraped.objects)) return scraped;
    } catch (error) {
      faults.add(node.name, error);
    }
    return this.#absent(node, 'internal_error');
  }

  #absent(node: Node, reason: AbsenceReason): ScrapedNode {
    const coverage = this.#coverage.of(this.#objects.boundPods(node.name), undefined);
    return {
      state: { state: 'absent', reason, nodeName: node.name, node, ...coverage },
      objects: this.#objects.of(node.name, node, undefined),
    };
  }

  #measured(node: Node, lookup: FoundLookup, sinceMs: number): ScrapedNode & { readonly state: MeasuredNodeState } {
    const snapshot = this.#snapshotOf(node, lookup);
    const coverage = this.#coverage.of(this.#objects.boundPods(node.name), snapshot);
    this.#derived.set(node, { lookup, lookedUpAtMs: this.#options.clock.monotonicMs() - sinceMs });
    const state: MeasuredNodeState = {
      state: lookup.state,
      nodeName: node.name,
      node,
      ...coverage,
      ageMs: lookup.ageMs + sinceMs,
      fetchedAtMs: lookup.fetchedAtMs,
      snapshot,
      danglingPods: this.#countDangling(snapshot),
    };
    return { state, objects: this.#objects.of(node.name, node, snapshot) };
  }

  /** Undefined while the kept snapshot is up to date. Scrapes that run at once share the work. */
  async #listPods(node: Node, lookup: FoundLookup, lane: Lane): Promise<Listed | undefined> {
    if (this.#keptOf(node, lookup) !== undefined || !isLarge(lookup.summary)) return undefined;
    const { summary } = lookup;
    if (this.#listing?.summary !== summary || this.#listing.node !== node) {
      this.#listing = { node, summary, listed: this.#listed(this.#inputOf(node, lookup, new Map()), lane) };
    }
    try {
      return await this.#listing.listed;
    } finally {
      this.#listing = undefined;
    }
  }

  async #listed(input: NodeSnapshotInput, lane: Lane): Promise<Listed> {
    const known = new Map<PodSummary, PodRecord>();
    const joined = await lane.run(() => joinNodePods(input, this.#objects.boundPods(input.node.name), this.#options));
    await lane.each(joined.pods, (pod) => known.set(pod[0], recordPod(pod, joined, input, this.#options)));
    return { known, derived: input.derived };
  }

  /** `known`: instead of the records of the kept snapshot. */
  #snapshotOf(node: Node, lookup: Found, derived: DerivedPods = new Map(), known?: KnownRecords): NodeSnapshot {
    const kept = this.#keptOf(node, lookup);
    if (kept !== undefined) return kept;
    const input = this.#inputOf(node, lookup, derived);
    const bound = this.#objects.boundPods(node.name);
    const created = createNodeSnapshot(known ? { ...input, known } : input, bound, this.#options);
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
      kept.bound === this.#objects.boundPods(node.name) &&
      this.#areUnknown(kept.snapshot.unknownPods) &&
      kept.danglingPods === this.#countDangling(kept.snapshot);
    return isSame ? kept.snapshot : undefined;
  }

  #inputOf(node: Node, { summary, configuration }: Found, derived: DerivedPods): NodeSnapshotInput {
    const layout = this.#layoutOf(node, summary);
    const context = this.#options.contextOf(node, layout);
    const before = this.#kept?.snapshot;
    const isSame = before?.summary === summary && before.context === context;
    const known = isSame ? new Map(before.listedPods.map((record) => [record.summary, record])) : undefined;
    return { node, summary, layout, configuration, context, known, derived };
  }

  #layoutOf({ uid }: Node, summary: NodeSummary): NodeLayout {
    const decided = layoutOfLife(this.#layout, uid, summary);
    this.#layout = 'nodeUid' in decided ? decided : undefined;
    return decided.layout;
  }

  /**
   * An unknown pod may become known on another node, or known and deleted in between: the node's own pods do not show that.
   * Of many, which no node has for long, those after the first are looked up again with the next summary.
   */
  #areUnknown(unknownPods: readonly PodSummary[]): boolean {
    const { pods } = this.#options;
    return unknownPods
      .slice(0, maxCheckedPods)
      .every(({ namespace, name, uid }) => pods.findPod(namespace, name) === undefined && !pods.isDeleted(uid));
  }

  /** Counts the pods of the snapshot that the API server has not known for longer than the grace period. */
  #countDangling({ unknownPods }: NodeSnapshot): number {
    const { pods, clock, graceMs } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#dangling.update(unknownPods, pods.unlistedNamespaces(), nowMs);
    return this.#dangling.countBefore(nowMs - graceMs);
  }
}

interface Listed extends Pick<NodeSnapshotInput, 'derived'> {
  readonly known: KnownRecords;
}

interface LargeListing extends Pick<NodeSnapshotInput, 'node' | 'summary'> {
  readonly listed: Promise<Listed>;
}
