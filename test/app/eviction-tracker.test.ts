import { expect, it } from 'vitest';

import { EvictionTracker } from '../../src/app/eviction-tracker.js';
import { EvictionLog } from '../../src/history/eviction-log.js';
import { aNode, aPod } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';

it('reports of evictions are the same array until there is another eviction', () => {
  const clock = new ManualClock();
  const log = new EvictionLog({ retentionMs: 60_000, maxRecords: 2 }, clock);
  const tracker = new EvictionTracker(log, () => expect.unreachable());
  const none = tracker.reports();
  expect(tracker.reports()).toBe(none);
  const message = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ';
  const object = aPod({ phase: 'Failed', eviction: { message, atMs: clock.nowMs() } });
  log.podChanged({ object, previous: undefined, isInitial: false }, () => ({
    node: aNode(),
    layout: undefined,
    measurement: undefined,
    snapshot: undefined,
    samplesOf: () => [],
    workloads: [],
    attribution: 'measured',
    sidecars: 'auto',
  }));
  expect(tracker.reports()).not.toBe(none);
  expect(tracker.reports()).toMatchObject([{ pod: object.name, cause: 'pod_limit' }]);
  expect(tracker.reports()).toBe(tracker.reports());
});
