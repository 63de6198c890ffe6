import { expect, it } from 'vitest';

import { linesOf, readLines } from '../../src/facts/history/eviction-lines.js';
import { boundedLabels, boundedRatios, boundedUsage } from '../../src/facts/history/record-bounds.js';
import { aLastUsage, anEvictionRecord } from '../support/eviction-builders.js';
import { retainedBytes } from '../support/heap.js';
import { aContainerUsage, aLimitRatio, aPodUsage, aVolumeUsage } from '../support/snapshot-builders.js';

const none = { container: '', volume: '' };
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const usageOf = (count: number) =>
  aPodUsage({
    usedBytes: 1_000,
    containers: range(count).map((n) =>
      aContainerUsage({ name: `c-${n}`, usedBytes: n, rootfsBytes: n, logsBytes: 0 }),
    ),
    volumes: range(count).map((n) => aVolumeUsage({ name: `v-${n}`, usedBytes: n })),
  });

const sumOf = (items: readonly { readonly usedBytes: number | undefined }[]): number =>
  items.reduce((sum, { usedBytes = 0 }) => sum + usedBytes, 0);

it('a record keeps the largest of more, and the sum of the others', () => {
  const usage = usageOf(30);
  const { containers, volumes } = boundedUsage(usage, none);
  expect(containers.map(({ name }) => name)).toEqual([
    ...range(30)
      .slice(10)
      .map((n) => `c-${n}`),
    '(others)',
  ]);
  expect(containers.at(-1)).toEqual({ name: '(others)', usedBytes: 45, rootfsBytes: 45, logsBytes: 0 });
  expect(volumes.map(({ name }) => name)).toEqual([
    ...range(30)
      .slice(10)
      .map((n) => `v-${n}`),
    '(others)',
  ]);
  expect([sumOf(containers), sumOf(volumes)]).toEqual([sumOf(usage.containers), sumOf(usage.volumes)]);
});

it('a record keeps the container and the volume that the pod was evicted for, however small', () => {
  const { containers, volumes } = boundedUsage(usageOf(30), { container: 'c-0', volume: 'v-1' });
  expect(containers[0]).toMatchObject({ name: 'c-0', usedBytes: 0 });
  expect(volumes[0]).toMatchObject({ name: 'v-1', usedBytes: 1 });
});

it('a record has one entry for others, also of a usage that has one', () => {
  const usage = usageOf(30);
  const others = aContainerUsage({ name: '(others)', usedBytes: 5_000 });
  const { containers } = boundedUsage({ ...usage, containers: [...usage.containers, others] }, none);
  expect(containers.filter(({ name }) => name === '(others)')).toMatchObject([{ usedBytes: 5_045 }]);
});

it('a record keeps the nearest twenty limits in their order, and the one that the pod was evicted for', () => {
  const ratios = [
    ...range(30).map((n) => aLimitRatio({ rule: 'container', container: `c-${n}`, usedBytes: n, limitBytes: 100 })),
    aLimitRatio({ rule: 'container', container: 'empty', usedBytes: 1, limitBytes: 0 }),
  ];
  const few = ratios.slice(0, 20);
  expect(boundedRatios(few, none)).toBe(few);
  const kept = boundedRatios(ratios, { container: 'c-3', volume: '' }).map(({ container }) => container);
  expect(kept).toEqual([
    'c-3',
    ...range(30)
      .slice(12)
      .map((n) => `c-${n}`),
    'empty',
  ]);
  const ofNothing = range(25).map((n) => aLimitRatio({ container: `c-${n}`, usedBytes: 1, limitBytes: 0 }));
  const keptOfNothing = boundedRatios(ofNothing, { container: 'c-24', volume: '' });
  expect(keptOfNothing.map(({ container }) => container)).toEqual([...range(19).map((n) => `c-${n}`), 'c-24']);
});

it('a record keeps labels as they are, and the first 8,192 characters of more', () => {
  const ofCount = (count: number) =>
    Object.fromEntries(range(count).map((n) => [`key-${String(n).padStart(2, '0')}`, 'x'.repeat(122)]));
  const labels = ofCount(64);
  expect(boundedLabels(labels)).toBe(labels);
  expect(boundedLabels(ofCount(66))).toEqual(labels);
});

it('a record of the largest pod takes less than 32 KiB of memory and 64 KiB of a file, and is read again', () => {
  const long = (kind: string, n: number): string => `${kind}-${n}-`.padEnd(253, 'x');
  const usage = aPodUsage({
    containers: range(100).map((n) => aContainerUsage({ name: long('c', n), usedBytes: n + 0.5 })),
    volumes: range(100).map((n) => aVolumeUsage({ name: long('v', n), usedBytes: n + 0.5, medium: 'HugePages-2Mi' })),
  });
  const ratios = range(500).map((n) => aLimitRatio({ container: long('c', n), usedBytes: n + 1, limitBytes: 7 }));
  const labels = Object.fromEntries(range(100).map((n) => [long('k', n), 'v'.repeat(63)]));
  const make = () =>
    anEvictionRecord({
      labels: boundedLabels({ ...labels }),
      message: '\u0001'.repeat(2_000),
      lastUsage: aLastUsage({ usage: boundedUsage(usage, none), ratios: boundedRatios(ratios, none) }),
    });
  expect(retainedBytes(() => range(100).map(make)) / 100).toBeLessThan(32 * 1024);
  const text = [...linesOf({ records: [make()], watched: [] })].join('');
  expect(text.length).toBeLessThan(65_536);
  expect(readLines(text, Date.UTC(2030, 0)).records).toEqual([make()]);
});
