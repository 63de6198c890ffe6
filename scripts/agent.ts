/**
 * Measures what the agent costs its node, on a filesystem of its own in a file: how long du walks many files and in what share of the
 * time it runs, whether writes of others take longer beside it, and what the cgroups of 110 pods cost a scrape, and while they are
 * sampled. A benchmark, no test. Linux only, as root, with coreutils, util-linux and e2fsprogs. `--only walk`, `latency`, `cgroups` or
 * `samples`.
 */
import { execFileSync } from 'node:child_process';
import { constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { findDuCommand } from '../src/agent/du-command.js';
import { DuBudget } from '../src/agent/du-pacing.js';
import { type DuResult, DuWalker } from '../src/agent/du-walker.js';
import { systemClock } from '../src/base/clock.js';
import { resourceParts } from '../src/node/agent-pod.js';
import { aPod } from '../test/support/builders.js';
import { cgroupFolder, writeCgroups } from '../test/support/cgroup-trees.js';
import { aJob } from '../test/support/du.js';
import { heldBytes } from '../test/support/heap.js';
import { aNodeAgent } from '../test/support/node-agents.js';
import { aBoundPod, someNodeObjects } from '../test/support/snapshot-builders.js';
import { mean, median } from './bench/statistics.js';

const { values: flags } = parseArgs({
  options: {
    files: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '12' },
    'window-seconds': { type: 'string', default: '6' },
    only: { type: 'string', default: '' },
  },
});
const fileCount = Number(flags.files);
const windowMs = Number(flags['window-seconds']) * 1_000;
const filesPerFolder = 1_000;
const blockBytes = 4_096;
const podCount = 110;
const budgetShare = 0.05;
const megabyte = 1e6;

const folder = await mkdtemp(path.join(tmpdir(), 'agent-benchmark-'));
const mounted = path.join(folder, 'mounted');
const command = await findDuCommand(process.env['PATH'] ?? '');

/** Runs a walk that ends by `signal` or after an hour. */
function walk(share: number, signal: AbortSignal, maxDurationMs = 3_600_000): Promise<DuResult> {
  const isBusy = (): Promise<boolean> => Promise.resolve(false);
  const walker = new DuWalker({ command, clock: systemClock, budget: new DuBudget(share), isBusy });
  return walker.walk(aJob(path.join(mounted, 'files'), { maxDepth: 0, maxDurationMs }), signal);
}

function shell(script: string, ...parameters: readonly string[]): string {
  return execFileSync('sh', ['-ec', script, 'sh', ...parameters], { encoding: 'utf8' }).trim();
}

/** Returns its loop device, which the page cache of the machine is not below: what is mounted again is read from the disk. */
function makeDisk(): string {
  mkdirSync(mounted);
  const made = shell(
    'truncate -s "$2" "$1"; mkfs.ext4 -q -N "$3" "$1"; losetup --direct-io=on -f --show "$1"',
    ...[path.join(folder, 'image'), String(2e9 + fileCount * 1_024), String(fileCount + 10_000)],
  );
  shell('mount "$1" "$2"', made, mounted);
  for (let index = 0; index < fileCount; index += 1) {
    const inside = path.join(mounted, 'files', String(Math.floor(index / filesPerFolder)));
    if (index % filesPerFolder === 0) mkdirSync(inside, { recursive: true });
    writeFileSync(path.join(inside, `file-${index}`), '');
  }
  writeFileSync(path.join(mounted, 'written'), Buffer.alloc(64 * megabyte, 1));
  return made;
}

function forgetCaches(mountedDevice: string): void {
  shell('umount "$2"; mount "$1" "$2"', mountedDevice, mounted);
}

/** Of the time until `work` settles, that in which a child process was not stopped. */
async function runningShare(work: Promise<unknown>): Promise<number> {
  const over = new AbortController();
  const end = (): void => {
    over.abort();
  };
  void work.then(end, end);
  const seen = { running: 0, all: 0 };
  while (!over.signal.aborted) {
    await delay(5);
    seen.all += 1;
    if (childStates().some((state) => state !== 'T')) seen.running += 1;
  }
  return seen.running / seen.all;
}

