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
