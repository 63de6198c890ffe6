import { describe, expect, it } from 'vitest';

import { documentPieces, isDocument, maxDocumentBytes, readDocument } from '../../src/history/eviction-document.js';
import type { EvictionRecord } from '../../src/history/eviction-record.js';
import { aLastUsage, anEvictionRecord } from '../support/eviction-builders.js';
import { aDeployment, aPodUsage, aVolumeUsage, aWorkload } from '../support/snapshot-builders.js';

const nowMs = Date.UTC(2026, 0, 2);
const watched = [
  { fromMs: 1_000, untilMs: 2_000 },
  { fromMs: 90_000, untilMs: nowMs },
];

/** Each field has a value, and each amount that has no form in JSON is one of those. */
const full: Required<EvictionRecord> = {
  ...anEvictionRecord({
    labels: { app: 'cart', 'pod-template-hash': '6f7' },
    workloads: [
      aDeployment('cart'),
      aWorkload(),
      aWorkload({ origin: { source: 'labels', labels: { team: 'shop' } }, type: 'labels' }),
    ],
    lastUsage: aLastUsage({
      usage: aPodUsage({
        inodesUsed: 12,
        components: { rootfs: 5_000, logs: 0, emptydir: 0, configmap: 0, other: -904 },
        volumes: [aVolumeUsage({ type: 'configmap', medium: 'Memory' })],
      }),
      ratios: [
        {
          rule: 'container',
          container: 'main',
          volume: '',
          usedBytes: 1,
          limitBytes: 0,
          ratio: Infinity,
          unenforced: 'dedicated_imagefs',
        },
      ],
      growthBytesPerSecond: -1.5,
    }),
  }),
  shortage: { threshold: 10, available: 4 },
  nodeVerdict: {
    kind: 'other',
    shortage: {
      signal: 'containerfs.available',
      filesystem: 'containerfs',
      state: 'waiting',
      gracePeriodMs: 90_000,
      threshold: 10,
      available: 4,
      missing: 6,
      capacity: 100,
      isAssumed: true,
    },
    pods: { least: 1, most: Infinity },
    images: { least: 0, most: 2 },
    first: {
      workload: aDeployment('cart'),
      pod: { namespace: 'shop', name: 'cart-0', isExempt: true },
      amount: 5,
      growth: { bytes: 3, durationMs: 60_000 },
    },
    remainder: { holder: 'exempt', bytes: 7 },
    unknownPart: 'owners',
    unreadPodCount: 2,
    alsoBelow: ['nodefs.inodesFree'],
  },
};

const textOf = (...records: readonly EvictionRecord[]): string => [...documentPieces(records, watched)].join('');
const read = (text: string) => readDocument(text, nowMs);

/** The text of the records with one more line before them. */
const withLine = (line: string, ...records: readonly EvictionRecord[]): string =>
  textOf(anEvictionRecord({ pod: 'first' }), ...records).replace('[\n', `[\n${line},\n`);

const changed = (changes: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...anEvictionRecord(), ...changes });
const withUsage = (changes: Readonly<Record<string, unknown>>): string =>
  changed({ lastUsage: { ...aLastUsage(), ...changes } });