/** A letter for each child process: T for one that is stopped. */
function childStates(): readonly string[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').match(/\d+/g) ?? [];
  return children.flatMap((pid) => {
    try {
      return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? [];
    } catch {
      return []; // it has just ended
    }
  });
}

async function measureWalks(device: string): Promise<void> {
  const { signal } = new AbortController();
  for (const [cache, share] of [
    ['cold', 1],
    ['warm', 1],
    ['cold', budgetShare],
    ['warm', budgetShare],
  ] as const) {
    if (cache === 'cold') forgetCaches(device);
    const [startMs, rssBytes] = [performance.now(), process.memoryUsage.rss()];
    const work = walk(share, signal);
    const ranShare = await runningShare(work);
    const { end } = await work;
    console.log(
      `walk of ${fileCount} files, ${cache}, budget ${share * 100} %: ${end} after ${seconds(performance.now() - startMs)} s,`,
      `running in ${(ranShare * 100).toFixed(1)} % of them, memory of this process`,
      `${((process.memoryUsage.rss() - rssBytes) / megabyte).toFixed(1)} MB more`,
    );
  }
  const startMs = performance.now();
  const { end } = await walk(budgetShare, signal, 5_000);
  console.log(`walk that may last 5 s: ended by ${end} after ${seconds(performance.now() - startMs)} s`);
}

const seconds = (durationMs: number): string => (durationMs / 1_000).toFixed(2);

interface Window {
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Overwrites blocks, each until the disk has it. */
async function writeWindow(): Promise<Window> {
  const file = await open(path.join(mounted, 'written'), constants.O_WRONLY);
  const block = Buffer.alloc(blockBytes, 2);
  const takenMs: number[] = [];
  const endMs = performance.now() + windowMs;
  for (let startMs = performance.now(); startMs < endMs; startMs = performance.now()) {
    await file.write(block, 0, blockBytes, ((takenMs.length * 7_919) % 15_000) * blockBytes);
    await file.datasync();
    takenMs.push(performance.now() - startMs);
  }
  await file.close();
  takenMs.sort((one, other) => one - other);
  return { medianMs: median(takenMs), p99Ms: takenMs[Math.floor(takenMs.length * 0.99)] ?? NaN };
}

async function besideWalks(share: number): Promise<Window> {
  const stop = new AbortController();
  const walks = async (): Promise<void> => {
    while (!stop.signal.aborted) await walk(share, stop.signal);
  };
  const walking = walks();
  const window = await writeWindow();
  stop.abort(new Error('over'));
  await walking;
  while (childStates().length > 0) await delay(5); // a killed du keeps the filesystem busy
  return window;
}

/** In turns, so that what else the machine does meets all of them. Each ratio is that of neighbours. */
async function measureLatency(device: string): Promise<void> {
  const modes = ['alone', 'alone again', 'beside a walk of 5 %', 'beside a walk without budget'] as const;
  const windows = modes.map((): Window[] => []);
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (let turn = 0; turn < modes.length; turn += 1) {
      const index = (round + turn) % modes.length; // none is always the first after the others
      const mode = modes[index] ?? 'alone';
      forgetCaches(device);
      const share = mode.endsWith('5 %') ? budgetShare : 1;
      windows[index]?.push(await (mode.startsWith('alone') ? writeWindow() : besideWalks(share)));
    }
  }
  for (const [index, mode] of modes.entries()) {
    const texts = (['medianMs', 'p99Ms'] as const).map((key) => {
      const ratios = (windows[index] ?? []).map((window, round) => window[key] / (windows[0]?.[round]?.[key] ?? NaN));
      const values = (windows[index] ?? []).map((window) => window[key]);
      const slowerCount = ratios.filter((ratio) => ratio > 1).length;
      return `${key} ${median(values).toFixed(3)}, × ${median(ratios).toFixed(2)}, slower in ${slowerCount} of ${ratios.length} rounds`;
    });
    console.log(`writes ${mode}: ${texts.join('; ')}`);
  }
}

