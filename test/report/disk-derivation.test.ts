import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { evictionSignals } from '../../src/kubelet/eviction-signals.js';
import {
  countdownDerivation,
  type Derivation,
  fullDerivation,
  headroomDerivation,
  inodesDerivation,
  partDerivation,
} from '../../src/report/disk-derivation.js';
import { diskPartKinds, type DiskReport } from '../../src/report/disk-report.js';
import type { SignalReport } from '../../src/report/signal-report.js';

const node = 'node-"1"\\';
const disk: DiskReport = { filesystem: 'nodefs', capacityBytes: 2048, parts: [{ kind: 'free', bytes: 1024 }] };

/** One disk under three names. */
const filesystems = [
  { filesystem: 'nodefs' },
  { filesystem: 'imagefs', sameAs: 'nodefs' },
  { filesystem: 'containerfs', sameAs: 'imagefs' },
] as const;

const signalOf = (signal: SignalReport['signal'], isAssumed: boolean): SignalReport => ({
  signal,
  isAssumed,
  isCrossed: false,
  available: 300,
  headroom: 200,
  ...(signal.endsWith('inodesFree') ? { thresholdInodes: 100 } : { thresholdBytes: 100 }),
});

const all: readonly Derivation[] = [
  ...diskPartKinds.map((kind) => partDerivation(kind, disk, node)),
  ...evictionSignals.flatMap((signal) =>
    [true, false].map((assumed) => headroomDerivation(signalOf(signal, assumed), { node, filesystems })),
  ),
  fullDerivation(disk, node),
  inodesDerivation({ filesystem: 'nodefs', inodes: 1_000, inodesFree: 250 }, node),
  countdownDerivation({ signal: 'nodefs.available', headroom: 200, timeToEvictionMs: 120_000 }, node),
];

it('every figure of a node has a query whose families are in the documentation', () => {
  const documented = new Set(
    Array.from(
      readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8').matchAll(
        /\| `(ephemeral_storage_\w+)` \|/g,
      ),
      ([, name]) => name,
    ),
  );
  const named = all.map(({ query = '' }) => query.match(/ephemeral_storage_\w+/g) ?? []);
  expect(named.filter((names) => names.length === 0)).toEqual([]);
  expect(named.flat().filter((name) => !documented.has(name))).toEqual([]);
  expect(documented.size).toBeGreaterThan(50);
});

it('names of nodes are strings of PromQL, whatever they have', () => {
  for (const { query } of all) expect(query).toContain('node="node-\\"1\\"\\\\"');
});

it.each([
  ['nodefs.available', true, '- 100', '300B (300) available - 100B (100) of threshold.'],
  ['nodefs.available', false, 'eviction_headroom_bytes', '300B (300) available - 100B (100) of threshold.'],
  ['nodefs.inodesFree', false, 'eviction_headroom_inodes', '300 inodes available - 100 inodes of threshold.'],
  ['containerfs.available', false, '- 100', '300B (300) available - 100B (100) of threshold.'],
] as const)('the headroom of %s with a threshold that is assumed (%s) is derived', (signal, isAssumed, query, text) => {
  const derived = headroomDerivation(signalOf(signal, isAssumed), { node, filesystems });
  expect(derived.query).toContain(query);
  expect(derived.text).toBe(text);
});

it.each([
  ['imagefs.available', filesystems, 'node_available_bytes', 'nodefs'],
  ['imagefs.inodesFree', filesystems, 'node_inodes_free', 'nodefs'],
  ['containerfs.available', filesystems, 'node_available_bytes', 'nodefs'],
  ['imagefs.available', [{ filesystem: 'nodefs' }, { filesystem: 'imagefs' }], 'node_available_bytes', 'imagefs'],
] as const)(
  'an assumed headroom of %s is asked of the filesystem that has series (%j)',
  (signal, of, family, place) => {
    const { query } = headroomDerivation(signalOf(signal, true), { node: 'node-1', filesystems: of });
    expect(query).toBe(`ephemeral_storage_${family}{node="node-1", filesystem="${place}"} - 100`);
  },
);

it.each([
  ['images', '120B (120) - 20B (20) = 100B (100).'],
  ['unattributed', '690B (690) used - 50B (50) of pods - 100B (100) of images = 540B (540).'],
  ['reserved', '1000B (1,000) - 690B (690) - 300B (300) = 10B (10).'],
] as const)('the part %s is derived in numbers', (kind, arithmetic) => {
  const parts = [
    { kind: 'rootfs', bytes: 20 },
    { kind: 'logs', bytes: 30 },
    { kind: 'images', bytes: 100 },
    { kind: 'unattributed', bytes: 540 },
    { kind: 'reserved', bytes: 10 },
    { kind: 'free', bytes: 300 },
  ] as const;
  expect(partDerivation(kind, { ...disk, capacityBytes: 1_000, parts }, node).text).toContain(` ${arithmetic}`);
});

it('a part of numbers that are not known has no arithmetic of them', () => {
  const parts = [{ kind: 'images' }, { kind: 'unattributed' }, { kind: 'free', bytes: 300 }] as const;
  for (const kind of ['images', 'unattributed'] as const)
    expect(partDerivation(kind, { ...disk, parts }, node).text).not.toContain(' = ');
});

it.each([
  [{ headroom: 2_048, timeToEvictionMs: 120_000 }, '2Ki (2,048) of headroom ÷ 1Ki (1,024) a minute on average = 2m.'],
  [{ headroom: 2_048 }, '2Ki (2,048) of headroom; no growth is forecast to use it up within a day.'],
  [{ headroom: -2_048, timeToEvictionMs: 0 }, '2Ki (2,048) missing: it is below the threshold.'],
])('a countdown is derived in numbers: %j', (facts, text) => {
  expect(countdownDerivation({ signal: 'nodefs.available', ...facts }, node).text).toContain(text);
});

it('the part of the inodes is derived in numbers', () => {
  const { text } = inodesDerivation({ filesystem: 'nodefs', inodes: 1_000, inodesFree: 250 }, node);
  expect(text).toBe('1 - 250 inodes free ÷ 1,000 inodes, as the kubelet reports them.');
});
