/** What the process of the references is asked for; `load` answers with the number of series, the others with milliseconds of CPU. */
export type ReferenceRequest =
  { readonly do: 'load'; readonly file: string } | { readonly do: 'naive' } | { readonly do: 'memcpy' };

/**
 * Other exporters, measured beside this one on two shared cores with 100 nodes of 30 pods, gzip, a scrape every 15 s: CPU
 * seconds of a minute and series.
 */
export const otherExporters = {
  kubeStateMetrics: { cpuSecondsPerMinute: 0.26, seriesCount: 153_000 },
  k8sEphemeralStorageMetrics: { cpuSecondsPerMinute: 5.4 },
} as const;

/** With 1,000 nodes of 30 pods, each alone. */
export const otherExportersAtLarge = {
  k8sEphemeralStorageMetrics: { cpuSecondsPerMinute: 64 },
} as const;
