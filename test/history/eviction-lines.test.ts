import { describe, expect, it } from 'vitest';

import { isOfEvictions, linesFor, linesOf, readLines } from '../../src/facts/history/eviction-lines.js';
import type { EvictionRecord } from '../../src/facts/history/eviction-record.js';
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

const textOf = (...records: readonly EvictionRecord[]): string => [...linesOf({ records, watched })].join('');
const lineOf = (record: EvictionRecord): string => [...linesFor([record])].join('');
const read = (text: string) => readLines(text, nowMs);

/** The text of the records with one more line before the last one. */
const withLine = (line: string, record: EvictionRecord = full): string =>
  `${textOf(anEvictionRecord({ pod: 'first' }))}\n${line}${lineOf(record)}`;

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
    expect(read(textOf(...records))).toEqual({ records, watched, leftOutCount: 0 });
  });

  it('a file of evictions is a mark, and JSON in each line', () => {
    const [mark, ...lines] = textOf(full, anEvictionRecord()).split('\n');
    expect(mark).toBe('{"ephemeralStorageEvictions":2}');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([...watched, { pod: 'cart-0' }, {}]);
  });

  it('a file of evictions has the first records that fit into 8 MiB, each made when it is written', () => {
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
    const lines = linesOf({ records, watched: [] });
    const first = `${lines.next().value}${lines.next().value}`;
    expect(madeCount).toBe(1);
    const text = first + [...lines].join('');
    expect(8 * 2 ** 20 - Buffer.byteLength(text)).toBeGreaterThanOrEqual(0);
    expect(8 * 2 ** 20 - Buffer.byteLength(text)).toBeLessThan(6_000);
    const uids = read(text).records.map(({ uid }) => uid);
    expect(uids).toEqual(records.slice(0, uids.length).map(({ uid }) => uid));
    expect(uids.length).toBeGreaterThan(1_000);
  });

  it.each([
    ['nothing', '', 0],
    ['a file without lines', '{"ephemeralStorageEvictions":2}', 0],
    ['a mark that is cut', '{"ephemeralStorageEvictions":', 0],
    ['a million lines', `{"ephemeralStorageEvictions":2}${'\n{}'.repeat(1_000_000)}`, 1_000],
  ])('no eviction is in %s', (_what, text, leftOutCount) => {
    expect(read(text)).toEqual({ records: [], watched: [], leftOutCount });
  });

  it('a line that is cut, wherever it is, takes no other one with it', () => {
    const first = anEvictionRecord({ pod: 'first' });
    const line = lineOf(full);
    for (let length = 1; length < line.length; length += 7) {
      const { records, leftOutCount } = read(`${textOf(first)}${line.slice(0, length)}${lineOf(full)}`);
      expect([records, leftOutCount]).toEqual([[first, full], length === 1 ? 0 : 1]);
    }
  });

  it.each([
    ['no JSON', '{"namespace":"secret-value'],
    ['nothing', '{}'],
    ['a list', '[[[[]]]]'],
    ['a period that goes back', '{"fromMs":5,"untilMs":4}'],
    ['a period without end', '{"fromMs":5}'],
    ['a period before 1970', '{"fromMs":-5,"untilMs":4}'],
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
    ['a verdict of an unknown kind', changed({ nodeVerdict: { kind: 'disk', alsoBelow: [] } })],
  ])('a line of a file of evictions is left out: %s', (_what, line) => {
    const { records, leftOutCount } = read(withLine(line, full));
    expect([records.map(({ pod }) => pod), leftOutCount]).toEqual([['first', full.pod], 1]);
  });

  it.each([
    ['evictedAtMs', 60_000, 0],
    ['evictedAtMs', 60_001, 1],
    ['seenAtMs', 60_001, 1],
    ['untilMs', 60_000, 0],
    ['untilMs', 60_001, 1],
  ])('a line whose %s is %d ms in the future is left out: %d', (field, aheadMs, leftOutCount) => {
    const changes = { [field]: nowMs + aheadMs };
    const line = field === 'untilMs' ? JSON.stringify({ fromMs: 1, ...changes }) : changed(changes);
    expect(read(withLine(line)).leftOutCount).toBe(leftOutCount);
  });

  it('a pod of which two processes have written is one eviction', () => {
    const text = textOf(anEvictionRecord({ node: 'one' }), anEvictionRecord({ node: 'other' }));
    expect(read(text)).toMatchObject({ records: [{ node: 'one' }], leftOutCount: 0 });
  });

  it('periods of several processes are joined where no gap is between, and the last twenty are kept', () => {
    const periods = (...of: readonly (readonly [number, number])[]) =>
      read([...linesOf({ records: [], watched: of.map(([fromMs, untilMs]) => ({ fromMs, untilMs })) })].join(''))
        .watched;
    expect(periods([0, 1_000], [0, 9_000], [200_000, 300_000], [250_000, 260_000], [69_000, 70_000])).toEqual([
      { fromMs: 0, untilMs: 70_000 },
      { fromMs: 200_000, untilMs: 300_000 },
    ]);
    expect(periods([0, 1_000], [61_001, 62_000])).toHaveLength(2);
    const many = Array.from({ length: 25 }, (_, index) => [index * 100_000, index * 100_000 + 1] as const);
    expect(periods(...many).map(({ fromMs }) => fromMs / 100_000)).toEqual(many.map((_, index) => index).slice(5));
  });

  it('a file of evictions changes no prototype', () => {
    const line = JSON.stringify(anEvictionRecord()).replace(
      '"labels":{}',
      '"labels":{"__proto__":"x","app":"cart"},"__proto__":{"isHostile":true}',
    );
    const [, record] = read(withLine(line)).records;
    expect(record).not.toHaveProperty('isHostile');
    expect(record?.labels['app']).toBe('cart');
    expect(Object.getPrototypeOf(record?.labels)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('isHostile');
  });
});

it.each([
  ['', true],
  [textOf(), true],
  ['{"ephemeralStorageEvictions":9,', true],
  ['cache: {ttl: 30s}', false],
  [' ', false],
  ['[{"namespace":"shop"}]', false],
])('only a file of evictions or an empty one may be replaced: %j', (text, isReplaceable) => {
  expect(isOfEvictions(text)).toBe(isReplaceable);
});
