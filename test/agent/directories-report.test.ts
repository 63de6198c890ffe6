import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { type DirectoriesOptions, type DirectoriesPod, podDirectories } from '../../src/agent/directories-report.js';
import type { DuWalker } from '../../src/agent/du-walker.js';
import { systemClock } from '../../src/base/clock.js';
import { aWalker, duNeeded, duOf, hasDu, noLimits, scriptedDu } from '../support/du.js';
import { ManualClock } from '../support/manual-clock.js';
import { temporaryFolder } from '../support/programs.js';

const never = new AbortController().signal;
const id = 'ab'.repeat(32);

const pod: DirectoriesPod = {
  namespace: 'shop',
  name: 'cart-0',
  kubeletUid: '3e8799a2',
  containers: [{ name: 'main', id }],
  emptyDirs: ['cache'],
};

const upperDirectory = '/var/lib/containerd/snapshots/3/fs';
const cacheDirectory = '/var/lib/kubelet/pods/3e8799a2/volumes/kubernetes.io~empty-dir/cache';
const logsDirectory = '/var/log/pods/shop_cart-0_3e8799a2';

function options(hostRoot: string, changed: Partial<DirectoriesOptions> = {}): DirectoriesOptions {
  return {
    clock: systemClock,
    walker: aWalker(),
    hostRoot,
    mounts: { layers: [{ containerId: id, upperDirectory, lowerDirectories: [] }] },
    limits: noLimits,
    maxDepth: 8,
    thresholdBytes: 0,
    topCount: 20,
    ...changed,
  };
}

async function put(root: string, name: string, sizeBytes: number): Promise<void> {
  const file = path.join(root, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, Buffer.alloc(sizeBytes, 1));
}

describe.skipIf(!hasDu)(`the directories of a pod; ${duNeeded}`, () => {
  it('are those of its containers, emptyDirs and logs, the largest first, with sums as du has them', async () => {
    await using host = await temporaryFolder();
    await put(host.path, `${upperDirectory}/tmp/dump`, 900_000);
    await put(host.path, `${upperDirectory}/etc/hosts`, 100);
    await put(host.path, `${cacheDirectory}/a/b\nc`, 500_000);
    await put(host.path, `${logsDirectory}/main/0.log`, 300_000);
    const report = await podDirectories(pod, options(host.path), never);
    expect(report).toMatchObject({
      namespace: 'shop',
      pod: 'cart-0',
      places: [
        { kind: 'rootfs', name: 'main', usedBytes: duOf(host.path + upperDirectory), end: 'complete', entryCount: 4 },
        { kind: 'emptydir', name: 'cache', usedBytes: duOf(host.path + cacheDirectory), entryCount: 2 },
        { kind: 'logs', usedBytes: duOf(host.path + logsDirectory), entryCount: 2 },
      ],
    });
    expect(report.measuredAtMs).toBeLessThanOrEqual(Date.now());
    const [rootfs, cache] = report.places;
    expect(rootfs?.entries.map((entry) => entry.path)).toEqual(['tmp', 'tmp/dump', 'etc', 'etc/hosts']);
    const [largest] = rootfs?.entries ?? [];
    expect(largest?.share).toBe((largest?.usedBytes ?? NaN) / (rootfs?.usedBytes ?? NaN));
    expect(cache?.entries.map((entry) => entry.path)).toEqual(['a', String.raw`a/b\u000ac`]);
  });

  it('that are absent do not affect the others', async () => {
    await using host = await temporaryFolder();
    await put(host.path, `${logsDirectory}/main/0.log`, 300_000);
    const containers = [{ name: 'ended', id: 'cd'.repeat(32) }];
    const { places } = await podDirectories({ ...pod, containers }, options(host.path), never);
    expect(places).toMatchObject([
      { name: 'ended', end: 'absent', entries: [] },
      { name: 'cache', usedBytes: 0, entries: [] },
      { kind: 'logs', usedBytes: duOf(host.path + logsDirectory) },
    ]);
    expect(places[0]?.message).toContain('not running');
    expect(places[1]?.message).toContain('No such file or directory');
  });

  it('are never outside the folders of the pod, whatever its names', async () => {
    await using host = await temporaryFolder();
    await put(host.path, '/etc/secret', 5_000);
    const hostile = {
      ...pod,
      name: '../../../etc',
      kubeletUid: '../../../../etc',
      emptyDirs: ['../../../../etc', '..', ''],
    };
    const { places } = await podDirectories(hostile, options(host.path, { mounts: { layers: [] } }), never);
    expect(places.map(({ end }) => end)).toEqual(Array(5).fill('absent'));
  });
});

describe('the directories of a pod', () => {
  it('are a few of a million entries', async () => {
    const script = String.raw`awk 'BEGIN { for (i = 1; i <= 1000000; i++) printf "%d\t/var/log/pods/shop_cart-0_3e8799a2/%d%c", i, i, 0
      printf "4000000\ttotal%c", 0 }'`;
    const walker = aWalker({ command: scriptedDu(script) });
    const { places } = await podDirectories(
      { ...pod, containers: [], emptyDirs: [] },
      options('/', { walker, topCount: 2 }),
      never,
    );
    const entries = [
      { path: '1000000', usedBytes: 1_000_000, share: 0.25 },
      { path: '999999', usedBytes: 999_999, share: 0.249_999_75 },
    ];
    expect(places).toMatchObject([{ usedBytes: 4_000_000, end: 'complete', entryCount: 1_000_000, entries }]);
  });

  it('have entries without shares when the walk was cut', async () => {
    const script = String.raw`printf '7\t/var/log/pods/shop_cart-0_3e8799a2/a\000''8\t/b\000'; sleep 600`;
    const walker = aWalker({ command: scriptedDu(script) });
    const limits = { ...noLimits, maxEntryCount: 1 };
    const { places } = await podDirectories(
      { ...pod, containers: [], emptyDirs: [] },
      options('/', { walker, limits }),
      never,
    );
    expect(places).toEqual([
      { kind: 'logs', end: 'entries', unreadableCount: 0, entries: [{ path: 'a', usedBytes: 7 }], entryCount: 1 },
    ]);
  });

  it('share one limit of time', async () => {
    const clock = new ManualClock();
    const durations: number[] = [];
    const walk: DuWalker['walk'] = ({ maxDurationMs }) => {
      durations.push(maxDurationMs);
      clock.passWithoutTimers(700);
      const result = { usedBytes: undefined, entryCount: 0, unreadableCount: 0, message: undefined };
      return Promise.resolve({ end: 'time', ...result });
    };
    const limits = { ...noLimits, maxDurationMs: 1_000 };
    const { places } = await podDirectories(pod, options('/', { clock, walker: { walk }, limits }), never);
    expect(durations).toEqual([1_000, 300, 0]);
    expect(places.map(({ end, usedBytes }) => [end, usedBytes])).toEqual(Array(3).fill(['time', undefined]));
  });
});
