import { type Clock, startDeadline } from '../base/clock.js';
import { TimeSlicer } from '../base/time-slicer.js';
import type { SummaryFailure } from '../kubelet/node-cache.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';
import type { SelfReport } from '../telemetry/self-report.js';
import { clusterStatus } from './cluster-status.js';
import { problemsOf } from './problems.js';
import type { ClusterStatus, HealthStatus, NodeFailure, Status } from './status.js';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

/** What a status is made from. */
export interface StatusInputs {
  /** Answers at the latest when `signal` aborts, with what it has; undefined before the first lists. Is not a scrape. */
  collect(signal: AbortSignal): Promise<ClusterSnapshot | undefined>;
  failureOf(nodeName: string): SummaryFailure | undefined;
  checks(): readonly Check[];
  selfReport(): Promise<SelfReport>;
  /** Those that the last exposition left out for the cap on series. */
  droppedFamilies(): readonly string[];
  /** The same object until others are in force. */
  settings(): StatusSettings;
}

export interface StatusSettings {
  /** Which part of which cluster is measured, in words. */
  readonly scope: string;
  /** YAML. */
  readonly configuration: string;
  /** Pods that belong to no workload have no detail. */
  readonly hidesPodsWithoutWorkload: boolean;
}

export interface StatusSourceOptions {
  readonly inputs: StatusInputs;
  readonly version: string;
  readonly clock: Clock;
  /** Ends collections that are under way. */
  readonly stopping: AbortSignal;
}

/** A person waits for the page; what has not come by then is shown as the cache has it. */
const deadlineMs = 2_000;

/** Whoever comes within this time after a status was made gets the same one. */
const keptMs = 1_000;

/**
 * Makes the status, one at a time: all who ask while one is made, or shortly after, get that one. So the page costs the
 * same whether one looks or a thousand do.
 */
export class StatusSource {
  readonly #options: StatusSourceOptions;
  readonly #startMs: number;
  #making: Promise<Status> | undefined;
  #made: { readonly status: Status; readonly settings: StatusSettings; readonly atMs: number } | undefined;

  constructor(options: StatusSourceOptions) {
    this.#options = options;
    this.#startMs = options.clock.monotonicMs();
  }

  /** The same object for all who get the same one. */
  async read(): Promise<Status> {
    const { inputs, clock } = this.#options;
    const made = this.#made;
    const isKept = made?.settings === inputs.settings() && clock.monotonicMs() - made.atMs < keptMs;
    if (isKept) return made.status;
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  /** Anew when other settings came into force meanwhile: its parts would be of two sets. */
  async #make(): Promise<Status> {
    const { inputs, clock } = this.#options;
    for (;;) {
      const settings = inputs.settings();
      const status = await this.#makeBy(settings);
      if (inputs.settings() !== settings) continue;
      this.#made = { status, settings, atMs: clock.monotonicMs() };
      return status;
    }
  }

  async #makeBy({ scope, configuration, hidesPodsWithoutWorkload }: StatusSettings): Promise<Status> {
    const { inputs, version, clock } = this.#options;
    const cluster = await this.#cluster(hidesPodsWithoutWorkload);
    const readinessChecks = inputs
      .checks()
      .map(({ name, ok, message }) => ({ name, isOk: ok, message: ok ? undefined : message }));
    const health = healthStatus(await inputs.selfReport(), inputs.droppedFamilies(), clock.nowMs());
    return {
      version,
      scope,
      generatedAtMs: clock.nowMs(),
      uptimeMs: Math.round(clock.monotonicMs() - this.#startMs),
      isReady: readinessChecks.every(({ isOk }) => isOk),
      problems: problemsOf({ readinessChecks, cluster, health }),
      readinessChecks,
      cluster,
      health,
      configuration,
    };
  }

  async #cluster(hidesPodsWithoutWorkload: boolean): Promise<ClusterStatus | undefined> {
    const { inputs, clock, stopping } = this.#options;
    using deadline = startDeadline({
      clock,
      durationMs: deadlineMs,
      error: () => new Error(`the status page waits for ${deadlineMs} ms at most`),
      parent: stopping,
    });
    const snapshot = await inputs.collect(deadline.signal);
    if (snapshot === undefined) return undefined;
    return await clusterStatus({
      snapshot,
      failureOf: (nodeName) => this.#failureOf(nodeName),
      isCut: deadline.signal.aborted,
      hidesPodsWithoutWorkload,
      slicer: new TimeSlicer(clock),
    });
  }

  #failureOf(nodeName: string): NodeFailure | undefined {
    const failure = this.#options.inputs.failureOf(nodeName);
    if (failure === undefined) return undefined;
    const { reason, message, atMs } = failure;
    return { reason, message, ageMs: Math.round(this.#options.clock.monotonicMs() - atMs) };
  }
}

function healthStatus(report: SelfReport, droppedFamilies: readonly string[], nowMs: number): HealthStatus {
  const { stores, seriesDroppedCount, ...same } = report;
  return {
    ...same,
    droppedSeriesCount: seriesDroppedCount,
    droppedFamilies,
    stores: stores.map(({ lastProgressAtMs, ...store }) => ({
      ...store,
      lastProgressAgeMs: lastProgressAtMs === undefined ? undefined : Math.max(0, Math.round(nowMs - lastProgressAtMs)),
    })),
  };
}
