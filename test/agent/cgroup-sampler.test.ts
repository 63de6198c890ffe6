import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Lane } from '../../src/lib/base/lane.js';
import { aPod } from '../support/builders.js';
import {
  type CgroupFiles,
  cgroupFolder,
  filesV1,
  filesV2,
  type MadePod,
  type MadeTree,
  writeCgroups,
} from '../support/cgroup-trees.js';
import { untilEnd } from '../support/fixtures.js';
import { atOnce } from '../support/lanes.js';
import { ManualClock } from '../support/manual-clock.js';
import { aNodeAgent } from '../support/node-agents.js';
import { temporaryFolder } from '../support/programs.js';
import { recordingLogger } from '../support/recording-logger.js';
import { aBoundPod, someNodeObjects } from '../support/snapshot-builders.js';

const it = test.extend('host', ({ onTestFinished }) => untilEnd(onTestFinished, temporaryFolder()));

const v2: MadeTree = { version: 'v2', driver: 'systemd' };
const v1: MadeTree = { version: 'v1', driver: 'cgroupfs' };
const old: MadePod = { uid: '0b2d9c1e-7b6f-4c39-9f7e-0c8e61c0a001', qos: 'guaranteed' };
const job: MadePod = { uid: '0b2d9c1e-7b6f-4c39-9f7e-0c8e61c0a002', qos: 'burstable' };

type Peaks = readonly [memoryBytes: number | undefined, pids: number | undefined];

/** A node whose agent samples every 50 ms. `oldKernel`: one without files for peaks, but for that of memory in cgroup v1. */
function nodeWith({
  host,
  tree = v2,
  oldKernel = true,
  sampleIntervalMs = 50,
  lane = atOnce,
}: {
  readonly host: string;
  readonly tree?: MadeTree;
  readonly oldKernel?: boolean;
  readonly sampleIntervalMs?: number;
  readonly lane?: Lane;
}) {
  const kernelFiles = Object.entries(tree.version === 'v2' ? filesV2 : filesV1);
  const files = Object.fromEntries(kernelFiles.filter(([name]) => !oldKernel || !name.endsWith('.peak')));
  const folderOf = (file: string, pod?: MadePod): string =>
    path.join(host, 'sys/fs/cgroup', tree.version === 'v2' ? '' : (file.split('.')[0] ?? ''), cgroupFolder(tree, pod));
  const start = (...pods: readonly MadePod[]): void => {
    const made = pods.map((pod) => ({ ...pod, files }));
    writeCgroups(host, tree, made);
    if (oldKernel)
      for (const name of ['memory.peak', 'pids.peak']) rmSync(path.join(folderOf(name), name), { force: true });
  };
  const write = (pod: MadePod, changed: CgroupFiles): void => {
    for (const [name, text] of Object.entries(changed))
      writeFileSync(path.join(folderOf(name, pod), name), `${text}\n`);
  };
  const end = (pod: MadePod): void => {
    for (const name of Object.keys(files)) rmSync(folderOf(name, pod), { recursive: true, force: true });
  };
  start(old);
  const clock = new ManualClock();
  const stop = new AbortController();
  const log: string[] = [];
  const agent = aNodeAgent(
    { cgroupFolder: path.join(host, 'sys/fs/cgroup'), clock, lane, sampleIntervalMs, logger: recordingLogger(log) },
    stop.signal,
  );
  /** Scrapes: the pods that run for the API server, and those that have ended. */
  const peaksOf = async (...pods: readonly MadePod[]): Promise<Readonly<Record<string, Peaks>>> => {
    const bound = pods.map(({ uid }) => aBoundPod({ pod: aPod({ name: uid, kubeletUid: uid }) }));
    const nodes = [someNodeObjects({ pods: bound.slice(0, 1), formerPods: bound.slice(1) })];
    const read = await agent.read(nodes, new Set(['memory', 'pids'] as const));
    return Object.fromEntries(
      read.pods.map(({ name, resources: { memory, pids } }) => [name, [memory?.peakBytes, pids?.peak]]),
    );
  };
  return { clock, log, stop, start, write, end, peaksOf, folderOf };
}

