import { chmod, mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { HostDisk, type HostDiskOptions } from '../../src/agent/host-disk.js';
import { systemClock } from '../../src/base/clock.js';
import { silentLogger } from '../../src/base/logger.js';
import { type KnownDiskUse, unmeasuredDisk } from '../../src/node/agent-disk.js';
import { aContainer, aPod } from '../support/builders.js';
import { duNeeded, duOf, hasDu } from '../support/du.js';
import { temporaryFolder } from '../support/programs.js';
import { recordingLogger } from '../support/recording-logger.js';

const root = 'var/lib/containerd';
const [blobs, snapshots, containers] = [
  `${root}/io.containerd.content.v1.content/blobs`,
  `${root}/io.containerd.snapshotter.v1.overlayfs/snapshots`,
  `${root}/io.containerd.grpc.v1.cri/containers`,
];
const overlay = (mountPoint: string, upper: string, lower: string) =>
  `1 1 0:1 / ${mountPoint} rw - overlay overlay rw,lowerdir=/${snapshots}/${lower}/fs,upperdir=/${snapshots}/${upper}/fs,workdir=/${snapshots}/${upper}/work\n`;
const rootfsOf = (id: string) => `/run/containerd/io.containerd.runtime.v2.task/k8s.io/${id}/rootfs`;
const [main, pause] = ['a'.repeat(64), 'b'.repeat(64)];

/** A host with a running container (snapshot 3), its sandbox (4), the layer below them (1), and the layer of an ended container (5). */
async function writeHost(host: string): Promise<void> {
  const write = async (name: string, sizeBytes: number): Promise<void> => {
    await mkdir(path.dirname(path.join(host, name)), { recursive: true });
    await writeFile(path.join(host, name), Buffer.alloc(sizeBytes, 1));
  };
  await write(`${blobs}/sha256/1`, 300_000);
  for (const [id, sizeBytes] of [
    ['1', 200_000],
    ['3', 90_000],
    ['4', 5_000],
    ['5', 70_000],
  ] as const) {
    await write(`${snapshots}/${id}/fs/file`, sizeBytes);
    await mkdir(path.join(host, `${snapshots}/${id}/work`), { recursive: true });
  }
  await mkdir(path.join(host, `${snapshots}/5/work/work`));
  await write(`${containers}/${main}/volumes/1/data`, 40_000);
  await write('var/log/syslog', 60_000);
  await write('var/log/pods/shop_cart_running/main/0.log', 80_000);
  await write('var/log/pods/shop_old_gone/main/0.log', 20_000);
  await write('var/lib/kubelet/pods/running/volumes/file', 10_000);
  await write('var/lib/kubelet/pods/gone/volumes/file', 30_000);
  await utimes(path.join(host, 'var/lib/kubelet/pods/gone'), 0, 0);
  await mkdir(path.join(host, 'proc/1'), { recursive: true });
  await writeFile(
    path.join(host, 'proc/1/mountinfo'),
    overlay(rootfsOf(main), '3', '1') + overlay(rootfsOf(pause), '4', '1'),
  );
}

/** Programs in place of those that the agent runs: `script` is that of du. */
async function writePrograms(folder: string, script: string): Promise<void> {
  await mkdir(folder);
  for (const [name, text] of [
    ['ionice', 'shift; exec "$@"'],
    ['nice', 'shift; exec "$@"'],
    ['du', script],
  ] as const) {
    await writeFile(path.join(folder, name), `#!/bin/sh\n${text}\n`);
    await chmod(path.join(folder, name), 0o755);
  }
}

/** A letter for the state of the process whose ID the file has: T for one that is stopped. */
async function stateOf(file: string): Promise<string | undefined> {
  const pid = (await readFile(file, 'utf8').catch(() => '')).trim();
  return /\) (\S)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))?.[1];
}

