import { Registry } from 'prom-client';

import { Exposition } from '../../src/metrics/exposition/exposition.js';
import type { Profile } from '../../src/metrics/exposition/family.js';
import { benchmarkSnapshot } from './benchmark-pods.js';
import { asking, expositionSettings } from './exposition-settings.js';
import { atOnce } from './lanes.js';
import { ManualClock } from './manual-clock.js';
import { never } from './signals.js';

export interface ExpositionSize {
  readonly seriesCount: number;
  readonly sizeBytes: number;
}

/** What the pods of the benchmark's shape add to an exposition. */
export async function costOfPods(podCount: number, profile: Profile): Promise<ExpositionSize> {
  const [before, after] = await Promise.all([sizeOf(0, profile), sizeOf(podCount, profile)]);
  return { seriesCount: after.seriesCount - before.seriesCount, sizeBytes: after.sizeBytes - before.sizeBytes };
}

async function sizeOf(podCount: number, profile: Profile): Promise<ExpositionSize> {
  const exposition = new Exposition({
    lane: atOnce,
    settings: expositionSettings({ profile }),
    selfMetrics: { registry: new Registry(), setSeries: () => undefined },
    observer: { capped: () => undefined },
    clock: new ManualClock(),
  });
  const { chunks } = await exposition.render(benchmarkSnapshot(podCount), asking('text'), never);
  const samples = Buffer.concat(chunks)
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return {
    seriesCount: samples.length,
    sizeBytes: samples.reduce((total, line) => total + Buffer.byteLength(line) + 1, 0),
  };
}
