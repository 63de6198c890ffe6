/** Colours and words for values. */
import {
  MappingType,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';

export type Step = readonly [fromValue: number, colour: 'orange' | 'red' | 'green' | 'yellow' | 'blue'];

/** Thresholds from the lowest value on; `base` below the first step. */
export function thresholds(steps: readonly Step[], base = 'green'): ThresholdsConfigBuilder {
  const all: Threshold[] = [
    { value: null, color: base },
    ...steps.map(([value, color]): Threshold => ({ value, color })),
  ];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(all);
}

/** For a share of a filesystem: by default kubelets evict at 85 or 90 percent. */
export const filesystemSteps: readonly Step[] = [
  [0.8, 'orange'],
  [0.9, 'red'],
];

/** For a share of a limit. */
export const ratioSteps: readonly Step[] = [
  [0.8, 'orange'],
  [0.95, 'red'],
];

/** For a count that should be 0. */
export const noneSteps: readonly Step[] = [[1, 'red']];

/** For a value that should be 1. */
export const oneSteps: readonly Step[] = [[1, 'green']];

/** For seconds that are left. */
export const timeLeftSteps: readonly Step[] = [
  [3_600, 'orange'],
  [86_400, 'green'],
];

/** Words for 1 and 0. */
export function words(one: string, zero: string): ValueMapping[] {
  return [{ type: MappingType.ValueToText, options: { 1: { text: one, index: 0 }, 0: { text: zero, index: 1 } } }];
}
