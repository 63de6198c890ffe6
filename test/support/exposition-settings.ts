import { Registry } from 'prom-client';

import type { ExpositionRequest } from '../../src/metrics/exposition/bodies.js';
import { Exposition, type ExpositionOptions } from '../../src/metrics/exposition/exposition.js';
import type { ExpositionFormat } from '../../src/metrics/exposition/render.js';
import { type FamilyFilter, noFilter } from '../../src/metrics/exposition/selection.js';
import { atOnce } from './lanes.js';
import { ManualClock } from './manual-clock.js';

/** All families, with the changes of the test. */
export function expositionSettings(
  overrides: Partial<ExpositionOptions['settings']> = {},
): ExpositionOptions['settings'] {
  return {
    profile: 'full',
    levels: ['workload', 'node', 'pod', 'container', 'volume'],
    allow: [],
    deny: [],
    maxSeries: undefined,
    compatibility: 'none',
    nodeLabels: [],
    ...overrides,
  };
}

interface ExpositionParts extends Partial<Omit<ExpositionOptions, 'settings'>> {
  readonly settings?: Partial<ExpositionOptions['settings']> | undefined;
}

/** An exposition without metrics of its own. */
export function anExposition({ settings, ...parts }: ExpositionParts = {}): Exposition {
  return new Exposition({
    settings: expositionSettings(settings),
    selfMetrics: { registry: new Registry(), setSeries: () => undefined },
    observer: { capped: () => undefined },
    lane: atOnce,
    clock: new ManualClock(),
    ...parts,
  });
}

export function asking(format: ExpositionFormat, filter: Partial<FamilyFilter> = {}): ExpositionRequest {
  return { format, filter: { ...noFilter, ...filter } };
}