describe('a file of evictions', () => {
  it.each<readonly [string, readonly EvictionRecord[]]>([
    ['nothing', []],
    ['a record with all that there is', [full]],
    [
      'records with little',
      [anEvictionRecord({ limitBytes: undefined, diskPressure: undefined, lastUsage: 'not_measured' })],
    ],
    ['several records', ['a', 'b', 'c'].map((pod) => anEvictionRecord({ pod }))],
  ])('a file of evictions has what was written: %s', (_what, records) => {
    expect(read(textOf(...records))).toEqual({ records, watched, leftOut: new Map() });
  });

  it.each([
    ['of before the times were kept', ''],
    ['with too many times', `"watched":[${Array.from({ length: 21 }, () => '[1,2]').join()}],`],
    ['with times that go back', '"watched":[[5,4]],'],
    ['with times in the future', `"watched":[[1,${nowMs + 60_001}]],`],
    ['with half a time', '"watched":[[1]],'],
    ['with times that are no list', '"watched":[1,2],'],
    ['with times that are no JSON', '"watched":[[1,,2],'],
  ])('the records of a file are read without the times: %s', (_what, times) => {
    const text = textOf(full).replace(/"watched":[^"]*/, times);
    expect(read(text)).toEqual({ records: [full], watched: [], leftOut: new Map() });
  });

  it('a file of evictions is JSON with a record in each line', () => {
    const text = textOf(full, anEvictionRecord());
    expect(JSON.parse(text)).toMatchObject({ ephemeralStorageEvictions: 1, records: [{ pod: 'cart-0' }, {}] });
    expect(text.split('\n')).toHaveLength(5);
  });

  it('a file of evictions has the first records that fit into 8 MiB, made piece by piece', () => {
    let madeCount = 0;
    const records = Array.from({ length: 5_000 }, (_, index) => {
      return {
        ...anEvictionRecord({ pod: `p-${index}`, message: 'é'.repeat(2_000) }),
        get node() {
          madeCount += 1;
          return 'node-1';
        },
      };
    });
    const pieces = documentPieces(records, []);
    const first = pieces.next().value as string;
    expect(first.length).toBeLessThan(100_000);
    expect(madeCount).toBeLessThan(50);
    const text = first + [...pieces].join('');
    expect(maxDocumentBytes - Buffer.byteLength(text)).toBeLessThan(6_000);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxDocumentBytes);
    const uids = read(text).records.map(({ uid }) => uid);
    expect(uids).toEqual(records.slice(0, uids.length).map(({ uid }) => uid));
    expect(uids.length).toBeGreaterThan(1_000);
  });

  it.each([
    ['nothing', '', 'it is empty'],
    ['a text without its end', textOf(full).slice(0, -3), 'its end is missing'],
    ['a text of another version', textOf(full).replace('Evictions":1', 'Evictions":2'), 'it is of another version'],
    ['a text of other lines', '{"ephemeralStorageEvictions": 1, "records": []}', 'it is of another version'],
    [
      'a million lines',
      textOf(full).replace('[\n', `[\n${'{},\n'.repeat(1_000_000)}`),
      'more than 1000 of its lines are not readable',
    ],
    ['more than 8 MiB', withLine(`"${'é'.repeat(2 ** 22)}"`), `it has more than ${maxDocumentBytes} bytes`],
  ])('a file of evictions is refused as a whole: %s', (_what, text, reason) => {
    expect(() => read(text)).toThrow(reason);
  });

  it.each([
    ['no JSON', '{"namespace":"secret-value'],
    ['nothing', '{}'],
    ['a list', '[[[[]]]]'],
    ['null', 'null'],
    ['another type', changed({ wasSeenLive: 'yes' })],
    ['an unknown cause', changed({ cause: 'none' })],
    ['a time that is no number', JSON.stringify(anEvictionRecord()).replace(/"evictedAtMs":\d+/, '"evictedAtMs":NaN')],
    ['a time without end', JSON.stringify(anEvictionRecord()).replace(/"evictedAtMs":\d+/, '"evictedAtMs":1e999')],
    ['a time that no date can be', withUsage({ fetchedAtMs: 1e300 })],
    ['a time before 1970', changed({ seenAtMs: -1 })],
    ['bytes that are no number', withUsage({ usage: { ...aPodUsage(), usedBytes: null } })],
    ['a long name', changed({ node: 'n'.repeat(3_000) })],
    ['a label that is no text', changed({ labels: { app: 1 } })],
    ['a ratio that is no number', withUsage({ ratios: [{ ...aLastUsage().ratios[0], ratio: 'NaN' }] })],
    ['an unknown signal', changed({ nodeVerdict: { kind: 'pods', alsoBelow: ['memory.available'] } })],
  ])('a line of a file of evictions is left out: %s', (_what, line) => {
    const { records, leftOut } = read(withLine(line, full));
    expect(records.map(({ pod }) => pod)).toEqual(['first', full.pod]);
    expect([...leftOut]).toEqual([['not readable', 1]]);
  });

  it.each([
    ['evictedAtMs', 60_000, 0],
    ['evictedAtMs', 60_001, 1],
    ['seenAtMs', 60_001, 1],
  ])('a record with %s %d ms in the future is left out: %d', (field, aheadMs, leftOutCount) => {
    const { leftOut } = read(withLine(changed({ [field]: nowMs + aheadMs })));
    expect([...leftOut.values()]).toEqual(leftOutCount === 0 ? [] : [1]);
    expect([...leftOut.keys()].join()).toMatch(leftOutCount === 0 ? /^$/ : /^in the future: the clock is behind/);
  });

  it('a pod that a file of evictions lists twice is one eviction, as first listed', () => {
    const text = textOf(anEvictionRecord({ node: 'one' }), anEvictionRecord({ node: 'other' }));
    const { records, leftOut } = read(text);
    expect(records.map(({ node }) => node)).toEqual(['one']);
    expect([...leftOut]).toEqual([['listed twice', 1]]);
  });

  it('a file of evictions changes no prototype', () => {
    const line = JSON.stringify(anEvictionRecord()).replace(
      '"labels":{}',
      '"labels":{"__proto__":"x","app":"cart"},"__proto__":{"isHostile":true}',
    );
    const { records } = read(withLine(line));
    const [record] = records;
    expect(record).not.toHaveProperty('isHostile');
    expect(record?.labels['app']).toBe('cart');
    expect(Object.getPrototypeOf(record?.labels)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('isHostile');
  });
});

it.each([
  ['', true],
  [textOf(), true],
  ['{"ephemeralStorageEvictions":2,', true],
  ['cache: {ttl: 30s}', false],
  [' ', false],
  ['[{"namespace":"shop"}]', false],
])('only a file of evictions or an empty one may be replaced: %j', (text, isReplaceable) => {
  expect(isDocument(text)).toBe(isReplaceable);
});
