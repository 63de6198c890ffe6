import type { Registry } from 'prom-client';

import { selfFamilies } from './self-families.js';

export interface StoreReport {
  readonly resource: string;
  readonly objectCount: number;
  /** Whether the watches of all its scopes are connected. */
  readonly isConnected: boolean;
  /** Wall time of the last list, event or bookmark, of the scope that waits longest; undefined until each had one. */
  readonly lastProgressAtMs: number | undefined;
}

/** The exporter's own metrics as plain data. Counts are since the start of the process. */
export interface SelfReport {
  readonly stores: readonly StoreReport[];
  /** By result. */
  readonly scrapes: Readonly<Record<string, number>>;
  /** Requests for summaries, by result. */
  readonly kubeletRequests: Readonly<Record<string, number>>;
  /** Of the last exposition; undefined before the first. */
  readonly seriesCount: number | undefined;
  readonly seriesDroppedCount: number;
  /** Undefined before any settings were loaded, as the following. */
  readonly isLastReloadSuccessful: boolean | undefined;
  readonly settingsLoadedAtMs: number | undefined;
  readonly isKubeletTlsUnverified: boolean;
  readonly workloadNameClashCount: number;
}

/** Reads a registry that {@link SelfMetrics} fills. */
export async function readSelfReport(registry: Registry): Promise<SelfReport> {
  const read = async (family: keyof typeof selfFamilies): Promise<readonly Sample[]> => {
    const { name } = selfFamilies[family];
    const metric = registry.getSingleMetric(name);
    if (metric === undefined) throw new Error(`no metric ${name}`);
    return (await metric.get()).values;
  };
  const [seriesCounts, loaded, loadedAt] = await Promise.all([
    read('series'),
    read('configLastReloadSuccessful'),
    read('configLastReloadSuccessTimestamp'),
  ]);
  return {
    stores: storesOf(await read('storeObjects'), await read('storeWatchConnected'), await read('storeLastProgress')),
    scrapes: byLabel(await read('scrapes'), 'result'),
    kubeletRequests: byLabel(await read('kubeletRequests'), 'result'),
    seriesCount: seriesCounts.length === 0 ? undefined : sumOf(seriesCounts),
    seriesDroppedCount: sumOf(await read('seriesDropped')),
    isLastReloadSuccessful: loaded[0] === undefined ? undefined : loaded[0].value === 1,
    settingsLoadedAtMs: loadedAt[0] === undefined ? undefined : loadedAt[0].value * 1_000,
    isKubeletTlsUnverified: sumOf(await read('kubeletTlsVerificationDisabled')) > 0,
    workloadNameClashCount: sumOf(await read('workloadNameClashes')),
  };
}

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
}

function storesOf(
  counts: readonly Sample[],
  connected: readonly Sample[],
  progress: readonly Sample[],
): readonly StoreReport[] {
  return counts.map(({ labels: { resource }, value }) => {
    const of = (samples: readonly Sample[]): number | undefined =>
      samples.find(({ labels }) => labels['resource'] === resource)?.value;
    const progressSeconds = of(progress);
    return {
      resource: String(resource),
      objectCount: value,
      isConnected: of(connected) === 1,
      lastProgressAtMs: progressSeconds === undefined ? undefined : progressSeconds * 1_000,
    };
  });
}

function byLabel(samples: readonly Sample[], label: string): Readonly<Record<string, number>> {
  return Object.fromEntries(samples.map(({ labels, value }) => [String(labels[label]), value]));
}

function sumOf(samples: readonly Sample[]): number {
  return samples.reduce((sum, { value }) => sum + value, 0);
}
