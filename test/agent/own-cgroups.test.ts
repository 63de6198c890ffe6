import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it, vi } from 'vitest';

import { CgroupSampler } from '../../src/agent/cgroup-sampler.js';
import { filesOf, findCgroups, podFolders, readersOf } from '../../src/agent/cgroup-tree.js';
import { systemClock } from '../../src/lib/base/clock.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { atOnce } from '../support/lanes.js';
import { temporaryFolder } from '../support/programs.js';

const mount = '/sys/fs/cgroup';
const controllers = ['memory', 'cpu', 'cpuacct', 'pids', 'blkio'];
const uid = '0b2d9c1e-7b6f-4c39-9f7e-0c8e61c0a001';
const shortUid = '0b2d9c1e-7b6f-4c39-9f7e-0c8e61c0a002';

/** A kubelet with this `cgroupRoot` would make these folders, the outermost first. */
const prefix = `exporter-test-${process.pid}`;
const made = [prefix, `${prefix}/kubepods`, `${prefix}/kubepods/burstable`, `${prefix}/kubepods/burstable/pod${uid}`];

const short = `${prefix}/kubepods/burstable/pod${shortUid}`;

function remove(folder: string): void {
  for (const controller of controllers) {
    const cgroup = path.join(mount, controller, folder);
    if (existsSync(cgroup)) rmdirSync(cgroup);
  }
}

function removeCgroups(): void {
  for (const folder of [short, ...made.toReversed()]) remove(folder);
}

/** Whether the cgroups could be made: they need root and a machine with cgroup v1. */
function makeCgroups(): boolean {
  if (!controllers.every((controller) => existsSync(path.join(mount, controller, 'cgroup.procs')))) return false;
  try {
    for (const folder of made) {
      for (const controller of controllers) mkdirSync(path.join(mount, controller, folder));
    }
    return true;
  } catch {
    removeCgroups();
    return false;
  }
}

const canMake = makeCgroups();
if (canMake) removeCgroups();

describe.skipIf(!canMake)('cgroups of this machine (need root and cgroup v1)', () => {
  it('values of a pod that writes are those of the files of the kernel', async () => {
    await using folder = await temporaryFolder();
    makeCgroups();
    try {
      const [, , , pod = ''] = made;
      const enter = controllers.map((controller) => `echo $$ > ${path.join(mount, controller, pod)}/cgroup.procs`);
      const file = path.join(folder.path, 'written');
      // Recent kernels count I/O only where a limit is set.
      const { dev } = statSync(folder.path);
      const limits = path.join(mount, 'blkio', pod, 'blkio.throttle.write_bps_device');
      const limit = `{ echo "${dev >> 8}:${dev & 255} 1000000000" > ${limits}; } 2>/dev/null || true`;
      const write = `dd if=/dev/zero of=${file} bs=1M count=8 oflag=direct status=none`;
      expect(spawnSync('sh', ['-c', [...enter, limit, write].join(' && ')]).status).toBe(0);
      rmSync(file);
      const cgroups = { ...findCgroups(mount), kubepods: made[1] ?? '' };
      expect([...podFolders(cgroups)]).toEqual([[uid, pod]]);
      const read = filesOf({ ...cgroups, missing: new Set() }, pod);
      const readers = readersOf(cgroups);
      const devices = { nameOf: (id: string) => id, below: () => [] };
      const text = (name: string): string =>
        readFileSync(path.join(mount, name.split('.')[0] ?? '', pod, name), 'utf8');
      const inStat = (name: string, key: string): number =>
        Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(text(name))?.[1]);
      expect(readers.cpu(read, devices)).toMatchObject({
        userUs: inStat('cpuacct.stat', 'user') * 10_000,
        systemUs: inStat('cpuacct.stat', 'system') * 10_000,
        periods: inStat('cpu.stat', 'nr_periods'),
      });
      const memory = (): object => ({
        currentBytes: Number(text('memory.usage_in_bytes')),
        peakBytes: Number(text('memory.max_usage_in_bytes')),
        fileBytes: inStat('memory.stat', 'total_cache'),
        faults: inStat('memory.stat', 'total_pgfault'),
        maxBytes: undefined,
      });
      // The kernel takes pages of a process back for a while after its end.
      await vi.waitFor(() => {
        const before = memory();
        const values = readers.memory(read, devices);
        expect(memory()).toEqual(before);
        expect(values).toMatchObject(before);
      }, 10_000);
      expect(inStat('memory.stat', 'total_pgfault')).toBeGreaterThan(0);
      expect(readers.pids(read, devices)).toMatchObject({ current: Number(text('pids.current')), max: undefined });
      // Older kernels have no peak of PIDs.
      expect([undefined, 1, 2, 3, 4]).toContain(readers.pids(read, devices)?.peak);
      const written = /^(\S+) Write (\d+)$/m.exec(text('blkio.throttle.io_service_bytes_recursive'));
      expect(readers.io(read, devices)?.writtenBytes).toBe(written === null ? undefined : Number(written[2]));
    } finally {
      removeCgroups();
    }
  });

  it('a pod that lives for half a second has the peak of memory that the kernel had', async () => {
    makeCgroups();
    const stop = new AbortController();
    try {
      const cgroups = { ...findCgroups(mount), kubepods: made[1] ?? '' };
      const options = { intervalMs: 50, clock: systemClock, lane: atOnce, logger: silentLogger };
      const sampler = new CgroupSampler({ cgroups, ...options });
      const sampling = sampler.run(stop.signal);
      await delay(100);
      for (const controller of controllers) mkdirSync(path.join(mount, controller, short));
      const enter = controllers.map((controller) => `echo $$ > ${path.join(mount, controller, short)}/cgroup.procs`);
      const fill = 'head -c 20000000 /dev/zero | tail -n 1 > /dev/null; sleep 0.3';
      const [code] = (await once(spawn('sh', ['-c', [...enter, fill].join(' && ')]), 'exit')) as [number];
      expect(code).toBe(0);
      const kernel = readFileSync(path.join(mount, 'memory', short, 'memory.max_usage_in_bytes'), 'utf8').trim();
      expect(Number(kernel)).toBeGreaterThan(20_000_000);
      const peak = () => sampler.withPeaks(shortUid, undefined)?.('memory.max_usage_in_bytes');
      await expect.poll(peak).toBe(kernel);
      remove(short);
      await delay(100);
      const read = sampler.withPeaks(shortUid, undefined);
      expect(read?.('memory.max_usage_in_bytes')).toBe(kernel);
      expect(Number(read?.('pids.peak'))).toBeGreaterThanOrEqual(1);
      stop.abort(new Error('over'));
      await sampling;
    } finally {
      stop.abort(new Error('over'));
      removeCgroups();
    }
  });
});
