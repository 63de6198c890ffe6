import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, it } from 'vitest';

import type { DuWalker } from '../../src/agent/du-walker.js';
import { walkPod } from '../../src/agent/pod-walk.js';
import { systemClock } from '../../src/base/clock.js';
import type { Pod } from '../../src/kube/objects.js';
import { type FoundPart, podDirectories } from '../../src/report/pod-directories.js';
import { aContainer, aPod, aVolume } from '../support/builders.js';
import { aWalker, duNeeded, duOf, hasDu, scriptedDu } from '../support/du.js';
import { ManualClock } from '../support/manual-clock.js';
import { temporaryFolder } from '../support/programs.js';
import { never } from '../support/signals.js';

const uid = '0b2d9c1e-7b6f-4c39-9f7e-0c8e61c0a001';
const [appId, oldId] = ['a'.repeat(64), 'b'.repeat(64)];
const upper = 'var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/3/fs';
const logs = `var/log/pods/shop_cart-0_${uid}/app`;
const emptyDirs = `var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~empty-dir`;

const pod = aPod({
  kubeletUid: uid,
  containers: [aContainer({ name: 'init', kind: 'init' }), aContainer({ name: 'app' })],
  volumes: [aVolume({ name: 'cache' }), aVolume({ name: 'fast', medium: 'Memory' })],
});

/** What the pod has on the disk of its node, and beside it a former pod of its name and another that begins like it. */
async function writePod(host: string): Promise<void> {
  const write = async (name: string | Buffer, sizeBytes: number): Promise<void> => {
    const file = Buffer.concat([Buffer.from(`${host}/`), Buffer.from(name)]);
    await mkdir(file.subarray(0, file.lastIndexOf('/')), { recursive: true });
    await writeFile(file, Buffer.alloc(sizeBytes, 1));
  };
  await write(`${upper}/srv/big`, 3_000_000);
  await write(`${upper}/srv/deep/er/middle`, 500_000);
  await write(`${upper}/etc/small`, 10);
  await write(`${emptyDirs}/cache/line\nfeed`, 800_000);
  await write(Buffer.from(`${emptyDirs}/cache/\xff<b>`, 'latin1'), 700_000);
  await write(`${emptyDirs}/fast/not-on-the-disk`, 900_000);
  await write(`${logs}/0.log`, 600_000);
  await write('secret/large', 5_000_000);
  await symlink(path.join(host, 'secret'), path.join(host, upper, 'away'));
  const links = path.join(host, 'var/log/containers');
  await mkdir(links, { recursive: true });
  await symlink(`/${logs}/0.log`, path.join(links, `cart-0_shop_app-${appId}.log`));
  await symlink(`/var/log/pods/shop_cart-0_gone/app/0.log`, path.join(links, `cart-0_shop_app-${oldId}.log`));
  await mkdir(path.join(host, 'proc/1'), { recursive: true });
  const layer = (id: string, folder: string): string =>
    `1 1 0:1 / /run/containerd/io.containerd.runtime.v2.task/k8s.io/${id}/rootfs rw - overlay overlay rw,lowerdir=/x,upperdir=/${folder},workdir=/w\n`;
  await writeFile(path.join(host, 'proc/1/mountinfo'), layer(appId, upper) + layer(oldId, 'secret'));
}

async function walked(
  host: string,
  changed: Partial<Pod> = {},
  walker: Pick<DuWalker, 'walk'> = aWalker(),
): Promise<readonly FoundPart[]> {
  const options = { hostRoot: host, walker, clock: systemClock, usedBytes: 6_000_000 };
  return walkPod({ ...pod, ...changed }, options, never);
}

it.skipIf(!hasDu)(
  `each part of a pod has what du measures to the byte, and its largest entries; ${duNeeded}`,
  async () => {
    await using host = await temporaryFolder();
    await writePod(host.path);
    const parts = await walked(host.path);
    const du = (name: string): number => duOf(path.join(host.path, name));
    expect(
      parts.map(({ part, container, volume, walk }) => [part, container ?? volume, walk?.state, walk?.bytes]),
    ).toEqual([
      ['rootfs', 'app', 'complete', du(upper)],
      ['logs', 'init', undefined, undefined],
      ['logs', 'app', 'complete', du(logs)],
      ['emptydir', 'cache', 'complete', du(`${emptyDirs}/cache`)],
    ]);
    const { largest, problems, usedBytes } = podDirectories(
      { namespace: 'shop', pod: 'cart-0' },
      { parts, problems: [] },
      undefined,
    );
    expect(largest.map((entry) => `${entry.path}${entry.isDirectory ? '/' : ''}`)).toEqual([
      ...['/srv/', '/srv/big', '/line\nfeed', String.raw`/\xff<b>`, '/0.log', '/srv/deep/er/middle'],
    ]);
    expect(problems).toEqual([]);
    expect(usedBytes).toBe(du(upper) + du(logs) + du(`${emptyDirs}/cache`));
  },
);

