import { startDeadline } from '../../lib/base/abortable.js';
import { type Clock, latestNowMs } from '../../lib/base/clock.js';
import { singleFlight } from '../../lib/base/memo.js';
import type { ClusterReading } from '../query/cluster-reading.js';
import type { ClusterReport } from '../query/cluster-report.js';
import { coverageOf } from '../query/coverage.js';
import type { HealthReport, ReadinessCheck, ShownEvictions, Status } from '../query/status.js';
import { isRefusal } from '../report/eviction-cause-text.js';
import { type ShownEviction, withAge } from '../report/eviction-report.js';
import { notListedText } from '../rules/exporter-rules.js';
import { problemsOf } from '../rules/problems.js';
import type { ViewSettings } from './views.js';

/** What a status is made from. */
export interface StatusInputs {
  /** Resolves at the latest when `signal` aborts, with what there is. Not a scrape. */
  cluster(signal: AbortSignal): Promise<StatusCluster>;
  checks(): readonly ReadinessCheck[];
  health(): HealthReport;
  /** The same object until others are in force. */
  settings(): StatusSettings;
}

/** The cluster at one moment: the report of all of it, and what lists and objects are made of. */
export interface StatusCluster {
  /** Undefined before the first lists. */
  readonly report: ClusterReport | undefined;
  /** Before the first lists, it has nothing but evictions, those from before the start. */
  readonly reading: ClusterReading;
}

/** A status, and what the other pages of its moment are made of. */
export interface Moment {
  readonly status: Status;
  readonly settings: StatusSettings;
  /** See {@link StatusCluster}. */
  readonly reading: ClusterReading;
}

export interface StatusSettings
  extends ViewSettings, Pick<Status, 'clusterName' | 'links' | 'scope' | 'configuration'> {}

/** A person waits for the page; nodes that have not answered by then are shown from the cache. */
const deadlineMs = 500;

/** The others are in `/api/v1/evictions`. */
const shownEvictionCount = 5;

/** Requests within this time after a status was made get the same one. */
const keptMs = 1_000;

/** The same for one that lacks kubelets which may respond at any time: commands ask again until they have. */
const awaitedKeptMs = 250;

/**
 * Makes the status, one at a time: all requests that arrive while one is made, or shortly after, get that one. The page
 * costs the same for one reader and for a thousand.
 */
export class StatusSource {
  readonly #options;
  readonly #flight = singleFlight<Moment>();
  #made: { readonly moment: Moment; readonly untilMs: number } | undefined;

  constructor(options: {
    readonly inputs: StatusInputs;
    readonly version: string;
    readonly clock: Clock;
    /** When the exporter started; monotonic. */
    readonly startMs: number;
    /** Ends running collections. */
    readonly stopping: AbortSignal;
  }) {
    this.#options = options;
  }

  /** The same object for all who get the same one. */
  async read(): Promise<Moment> {
    const { inputs, clock } = this.#options;
    const made = this.#made;
    const isKept = made?.moment.settings === inputs.settings() && clock.monotonicMs() < made.untilMs;
    if (isKept) return made.moment;
    return this.#flight(() => this.#make());
  }

  /** Once more when other settings came into force meanwhile: its parts would belong to two sets. */
  async #make(): Promise<Moment> {
    const { inputs, clock } = this.#options;
    for (;;) {
      const settings = inputs.settings();
      const moment = await this.#makeBy(settings);
      if (inputs.settings() !== settings) continue;
      const moreMs = coverageOf(moment.reading).absences.some(({ isAwaited }) => isAwaited) ? awaitedKeptMs : keptMs;
      this.#made = { moment, untilMs: clock.monotonicMs() + moreMs };
      void this.#forget(moment);
      return moment;
    }
  }

  /** What nodes reported then would otherwise stay in memory until somebody reads a page again. */
  async #forget(moment: Moment): Promise<void> {
    const { clock, stopping } = this.#options;
    await clock.sleep(keptMs, stopping).catch(() => undefined); // the exporter stops
    if (this.#made?.moment === moment) this.#made = undefined;
  }

  async #makeBy(settings: StatusSettings): Promise<Moment> {
    const { inputs, version, clock, startMs } = this.#options;
    const { clusterName, links, scope, configuration } = settings;
    const { report: cluster, reading } = await this.#cluster();
    const nowMs = latestNowMs(clock);
    const uptimeMs = Math.round(clock.monotonicMs() - startMs);
    const evictions = reading.evictions.map((report) => withAge(report, nowMs));
    const readinessChecks = inputs.checks();
    const health = inputs.health();
    const notListed = cluster === undefined ? notListedText(health, evictions[0], nowMs - uptimeMs) : undefined;
    const status: Status = {
      version,
      clusterName,
      links,
      scope,
      generatedAtMs: clock.nowMs(),
      uptimeMs,
      isReady: readinessChecks.every(({ isOk, isOptional = false }) => isOk || isOptional),
      problems: problemsOf({ readinessChecks, notListed, cluster, evictions, health }),
      readinessChecks,
      cluster,
      notListed,
      evictions: shownEvictions(evictions),
      health,
      configuration,
    };
    return { status, settings, reading };
  }

  async #cluster(): Promise<StatusCluster> {
    const { inputs, clock, stopping } = this.#options;
    using deadline = startDeadline({
      clock,
      durationMs: deadlineMs,
      error: () => new Error(`the status page waits for at most ${deadlineMs} ms`),
      parent: stopping,
    });
    return await inputs.cluster(deadline.signal);
  }
}

function shownEvictions(evictions: readonly ShownEviction[]): ShownEvictions {
  const ofRunning = evictions.filter((of) => !isRefusal(of));
  const refusedCount = evictions.length - ofRunning.length;
  return { items: ofRunning.slice(0, shownEvictionCount), totalCount: ofRunning.length, refusedCount };
}
