import { expect, it } from 'vitest';

import { decodeEvictions } from '../../../src/commands/evictions/received-evictions.js';
import { toJson } from '../../../src/json/json.js';
import { evictionReport } from '../../../src/report/eviction-report.js';
import { aLastUsage, anEvictionRecord } from '../../support/eviction-builders.js';
import { aLimitRatio } from '../../support/snapshot-builders.js';

const decodePage = (value: unknown) => decodeEvictions(Buffer.from(toJson(value)), 'GET /api/v1/evictions');
const decode = (items: readonly unknown[]) => decodePage({ items, totalCount: items.length }).items;
const report = evictionReport(anEvictionRecord());

it('the evictions of a response are those that an exporter sends', () => {
  const ratios = [aLimitRatio({ usedBytes: 1, limitBytes: 0 })];
  const ofLimitZero = evictionReport(anEvictionRecord({ lastUsage: aLastUsage({ ratios }) }));
  const unmeasured = evictionReport(anEvictionRecord({ lastUsage: 'before_start' }));
  const [first, second, third] = decode([report, ofLimitZero, unmeasured]);
  expect(first).toEqual(JSON.parse(toJson(report)));
  expect(second?.lastUsage?.limits).toMatchObject([{ limitBytes: 0, ratio: Infinity }]);
  expect(third).toMatchObject({ unknownUsageReason: 'before_start' });
});

it('the evictions of a response may be those of a newer exporter', () => {
  const newer = { ...report, cause: 'volume_limit', unknownUsageReason: 'lost', isNew: true };
  expect(decode([newer])).toMatchObject([{ cause: 'other', unknownUsageReason: undefined, isNew: true }]);
});

it.each([
  ['another object', { kind: 'Status' }],
  ['an eviction without a pod', { items: [{ ...report, pod: undefined }], totalCount: 1 }],
  ['a time that is text', { items: [{ ...report, evictedAtMs: 'now' }], totalCount: 1 }],
  ['no count', { items: [report] }],
])('a response is refused with %s', (_what, value) => {
  expect(() => decodePage(value)).toThrow(/GET \/api\/v1\/evictions: not a list of evictions/);
});

it('a response that is not JSON is refused', () => {
  expect(() => decodeEvictions(Buffer.from('<html>'), 'GET x')).toThrow('GET x: not JSON');
});
