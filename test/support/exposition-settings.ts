import type { ExpositionRequest } from '../../src/metrics/exposition/bodies.js';
import type { ExpositionOptions } from '../../src/metrics/exposition/exposition.js';
import type { ExpositionFormat } from '../../src/metrics/exposition/render.js';
import { type FamilyFilter, noFilter } from '../../src/metrics/exposition/selection.js';

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

export function asking(format: ExpositionFormat, filter: Partial<FamilyFilter> = {}): ExpositionRequest {
  return { format, filter: { ...noFilter, ...filter } };
}
