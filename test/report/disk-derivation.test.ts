import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { evictionSignals } from '../../src/kubelet/eviction-signals.js';
import {
  countdownDerivation,
  type Derivation,
  fullDerivation,
  headroomDerivation,
  inodesDerivation,
  ownerDerivation,
  partDerivation,
} from '../../src/report/disk-derivation.js';
import { diskPartKinds, type DiskReport } from '../../src/report/disk-report.js';
import type { SignalReport } from '../../src/report/signal-report.js';

const node = 'node-"1"\\';
const disk: DiskReport = { filesystem: 'nodefs', capacityBytes: 2048, parts: [{ kind: 'free', bytes: 1024 }] };

const partOwners = (['logs', 'image_copies', 'other', 'unmeasured'] as const).map((owner) => ({ owner, bytes: 1 }));

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
    [true, false].map((assumed) => headroomDerivation(signalOf(signal, assumed), node)),
  ),
  fullDerivation(disk, node),
  inodesDerivation('nodefs', node),
  ...partOwners.map(({ owner }) => ownerDerivation(owner, { filesystem: 'nodefs', owners: partOwners }, node)),
  countdownDerivation('nodefs.available', node),
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
  const derived = headroomDerivation(signalOf(signal, isAssumed), node);
  expect(derived.query).toContain(query);
  expect(derived.text).toBe(text);
});
