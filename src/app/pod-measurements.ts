import { type Clock, instantOf } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import { retainKeys } from '../base/maps.js';
import type { Pod } from '../kube/objects.js';
import type { DirectoryMeasurements } from '../query/cluster-reading.js';
import { type FoundPart, hasMeasured, type PodMeasurement } from '../report/pod-directories.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';

interface KeptMeasurement extends Pick<PodMeasurement, 'problem'> {
  readonly parts: readonly FoundPart[];
  readonly atMs: number;
  readonly monotonicMs: number;
}

/** A pod is not measured again within this time. */
const freshMs = 600_000;
/** The same for one of which nothing could be measured. */
const failedFreshMs = 60_000;
const maxKeptCount = 50;
/** Pods that were asked for and wait: others are refused. */
const maxAskedCount = 10;
const maxNearCount = 10;

/** Has pods measured one by one: those that were asked for, then those that are near an eviction for a limit. */
export class AgentMeasurements implements DirectoryMeasurements {
  readonly #options;
  /** By the kubelet's UIDs of the pods, the latest last. */
  readonly #kept = new Map<string, KeptMeasurement>();
  #asked: Pod[] = [];
  #near: readonly Pod[] = [];
  #running: string | undefined;

  constructor(options: {
    readonly measure: (pod: Pod) => Promise<readonly FoundPart[]>;
    readonly clock: Clock;
    /** Nothing more is measured. */
    readonly signal: AbortSignal;
  }) {
    this.#options = options;
  }

  peek({ kubeletUid }: Pod): PodMeasurement {
    const kept = this.#kept.get(kubeletUid);
    const isWaiting = this.#running === kubeletUid || this.#asked.some((pod) => pod.kubeletUid === kubeletUid);
    if (kept === undefined) return { state: isWaiting ? 'measuring' : 'unmeasured' };
    const { atMs, monotonicMs, ...found } = kept;
    const ageMs = this.#options.clock.monotonicMs() - monotonicMs;
    const isMeasured = hasMeasured(found.parts);
    const isFresh = ageMs < (isMeasured ? freshMs : failedFreshMs);
    const state = isWaiting ? 'measuring' : !isFresh ? 'unmeasured' : isMeasured ? 'measured' : 'failed';
    return { state, ...found, measuredAtMs: atMs, ageMs };
  }

  ask(pod: Pod): PodMeasurement | undefined {
    const known = this.peek(pod);
    if (known.state !== 'unmeasured') return known;
    if (this.#asked.length >= maxAskedCount) return undefined;
    this.#asked.push(pod);
    this.#start();
    return this.peek(pod);
  }

  /** Measures those of its pods that are nearest to an eviction, and forgets all that its nodes do not have. */
  scraped({ nodes }: Pick<ClusterSnapshot, 'nodes'>): void {
    const measured = nodes.filter((view) => view.state !== 'absent');
    if (measured.length === nodes.length) this.#forgetOthers(measured.flatMap(({ snapshot }) => snapshot.podsOnNode));
    this.#near = measured
      .flatMap(({ snapshot }) => snapshot.listedPods)
      .flatMap(({ evictionMs, nearestRatio = 0, bound }) =>
        evictionMs === undefined || bound === undefined ? [] : [{ pod: bound.pod, evictionMs, nearestRatio }],
      )
      .sort((a, b) => (a.evictionMs === b.evictionMs ? b.nearestRatio - a.nearestRatio : a.evictionMs - b.evictionMs))
      .slice(0, maxNearCount)
      .map(({ pod }) => pod);
    this.#start();
  }

  #forgetOthers(pods: readonly Pod[]): void {
    const uids = new Set(pods.map(({ kubeletUid }) => kubeletUid));
    retainKeys(this.#kept, uids);
    this.#asked = this.#asked.filter((pod) => uids.has(pod.kubeletUid));
  }

  #start(): void {
    if (this.#running === undefined) void this.#measureAll();
  }

  async #measureAll(): Promise<void> {
    for (let pod = this.#next(); pod !== undefined; pod = this.#next()) {
      this.#running = pod.kubeletUid;
      const found = await this.#options.measure(pod).then(
        (parts) => ({ parts, problem: undefined }),
        (error: unknown) => ({ parts: [], problem: messageOf(error) }),
      );
      this.#running = undefined;
      this.#keep(pod, found);
    }
  }

  #next(): Pod | undefined {
    if (this.#options.signal.aborted) return undefined;
    return this.#asked.shift() ?? this.#near.find((pod) => this.peek(pod).state === 'unmeasured');
  }

  #keep({ kubeletUid }: Pod, found: Pick<KeptMeasurement, 'parts' | 'problem'>): void {
    const { wallMs: atMs, monotonicMs } = instantOf(this.#options.clock);
    this.#kept.delete(kubeletUid);
    this.#kept.set(kubeletUid, { ...found, atMs, monotonicMs });
    const [oldest = ''] = this.#kept.keys();
    if (this.#kept.size > maxKeptCount) this.#kept.delete(oldest);
  }
}
