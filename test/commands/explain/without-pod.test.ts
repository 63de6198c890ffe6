import { expect, it } from 'vitest';

import { UsageError, UserError } from '../../../src/base/errors.js';
import { nodeText } from '../../../src/commands/explain/node-text.js';
import { withoutPod } from '../../../src/commands/explain/without-pod.js';
import { type NodeExplanation, nodeExplanation } from '../../../src/query/node-explanation.js';
import type { SignalReport, VictimReport } from '../../../src/report/signal-report.js';
import { aReading } from '../../support/snapshot-builders.js';
import { gib } from '../../support/units.js';

const victim = (pod: string, freed: number): VictimReport => ({
  rank: 1,
  namespace: 'shop',
  pod,
  usage: freed,
  request: 0,
  priority: 0,
  place: 'above_request',
  freed,
});

const signal = (of: Pick<SignalReport, 'signal' | 'headroom' | 'victims'>): SignalReport => ({
  isAssumed: false,
  isCrossed: (of.headroom ?? 0) < 0,
  ...of,
});

function nodeWith(signals: readonly SignalReport[], unreadPodCount?: number): NodeExplanation {
  const node = nodeExplanation(aReading(), 'node-1');
  if (node === undefined) throw new Error('node-1 is not in the reading');
  return { ...node, signals, unreadPodCount };
}

const pressed = nodeWith([
  signal({ signal: 'nodefs.available', headroom: -3 * gib, victims: [victim('large', 5 * gib), victim('small', gib)] }),
  signal({ signal: 'nodefs.inodesFree', headroom: -50, victims: [victim('large', 20), victim('small', 60)] }),
  signal({ signal: 'imagefs.available', headroom: 2 * gib, victims: [victim('small', 0)] }),
  signal({ signal: 'imagefs.inodesFree', headroom: undefined, victims: [victim('large', 1)] }),
]);

it.each([
  [
    'large',
    [
      { signal: 'nodefs.available', freed: 5 * gib, headroom: 2 * gib, isCrossed: false },
      { signal: 'nodefs.inodesFree', freed: 20, headroom: -30, isCrossed: true },
      { signal: 'imagefs.available', freed: 0, headroom: 2 * gib, isCrossed: false },
    ],
  ],
  [
    'small',
    [
      { signal: 'nodefs.available', freed: gib, headroom: -2 * gib, isCrossed: true },
      { signal: 'nodefs.inodesFree', freed: 60, headroom: 10, isCrossed: false },
      { signal: 'imagefs.available', freed: 0, headroom: 2 * gib, isCrossed: false },
    ],
  ],
])('the node without the pod %s has of each known signal what the pod frees', (pod, signals) => {
  expect(withoutPod(pressed, `shop/${pod}`)).toEqual({ namespace: 'shop', pod, signals });
});

it('the text about a node says what it would be without the pod', () => {
  const text = nodeText({ ...pressed, without: withoutPod(pressed, 'shop/large') }, { width: Infinity, readAtMs: 0 });
  expect(text).toContain(`
Without shop/large:
nodefs.available: 5Gi freed, 2Gi above its threshold.
nodefs.inodesFree: 20 freed, still 30 below its threshold.
imagefs.available: 0B freed, 2Gi above its threshold.
`);
});

it.each(['large', 'shop/', '/large', 'a/b/c', ''])('the name "%s" is refused with what is allowed', (name) => {
  expect(() => withoutPod(pressed, name)).toThrow(new UsageError(`--without: found "${name}", allowed: NAMESPACE/POD`));
});

it('a pod that is not on the node is refused with those that are', () => {
  expect(() => withoutPod(pressed, 'shop/smal')).toThrow(
    new UserError('no pod "shop/smal" on node node-1 (did you mean shop/small?)'),
  );
});

it('a node whose pods are not all read is refused', () => {
  expect(() => withoutPod(nodeWith(pressed.signals, 2), 'shop/large')).toThrow(
    /^--without: unknown, 2 pods .* not read/,
  );
});