describe('sampling of cgroups', () => {
  it.for<[what: string, tree: MadeTree, oldKernel: boolean, peaks: Peaks]>([
    ['cgroup v2, peaks of samples', v2, true, [300, 9]],
    ['cgroup v2, peaks of the kernel', v2, false, [125_829_120, 12]],
    ['cgroup v1', v1, true, [125_829_120, 9]],
  ])(
    'a pod that begins and ends between two scrapes has its peaks: %s',
    async ([, tree, oldKernel, peaks], { host }) => {
      const { clock, start, write, end, peaksOf } = nodeWith({ host: host.path, tree, oldKernel });
      expect(await peaksOf(old, job)).not.toHaveProperty(job.uid);
      await clock.advance(10_000);
      start(old, job);
      const current = tree === v2 ? 'memory.current' : 'memory.usage_in_bytes';
      for (const [bytes, pids] of [
        ['100', '2'],
        ['300', '9'],
        ['200', '3'],
      ] as const) {
        write(job, { [current]: bytes, 'pids.current': pids });
        await clock.advance(50);
      }
      end(job);
      await clock.advance(10_000);
      expect((await peaksOf(old, job))[job.uid]).toEqual(peaks);
    },
  );

  it('the other values of a pod that has ended are unknown, and it is forgotten after minutes', async ({ host }) => {
    const { clock, start, end, peaksOf } = nodeWith({ host: host.path });
    await clock.advance(50);
    start(old, job);
    await clock.advance(50);
    end(job);
    await clock.advance(300_000);
    expect(await peaksOf(job)).toEqual({ [job.uid]: [104_857_600, 7] });
    await clock.advance(60_000);
    expect(await peaksOf(job)).toEqual({});
  });

  it('the peak of a pod that runs is no less than its value at the scrape, and unknown after a minute', async ({
    host,
  }) => {
    const { clock, start, write, peaksOf } = nodeWith({ host: host.path });
    await clock.advance(50);
    start(old, job);
    write(job, { 'memory.current': '100', 'pids.current': '5' });
    await clock.advance(50);
    write(job, { 'memory.current': '400', 'pids.current': '4' });
    expect(await peaksOf(job)).toEqual({ [job.uid]: [400, 5] });
    await clock.advance(60_000);
    expect(await peaksOf(job)).toEqual({ [job.uid]: [undefined, undefined] });
  });

  it("the kernel's peaks of a pod that runs are served as they are, and do not fall with its end", async ({ host }) => {
    const { clock, start, write, end, peaksOf } = nodeWith({
      host: host.path,
      oldKernel: false,
      sampleIntervalMs: 10_000,
    });
    await clock.advance(10_000);
    start(old, job);
    await clock.advance(10_000);
    write(job, { 'memory.peak': '900000000', 'pids.peak': '99' });
    expect(await peaksOf(job)).toEqual({ [job.uid]: [900_000_000, 99] });
    end(job);
    await clock.advance(10_000);
    expect(await peaksOf(job)).toEqual({ [job.uid]: [900_000_000, 99] });
  });

  it('pods that were there before have no peaks but those of the kernel', async ({ host }) => {
    const { clock, start, end, peaksOf } = nodeWith({ host: host.path });
    await clock.advance(1_000);
    expect(await peaksOf(old)).toEqual({ [old.uid]: [undefined, undefined] });
    start(job);
    end(old);
    await clock.advance(1_000);
    expect(await peaksOf(old)).toEqual({});
  });

  it('without an interval nothing is sampled, and a pod that has ended has no values', async ({ host }) => {
    const { clock, start, end, peaksOf } = nodeWith({ host: host.path, sampleIntervalMs: 0 });
    expect(clock.sleeperCount).toBe(0);
    start(old, job);
    await clock.advance(1_000);
    end(job);
    expect(await peaksOf(old, job)).toEqual({ [old.uid]: [undefined, undefined] });
  });

  it('at most a hundred pods are kept, the latest', async ({ host }) => {
    const { clock, start, end, peaksOf } = nodeWith({ host: host.path });
    await clock.advance(50);
    const many = Array.from({ length: 120 }, (_, index): MadePod => ({ uid: `job-${index}`, qos: 'besteffort' }));
    for (const wave of [many.slice(0, 20), many.slice(20)]) {
      start(old, ...wave);
      await clock.advance(50);
      for (const pod of wave) end(pod);
    }
    const names = Object.keys(await peaksOf(old, ...many));
    expect(names).toEqual([old.uid, ...many.slice(20).map(({ uid }) => uid)]);
  });

  it('a sample begins when the one before has ended, those it was late for are left out, and the signal ends them', async ({
    host,
  }) => {
    let count = 0;
    let free: (() => void) | undefined;
    const busy = new Promise<void>((resolve) => {
      free = resolve;
    });
    const lane: Lane = {
      ...atOnce,
      run: async (task) => {
        count += 1;
        if (count === 2) await busy;
        return task();
      },
    };
    const { clock, stop } = nodeWith({ host: host.path, lane });
    await clock.advance(1_000);
    expect(count).toBe(2);
    free?.();
    await clock.advance(0);
    expect(count).toBe(2);
    await clock.advance(50);
    expect(count).toBe(3);
    stop.abort(new Error('over'));
    await clock.advance(1_000);
    expect([count, clock.sleeperCount]).toEqual([3, 0]);
  });

  it('cgroups that cannot be listed are one warning, and their pods are no younger afterwards', async ({ host }) => {
    const { clock, log, start, peaksOf, folderOf } = nodeWith({ host: host.path });
    await clock.advance(1_000);
    rmSync(folderOf('memory.current'), { recursive: true });
    await clock.advance(1_000);
    start(old);
    await clock.advance(1_000);
    expect(await peaksOf(old)).toEqual({ [old.uid]: [undefined, undefined] });
    expect(log.filter((line) => !line.startsWith('debug')).slice(1)).toEqual([
      expect.stringMatching(/^warn: failed to sample the cgroups of pods .*kubepods\.slice has no cgroups of pods/),
      expect.stringMatching(/^info: sampled the cgroups of pods after/),
    ]);
  });
});
