import { expect, it } from 'vitest';

import { thresholdsOf } from '../../src/cluster/kubelet/decode-configuration.js';
import type { EvictionThreshold, ThresholdValue } from '../../src/cluster/kubelet/kubelet-configuration.js';
import { aThreshold } from '../support/builders.js';

/** As they are in JSON: without what is undefined. */
function decoded(config: object): readonly EvictionThreshold[] {
  return thresholdsOf(JSON.parse(JSON.stringify(config)) as Record<string, unknown>);
}

function thresholdOf(value: unknown): ThresholdValue | undefined {
  return decoded({ evictionHard: { 'nodefs.available': value } })[0]?.value;
}

const withGracePeriod = (text: unknown) =>
  decoded({ evictionSoft: { 'nodefs.available': '20%' }, evictionSoftGracePeriod: { 'nodefs.available': text } });

it('the thresholds are the defaults, too, when these are merged', () => {
  const merged = decoded({
    mergeDefaultEvictionSettings: true,
    evictionHard: { 'nodefs.available': '50%', 'imagefs.available': '0%' },
  });
  expect(merged).toEqual([
    aThreshold({ signal: 'nodefs.available', value: { ratio: 0.5 } }),
    aThreshold({ signal: 'nodefs.inodesFree', value: { ratio: Math.fround(0.05) } }),
    aThreshold({ signal: 'imagefs.inodesFree', value: { ratio: Math.fround(0.05) } }),
  ]);
});

it('a threshold has a minimum reclaim', () => {
  const values = decoded({
    evictionHard: { 'nodefs.available': '1', 'nodefs.inodesFree': '2', 'imagefs.available': '3' },
    evictionMinimumReclaim: { 'nodefs.available': '1Gi', 'nodefs.inodesFree': '150%', 'imagefs.available': '0%' },
  });
  expect(values.map(({ minReclaim }) => minReclaim)).toEqual([{ amount: 2 ** 30 }, { ratio: 1.5 }, undefined]);
});

it.each([
  ['30s', 30_000],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['1h0m0.5s', 3_600_500],
  ['250us', 0.25],
  ['0s', 0],
  ['0', 0],
])('a soft threshold has its grace period: %s', (text, gracePeriodMs) => {
  expect(withGracePeriod(text)).toEqual([aThreshold({ value: { ratio: Math.fround(0.2) }, gracePeriodMs })]);
});

it.each(['5', '-5s', 'x', '', undefined, null, 5])('a soft threshold with the grace period %j is ignored', (text) => {
  expect(withGracePeriod(text)).toEqual([]);
});

it.each<[unknown, ThresholdValue | undefined]>([
  ['100Mi', { amount: 104_857_600 }],
  ['50%', { ratio: 0.5 }],
  ['1500m', { amount: { roundedUp: 2, nanosBelow: 500_000_000 } }],
  ['12.5%', { ratio: 0.125 }],
  ['+50%', { ratio: 0.5 }],
  ['5e1%', { ratio: 0.5 }],
  ['0.0%', { ratio: 0 }],
  ['10%', { ratio: 0.10000000149011612 }], // the float32 next to 0.1
  ['.5%', { ratio: Math.fround(0.005) }],
  ['100.0%', { ratio: 1 }],
  ['0%', undefined],
  ['100%', undefined],
  ['100.1%', undefined],
  ['-5%', undefined],
  ['%', undefined],
  ['ten%', undefined],
  ['10 %', undefined],
  ['0', undefined],
  ['-1Gi', undefined],
  ...[10, true, null, {}, ['10%']].map((value): [unknown, undefined] => [value, undefined]),
])('the threshold %j is %j', (text, expected) => {
  expect(thresholdOf(text)).toEqual(expected);
});
