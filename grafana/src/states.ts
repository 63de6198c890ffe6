/** Colours and words for values. */
import {
  MappingType,
  SpecialValueMatch,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';

import { type State, stateColours } from './colours.js';

export type Step = readonly [fromValue: number, state: State];

/** Thresholds from the lowest value on; `base` below the first step. */
export function thresholds(steps: readonly Step[], base: State = 'ok'): ThresholdsConfigBuilder {
  const all: Threshold[] = [
    { value: null, color: stateColours[base] },
    ...steps.map(([value, state]): Threshold => ({ value, color: stateColours[state] })),
  ];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(all);
}

/** For a share of a limit or of a filesystem: the same shares as on the status page and the command line. */
export const ratioSteps: readonly Step[] = [
  [0.8, 'warning'],
  [0.9, 'critical'],
  [1, 'over'],
];

/** For a count that should be 0. */
export const noneSteps: readonly Step[] = [[1, 'critical']];

/** For a value that should be 1. */
export const oneSteps: readonly Step[] = [[1, 'ok']];

/** For seconds that are left. */
export const timeLeftSteps: readonly Step[] = [
  [3_600, 'warning'],
  [86_400, 'ok'],
];

/** Words for 1 and 0. */
export function words(one: string, zero: string): ValueMapping[] {
  return [{ type: MappingType.ValueToText, options: { 1: { text: one, index: 0 }, 0: { text: zero, index: 1 } } }];
}

/** A word for one value that is not a measurement, with the colour of a state. */
export function word(value: number, text: string, state: State): ValueMapping {
  const result = { text, color: stateColours[state], index: 2 };
  return { type: MappingType.ValueToText, options: { [value]: result } };
}

/** The same for all values from one on. */
export function wordFrom(from: number, text: string, state: State): ValueMapping {
  const result = { text, color: stateColours[state], index: 3 };
  return { type: MappingType.RangeToText, options: { from, to: null, result } };
}

/** Without a value, the base of the thresholds would colour the panel or the cell as if it were known. */
export function withoutValue(text: string): ValueMapping {
  const result = { text, color: stateColours.unknown, index: 9 };
  return { type: MappingType.SpecialValue, options: { match: SpecialValueMatch.NullAndNan, result } };
}
