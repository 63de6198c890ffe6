import { expect, it } from 'vitest';

import type { EvictionRecord } from '../../src/facts/history/eviction-record.js';
import { evictedPodGroups } from '../../src/metrics/exposition/eviction-families.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { groupTexts } from '../support/exposed-text.js';
import { mib } from '../support/units.js';

const textOf = (records: readonly EvictionRecord[]): readonly string[] =>
  evictedPodGroups.flatMap((group) => groupTexts(group, records));

it('evicted pods have their time, last usage and limit', () => {
  const labels = 'namespace="shop",pod="cart-0",node="node-1",cause="emptydir_limit"';
  expect(textOf([anEvictionRecord()])).toEqual([
    `ephemeral_storage_pod_evicted_timestamp_seconds{${labels},container="",volume="data"} 1767268800\n`,
    `ephemeral_storage_pod_evicted_used_bytes{${labels}} ${90 * mib}\n`,
    `ephemeral_storage_pod_evicted_limit_bytes{${labels}} ${100 * mib}\n`,
  ]);
});

it('evicted pods have neither usage nor limit where there is none', () => {
  const record = anEvictionRecord({ cause: 'node_admission', limitBytes: undefined, lastUsage: 'not_measured' });
  expect(textOf([record]).slice(1)).toEqual(['', '']);
});

it('evicted pods of one name are the newest with each set of labels', () => {
  const records = [
    anEvictionRecord({ uid: 'third', volume: 'other', limitBytes: 3 }),
    anEvictionRecord({ uid: 'second', limitBytes: 2 }),
    anEvictionRecord({ uid: 'first', limitBytes: 1 }),
  ];
  const [times = '', , limits = ''] = textOf(records);
  expect(times.match(/volume="\w+"/g)).toEqual(['volume="other"', 'volume="data"']);
  expect(limits.trim().split('\n')).toEqual([expect.stringMatching(/ 3$/)]);
});