/** Those within a second. */
async function statesOf(file: string): Promise<ReadonlySet<string | undefined>> {
  const states = new Set<string | undefined>();
  for (let count = 0; count < 50; count += 1) {
    states.add(await stateOf(file));
    await delay(20);
  }
  return states;
}

const optionsOf = (host: string, changed: Partial<HostDiskOptions> = {}): HostDiskOptions => ({
  hostRoot: host,
  budgetShare: 1,
  searchPath: process.env['PATH'] ?? '',
  pressureFile: path.join(host, 'no-pressure'),
  clock: systemClock,
  logger: silentLogger,
  ...changed,
});

const pods = new Set(['running']);
const unknown: KnownDiskUse = {
  nodeName: 'node-1',
  knownPodUids: pods,
  measuredPodUids: pods,
  imagesBytes: undefined,
  unattributedBytes: undefined,
};

describe('the disk of a node', () => {
  it.skipIf(!hasDu)(
    `owners of a disk have what du measures, and add up to the unattributed bytes; ${duNeeded}`,
    async () => {
      await using host = await temporaryFolder();
      await writeHost(host.path);
      const du = (...names: readonly string[]): number => duOf(...names.map((name) => path.join(host.path, name)));
      const stop = new AbortController();
      const log: string[] = [];
      const disk = new HostDisk(optionsOf(host.path, { logger: recordingLogger(log) }), stop.signal);
      // All snapshots but that of the running container, of which containerd has forgotten the last.
      const imagesBytes = du(`${snapshots}/1/fs`, `${snapshots}/4/fs`);
      const known = { ...unknown, imagesBytes, unattributedBytes: 2_000_000 };
      expect(disk.owners(known)).toEqual({ nodeName: 'node-1', ...unmeasuredDisk });
      await expect.poll(() => disk.owners(known).owners.length, { timeout: 20_000 }).toBe(6);
      const { owners } = disk.owners(known);
      const row = (owner: string, ...names: readonly string[]) => ({
        owner,
        usedBytes: du(...names),
        places: { count: names.length, largest: names.map((name) => ({ path: `/${name}`, usedBytes: du(name) })) },
      });
      expect(owners.slice(0, 5)).toEqual([
        row('image_copies', blobs),
        row('orphaned_pods', 'var/lib/kubelet/pods/gone'),
        row('logs', 'var/log/syslog', 'var/log/pods/shop_old_gone'),
        row('runtime_volumes', `${containers}/${main}/volumes`),
        { owner: 'orphaned_snapshots', usedBytes: du(`${snapshots}/5/fs`) },
      ]);
      expect(owners.reduce((sum, { usedBytes }) => sum + usedBytes, 0)).toBe(2_000_000);
      expect(log).toEqual([]);
      stop.abort(new Error('over'));
    },
  );

  it.skipIf(!hasDu)(
    `a pod that is asked for is measured beside the owners of the rest, its logs with it; ${duNeeded}`,
    async () => {
      await using host = await temporaryFolder();
      await writeHost(host.path);
      const stop = new AbortController();
      const disk = new HostDisk(optionsOf(host.path), stop.signal);
      disk.owners(unknown);
      const pod = aPod({ name: 'cart', kubeletUid: 'running', containers: [aContainer({ name: 'main' })] });
      const logs = { part: 'logs', container: 'main' };
      const bytes = duOf(path.join(host.path, 'var/log/pods/shop_cart_running/main'));
      const measured = expect.objectContaining({
        ...logs,
        walk: expect.objectContaining({ bytes }) as unknown,
      }) as unknown;
      expect(await disk.podDirectories(pod)).toContainEqual(measured);
      stop.abort(new Error('over'));
      await expect(disk.podDirectories(pod)).rejects.toThrow('over');
    },
  );

  it('a pod is measured while the owners are, whose du is stopped until the pod has its values', async () => {
    await using host = await temporaryFolder();
    await writeHost(host.path);
    const [ofOwners, ofPod] = ['of-owners', 'of-pod'].map((name) => path.join(host.path, name));
    await writePrograms(
      path.join(host.path, 'bin'),
      String.raw`case "$*" in
        *cart_running*) echo $$ > '${ofPod}'; while [ ! -e '${ofPod}.go' ]; do sleep 0.02; done; printf '7\ttotal\000' ;;
        *) echo $$ > '${ofOwners}'; exec sleep 600 ;;
      esac`,
    );
    const stop = new AbortController();
    const disk = new HostDisk(optionsOf(host.path, { searchPath: path.join(host.path, 'bin') }), stop.signal);
    disk.owners(unknown);
    await expect.poll(() => stateOf(`${ofOwners}`), { timeout: 20_000 }).toBe('S');
    const pod = aPod({ name: 'cart', kubeletUid: 'running', containers: [aContainer({ name: 'main' })] });
    const measuring = disk.podDirectories(pod);
    await expect.poll(() => stateOf(`${ofPod}`), { timeout: 20_000 }).toMatch(/[ST]/);
    await expect.poll(() => statesOf(`${ofOwners}`), { timeout: 20_000 }).toEqual(new Set(['T']));
    await writeFile(`${ofPod}.go`, '');
    const walk = expect.objectContaining({ bytes: 7 }) as unknown;
    expect(await measuring).toContainEqual(expect.objectContaining({ part: 'logs', walk }));
    await expect.poll(() => stateOf(`${ofOwners}`), { timeout: 20_000 }).toBe('S');
    stop.abort(new Error('over'));
  });

  it('an image without du is one warning with the fix, and the disk has no owners', async () => {
    await using host = await temporaryFolder();
    const log: string[] = [];
    const options = optionsOf(host.path, { searchPath: host.path, logger: recordingLogger(log) });
    const disk = new HostDisk(options, new AbortController().signal);
    disk.owners(unknown);
    disk.owners(unknown); // the next scrape measures nothing again
    await expect.poll(() => log.length).toBe(1);
    expect(disk.owners(unknown).owners).toEqual([]);
    expect(log).toEqual([expect.stringMatching(/^warn: .*ionice, nice, du not found in PATH .*coreutils/)]);
  });

  it.skipIf(!hasDu)(
    `without the mount table one warning names the overlay, and all but snapshots is measured; ${duNeeded}`,
    async () => {
      await using host = await temporaryFolder();
      await writeHost(host.path);
      await rm(path.join(host.path, 'proc'), { recursive: true });
      const log: string[] = [];
      const stop = new AbortController();
      const disk = new HostDisk(optionsOf(host.path, { logger: recordingLogger(log) }), stop.signal);
      const known = { ...unknown, imagesBytes: 500_000, unattributedBytes: 2_000_000 };
      disk.owners(known);
      await expect.poll(() => log.length).toBe(1);
      expect(disk.owners(known).owners.map(({ owner }) => owner)).toEqual([
        'image_copies',
        'orphaned_pods',
        'logs',
        'runtime_volumes',
      ]);
      expect(log).toEqual([expect.stringMatching(/^warn: .*missing; mount .*node-local-agent.*proc\/1\/mountinfo/)]);
      stop.abort(new Error('over'));
    },
  );

  it.skipIf(!hasDu)(
    `with another runtime one warning names what is missing, and which is known; ${duNeeded}`,
    async () => {
      await using host = await temporaryFolder();
      await writeHost(host.path);
      await rm(path.join(host.path, root), { recursive: true });
      const log: string[] = [];
      const stop = new AbortController();
      const disk = new HostDisk(optionsOf(host.path, { logger: recordingLogger(log) }), stop.signal);
      disk.owners(unknown);
      await expect.poll(() => log.length).toBe(1);
      expect(disk.owners(unknown).owners.map(({ owner }) => owner)).toEqual(['orphaned_pods', 'logs']);
      expect(log).toEqual([
        expect.stringMatching(/^warn: .*missing; mount .*node-local-agent.*var\/lib\/containerd\//),
      ]);
      stop.abort(new Error('over'));
    },
  );
});
