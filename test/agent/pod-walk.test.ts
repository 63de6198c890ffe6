import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, it } from 'vitest';

import type { DuResult, DuWalker } from '../../src/agent/du-walker.js';
import { causeOf } from '../../src/agent/host-files.js';
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

const complete: DuResult = { end: 'complete', usedBytes: 7, unreadableCount: 0, message: undefined };
const unstarted: DuResult = { ...complete, end: 'unstarted', usedBytes: undefined, message: 'du was not started' };

async function walked(
  host: string,
  changed: Partial<Pod> = {},
  walker: Pick<DuWalker, 'walk'> = aWalker(),
): Promise<readonly FoundPart[]> {
  const options = { hostRoot: host, walker, clock: systemClock };
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
      ...['/etc/', '/etc/small'],
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
  const { parts: shown } = podDirectories({ namespace: 'shop', pod: 'cart-0' }, { parts, problems: [] }, undefined);
  expect(shown.map(({ part }) => part)).toEqual(['rootfs', 'emptydir']);
  expect(shown.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/^missing; mount what .*node-local-agent.*: \S+\/proc\/1\/mountinfo$/),
    expect.stringMatching(/^missing; mount what .*node-local-agent.*: \S+empty-dir\/cache$/),
  ]);
});

it('what may not be read is not called missing', async () => {
  await using host = await temporaryFolder();
  await writePod(host.path);
  const loop = path.join(host.path, logs, '..');
  await rm(loop, { recursive: true });
  await symlink(loop, loop); // root may read all
  const problems = (await walked(host.path)).map(({ problem }) => problem);
  expect(problems).toContain(`cannot be read (ELOOP): ${path.join(host.path, logs)}`);
});

it.each([
  ['a directory of the host', 'ENOENT', /^missing; mount .*node-local-agent/],
  ['the rights to it', 'EACCES', /^add DAC_READ_SEARCH, .*node-local-agent/],
  ['the rights in another way', 'EPERM', /^add DAC_READ_SEARCH/],
  ['anything else', 'EIO', /^cannot be read \(EIO\)$/],
])('what to do without %s: %s', (_what, code, cause) => {
  expect(causeOf(Object.assign(new Error(code), { code }))).toMatch(cause);
});

const longName = 'n'.repeat(210);

it.each<[string, (host: string) => Promise<unknown>, string | undefined, string?]>([
  ['that ended', (host) => writeFile(path.join(host, 'proc/1/mountinfo'), ''), 'it does not run, or not in containerd'],
  [
    'whose link is cut before the ID',
    (host) => rm(path.join(host, 'var/log/containers', `cart-0_shop_app-${appId}.log`)),
    '/var/log/containers has no POD_NAMESPACE_CONTAINER-ID.log of it: it has not run, or its names are too long',
  ],
  [
    'on a host without links',
    (host) => rm(path.join(host, 'var/log/containers'), { recursive: true }),
    'missing; mount',
  ],
  [
    'on a host with a mount table that is too long',
    (host) => writeFile(path.join(host, 'proc/1/mountinfo'), 'x'.repeat(2 ** 24)),
    'cannot be read (longer than',
  ],
  [
    'whose link is cut in the ID',
    async (host) => {
      const target = `/var/log/pods/shop_${longName}_${uid}/app/0.log`;
      const name = `${longName}_shop_app-${appId}`.slice(0, 251);
      await symlink(target, path.join(host, 'var/log/containers', `${name}.log`));
    },
    undefined,
    longName,
  ],
])(
  'the writable layer of a container %s is found, or the cause is named',
  async (_what, change, problem, name = 'cart-0') => {
    await using host = await temporaryFolder();
    await writePod(host.path);
    await change(host.path);
    const walk: DuWalker['walk'] = () => Promise.resolve(complete);
    const rootfs = (await walked(host.path, { name }, { walk })).find(({ part }) => part === 'rootfs');
    expect(rootfs?.walk === undefined).toBe(problem !== undefined);
    if (problem !== undefined) expect(rootfs?.problem).toContain(problem);
  },
);

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

it('a pod of which du measures nothing, as the disk is busy, is an error that says so', async () => {
  await using host = await temporaryFolder();
  await writePod(host.path);
  const clock = new ManualClock();
  const walker = aWalker({ clock, isBusy: () => Promise.resolve(true) });
  const measuring = walkPod(pod, { hostRoot: host.path, walker, clock }, never);
  const settled = expect(measuring).rejects.toThrow('tasks of the node wait for I/O: du was not started within 60 s');
  await expect.poll(() => clock.sleeperCount).toBeGreaterThan(0);
  await clock.advance(60_000);
  await settled;
});

it('a part for which du is not started has nothing but the reason', async () => {
  await using host = await temporaryFolder();
  await writePod(host.path);
  const results = [complete];
  const walk: DuWalker['walk'] = () => Promise.resolve(results.pop() ?? unstarted);
  const parts = await walked(host.path, {}, { walk });
  expect(parts.map(({ walk: found, problem }) => [found?.bytes, problem])).toEqual([
    [7, undefined],
    [undefined, expect.stringContaining('missing; mount')],
    [undefined, 'du was not started'],
    [undefined, 'du was not started'],
  ]);
});

const record = (bytes: number, name: string): string => String.raw`${bytes}\t'"$8"'/${name}\000`;

it.each([
  [
    'cut',
    `printf '${record(5_000, 'a/b')}${record(9_000, 'a')}${record(2_000, 'c')}'`,
    { state: 'stopped', bytes: 11_000, skippedCount: 0, reason: 'du ended' },
  ],
  [
    'cut in a directory of a directory',
    `printf '${record(5_000, 'a/x')}${record(3_000, 'a/b/y')}${record(4_000, 'a/b/z')}${record(2_000, 'a/c/y')}${record(6_000, 'a/c')}'`,
    { state: 'stopped', bytes: 18_000, skippedCount: 0, reason: 'du ended' },
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
  const options = { hostRoot: host.path, walker: { walk }, clock };
  const parts = await walkPod(pod, options, never);
  expect(given).toEqual([60_000, 10_000]);
  expect(parts.map(({ walk: found }) => found?.state)).toEqual(['timeout', undefined, 'timeout', undefined]);
  expect(parts.at(-1)?.problem).toBe('the 60 s for all parts of a pod were up');
});