async function measureCgroups(): Promise<void> {
  const uids = Array.from(
    { length: podCount },
    (_, index) => `0b2d9c1e-7b6f-4c39-9f7e-${String(index).padStart(12, '0')}`,
  );
  const made = uids.map((uid) => ({ uid, qos: 'burstable' }) as const);
  writeCgroups(folder, { version: 'v2', driver: 'systemd' }, made);
  const pods = uids.map((kubeletUid, index) => aBoundPod({ pod: aPod({ name: `cart-${index}`, kubeletUid }) }));
  const nodes = [someNodeObjects({ pods })];
  const keptBytes = heldBytes();
  const agent = aNodeAgent({ hostRoot: folder });
  const read = () => agent.read(nodes, new Set(resourceParts));
  for (let count = 0; count < 20; count += 1) await read();
  const cpuMs: number[] = [];
  for (let count = 0; count < 100; count += 1) {
    const before = process.cpuUsage();
    await read();
    const { user, system } = process.cpuUsage(before);
    cpuMs.push((user + system) / 1_000);
  }
  const last = await read();
  const heldMegabytes = (heldBytes() - keptBytes) / megabyte;
  const { heapUsed } = process.memoryUsage();
  await read();
  const garbageMegabytes = (process.memoryUsage().heapUsed - heapUsed) / megabyte;
  console.log(
    `cgroups of ${last.pods.length} pods: ${median(cpuMs).toFixed(1)} ms of CPU a scrape (mean ${mean(cpuMs).toFixed(1)}),`,
    `${heldMegabytes.toFixed(1)} MB kept with the last result, ${garbageMegabytes.toFixed(1)} MB of garbage a scrape`,
  );
}

/** All pods are young, as on a node that has just started. */
async function measureSamples(): Promise<void> {
  const uids = Array.from({ length: podCount }, (_, index) => `sampled-${index}`);
  const host = path.join(folder, 'sampled');
  const tree = { version: 'v2', driver: 'systemd' } as const;
  writeCgroups(host, tree, [{ uid: 'old', qos: 'burstable' }]);
  for (const sampleIntervalMs of [0, 50, 1_000]) {
    const stop = new AbortController();
    aNodeAgent({ hostRoot: host, clock: systemClock, sampleIntervalMs }, stop.signal);
    await delay(100);
    writeCgroups(
      host,
      tree,
      uids.map((uid) => ({ uid: `${uid}-${sampleIntervalMs}`, qos: 'burstable' })),
    );
    await delay(2_000);
    const [before, startMs] = [process.cpuUsage(), performance.now()];
    await delay(windowMs);
    const { user, system } = process.cpuUsage(before);
    const percent = (user + system) / 10 / (performance.now() - startMs);
    console.log(`sampling ${podCount} young pods every ${sampleIntervalMs} ms: ${percent.toFixed(2)} % of a core`);
    stop.abort(new Error('over'));
    await rm(path.join(host, 'sys/fs/cgroup', cgroupFolder(tree), 'kubepods-burstable.slice'), { recursive: true });
    writeCgroups(host, tree, [{ uid: 'old', qos: 'burstable' }]);
  }
}

let device: string | undefined;
try {
  const isWanted = (part: string): boolean => part.includes(flags.only);
  if (isWanted('cgroups')) await measureCgroups();
  if (isWanted('samples')) await measureSamples();
  if (isWanted('walk') || isWanted('latency')) device = makeDisk();
  if (device !== undefined && isWanted('walk')) await measureWalks(device);
  if (device !== undefined && isWanted('latency')) await measureLatency(device);
} finally {
  if (device !== undefined) {
    shell('umount "$2"; losetup -d "$1"', device, mounted);
  }
  await rm(folder, { recursive: true });
}
