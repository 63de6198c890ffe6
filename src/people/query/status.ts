import type { Ranked } from '../../lib/base/ranking.js';
import type { ShownEviction } from '../report/eviction-report.js';
import type { PodPlace } from '../report/pod-report.js';
import type { ClusterReport } from './cluster-report.js';
import type { Condition } from './list-query.js';

/**
 * What the status page shows and `/api/v1/status` returns: plain data, exact numbers. Sizes in bytes, times and ages in
 * milliseconds, times since the Unix epoch, ratios from 0 without an upper bound. Unknown values are left out.
 */
export interface Status {
  readonly version: string;
  /** As configured; else the address of the API server. */
  readonly clusterName: string;
  /** To pages elsewhere, as configured. */
  readonly links: readonly {
    readonly name: string;
    /** `http:` or `https:`. */
    readonly url: string;
  }[];
  /** Which part of which cluster is measured, in words. */
  readonly scope: string;
  readonly generatedAtMs: number;
  readonly uptimeMs: number;
  readonly isReady: boolean;
  /** What is bad now or about to happen first; what is over, such as evictions, after it. */
  readonly problems: readonly Problem[];
  readonly readinessChecks: readonly ReadinessCheck[];
  /** Absent before the first lists of nodes and pods. */
  readonly cluster?: ClusterReport | undefined;
  /** Why nothing but evictions is known, and which of them; absent from the first lists on. */
  readonly notListed?: string | undefined;
  /** The newest first; before the first lists, those from before the start. */
  readonly evictions: ShownEvictions;
  readonly health: HealthReport;
  /** The current settings as YAML. */
  readonly configuration: string;
}

/** Evictions of running pods; pods that were refused at admission are counted only. */
export interface ShownEvictions extends Ranked<ShownEviction> {
  readonly refusedCount: number;
}

/** A current problem in a few words: one for each cause, not for each symptom. */
export interface Problem {
  /** Of the rule that it comes from, the same whatever it is said of. */
  readonly id: string;
  readonly severity: 'critical' | 'warning';
  readonly text: string;
  /** Examples, since when, what it costs. */
  readonly detail?: string | undefined;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** What to run next, to copy, the first of them first. Empty where no command helps. */
  readonly commands: readonly string[];
  /** The list with more details, or the section: of the overview, or of the page of problems. */
  readonly section:
    'next-evictions' | 'evictions' | 'workloads' | 'pods' | 'findings' | 'nodes' | 'trust' | 'configuration';
  /** Which items of the list it is about. */
  readonly only?: Condition | undefined;
  /** Until the first of the evictions that it is about, within ten minutes; absent while none is forecast. */
  readonly timeToEvictionMs?: number | undefined;
  /** The only node or pod that it is about; absent for several. */
  readonly about?: ProblemSubject | undefined;
}

export type ProblemSubject = { readonly node: string; readonly pod?: undefined } | Pick<PodPlace, 'namespace' | 'pod'>;

/** How the exporter does. Counts are since the start of the process. */
export interface HealthReport {
  readonly stores: readonly StoreHealthReport[];
  /** Lists that are missing. */
  readonly unlisted: readonly UnlistedReport[];
  /** Whether the API server cannot be reached or cannot respond, as far as lists and watches show. */
  readonly isApiServerAway: boolean;
  /** By result. */
  readonly scrapes: Readonly<Record<string, number>>;
  readonly kubeletRequests: Readonly<Record<string, number>>;
  /** Of the last exposition. */
  readonly seriesCount?: number | undefined;
  readonly droppedSeriesCount: number;
  /** Dropped from the last exposition because of `metrics.maxSeries`. */
  readonly droppedFamilies: readonly string[];
  readonly workloadNameClashCount: number;
  readonly isLastReloadSuccessful?: boolean | undefined;
  readonly settingsAgeMs?: number | undefined;
  readonly isKubeletTlsUnverified: boolean;
  /** With `kubelet.readConfig`: no kubelet lets the exporter read its configuration. */
  readonly isConfigurationForbidden: boolean;
  /** From when on evictions are known. */
  readonly evictionsSinceMs: number;
  /** When pods were not watched since then, for more than a minute; the oldest first. */
  readonly evictionGaps: readonly { readonly fromMs: number; readonly untilMs: number }[];
  /** Why evictions do not outlast a restart. */
  readonly evictionFileFault?: { readonly text: string; readonly fix?: string | undefined } | undefined;
}

/** Objects that have not been listed since the start. */
export interface UnlistedReport {
  readonly resource: string;
  /** '' for all namespaces. */
  readonly namespace: string;
  /** Of the last failure; absent while the first list is under way. */
  readonly reason?: string | undefined;
  readonly message: string;
  /** Since the exporter has tried. */
  readonly forMs: number;
}

export interface StoreHealthReport {
  readonly resource: string;
  readonly objectCount: number;
  /** Whether the watches of all its namespaces are connected. */
  readonly isConnected: boolean;
  /** Whether lists replace a watch that cannot be kept, about every minute. */
  readonly isPolled: boolean;
  /** Since the last list, event or bookmark. */
  readonly lastProgressAgeMs?: number | undefined;
}

/** One condition for `/readyz`. */
export interface ReadinessCheck {
  readonly name: string;
  readonly isOk: boolean;
  /** The exporter is ready without it: what is missing is marked. False without it. */
  readonly isOptional?: boolean | undefined;
  /** The reason when it is not ok; otherwise what else is known of it. */
  readonly message?: string | undefined;
}