it.skipIf(!hasDu)(`what is not there is a problem of its part alone, and logs are none; ${duNeeded}`, async () => {
  await using host = await temporaryFolder();
  await writePod(host.path);
  await Promise.all(['proc', logs, emptyDirs].map((name) => rm(path.join(host.path, name), { recursive: true })));
  const parts = await walked(host.path);
  expect(parts.map(({ walk }) => walk)).toEqual([undefined, undefined, undefined, undefined]);
  const { problems, parts: shown } = podDirectories(
    { namespace: 'shop', pod: 'cart-0' },
    { parts, problems: [] },
    undefined,
  );
  expect(shown.map(({ part }) => part)).toEqual(['rootfs', 'emptydir']);
  expect(problems.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^rootfs app: the mount table of the host has no writable layer of it.*node-local-agent/),
    expect.stringMatching(/^emptydir cache: \S+empty-dir\/cache is not there, or .*node-local-agent/),
  ]);
});

it.skipIf(!hasDu)(`nothing leads out of the folders of the pod; ${duNeeded}`, async () => {
  await using host = await temporaryFolder();
  await writePod(host.path);
  await rm(path.join(host.path, emptyDirs, 'cache'), { recursive: true });
  await symlink(path.join(host.path, 'secret'), path.join(host.path, emptyDirs, 'cache'));
  const [, , , linked] = await walked(host.path);
  expect(linked?.walk).toEqual({ state: 'complete', bytes: 0, skippedCount: 0, entries: [] });
  const names = ['..', '../../../secret', '.', 'a/b', ''];
  const volumes = names.map((name) => aVolume({ name }));
  const containers = names.map((name) => aContainer({ name, kind: 'init' }));
  expect(await walked(host.path, { volumes, containers })).toEqual([]);
  for (const kubeletUid of ['..', 'x/../../..']) {
    expect((await walked(host.path, { kubeletUid })).map(({ part }) => part)).toEqual(['rootfs']);
  }
});

const record = (bytes: number, name: string): string => String.raw`${bytes}\t'"$8"'/${name}\000`;

it.each([
  [
    'cut',
    `printf '${record(5_000, 'a/b')}${record(9_000, 'a')}${record(2_000, 'c')}'`,
    { state: 'stopped', bytes: 11_000, skippedCount: 0, reason: 'du ended' },
  ],
  [
    'not readable as a whole',
    String.raw`printf '7000\ttotal\000'; echo "du: cannot read directory 'x': Permission denied" >&2`,
    { state: 'unreadable', bytes: 7_000, skippedCount: 1, reason: 'Permission denied' },
  ],
])('a part that is %s has at least what was found, and the reason', async (_what, script, { reason, ...found }) => {
  await using host = await temporaryFolder();
  await writePod(host.path);
  const parts = await walked(host.path, { volumes: [] }, aWalker({ command: scriptedDu(script) }));
  const rootfs = parts.find(({ part }) => part === 'rootfs');
  expect(rootfs?.walk).toMatchObject(found);
  expect(rootfs?.problem).toContain(reason);
});

it('a pod has one time limit, after which its parts have nothing', async () => {
  await using host = await temporaryFolder();
  await writePod(host.path);
  const clock = new ManualClock();
  const given: number[] = [];
  const walk: DuWalker['walk'] = ({ maxDurationMs }) => {
    given.push(maxDurationMs);
    clock.passWithoutTimers(50_000);
    return Promise.resolve({
      end: 'time',
      usedBytes: undefined,
      unreadableCount: 0,
      message: undefined,
    });
  };
  const options = { hostRoot: host.path, walker: { walk }, clock, usedBytes: undefined };
  const parts = await walkPod(pod, options, never);
  expect(given).toEqual([60_000, 10_000, 0]);
  expect(parts.map(({ walk: found }) => found?.state)).toEqual(['timeout', undefined, 'timeout', 'timeout']);
});
