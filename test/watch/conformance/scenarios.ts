/** The fault scenarios of a watch-backed store, S01 to S105: which of them have no test here, and why. */

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

export const allScenarios = range(1, 105);

interface Inapplicable {
  readonly scenarios: readonly number[];
  readonly reason: string;
}

/** What these scenarios assume does not exist in this exporter, by decision. */
export const inapplicable: readonly Inapplicable[] = [
  {
    scenarios: [...range(28, 35), 37, 38],
    reason:
      'They are about lists that are streamed by a watch (sendInitialEvents), which this exporter does not request: ' +
      'for the same 10,000 pods it costs server and client more than a list from the memory of the API server.',
  },
  {
    scenarios: [93],
    reason:
      'There is no resync: what changed is delivered once. A list repairs a store that has lost changes, and only ' +
      'differences are delivered.',
  },
];
