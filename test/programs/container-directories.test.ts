import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { runArguments } from '../../src/commands/command-line.js';
import type { PrintedPod } from '../../src/commands/explain/directories/pod-directories.js';
import { aCommandContext } from '../support/command-context.js';
import { fakeKubectl, type Launchers } from '../support/fake-kubectl.js';
import { untilEnd } from '../support/fixtures.js';
import { copyPrograms, pathOf } from '../support/image/base.js';
import { hasMounts } from '../support/image/built-image.js';
import { createImage, MountedContainer } from '../support/image/mounted-container.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

const kib = 1024;
const tools = ['sh', 'awk', 'date', 'find', 'stat', 'timeout', 'renice', 'ionice', 'sleep'];

async function fillBusybox(image: string): Promise<void> {
  await fillDistroless(image);
  for (const tool of tools) await symlink('busybox', path.join(image, 'bin', tool));
}

/** One program, and no shell. */
async function fillDistroless(image: string): Promise<void> {
  await copyPrograms(image, new Map([['busybox', await pathOf('busybox')]]));
}

const images = {
  busybox: { fill: fillBusybox, program: ['/bin/sleep', '1000'] },
  /** The coreutils, findutils and mawk of this machine. */
  debian: {
    fill: async (image: string): Promise<void> => {
      const found = await Promise.all(tools.map(async (tool) => [tool, await pathOf(tool)] as const));
      await copyPrograms(image, new Map(found));
    },
    program: ['/bin/sleep', '1000'],
  },
  distroless: { fill: fillDistroless, program: ['/bin/busybox', 'sleep', '1000'] },
} as const;

const it = test
  .extend('folder', async ({ onTestFinished }) => {
    const folder = await untilEnd(onTestFinished, temporaryFolder());
    return folder.path;
  })
  .extend('run', ({ folder, onTestFinished }) => async (name: keyof typeof images) => {
    const { fill, program } = images[name];
    const [image, run] = [path.join(folder, name), path.join(folder, `${name}-run`)];
    for (const each of [image, run]) await mkdir(each);
    await createImage(image);
    await writeFile(path.join(image, 'etc/issue'), 'of the image');
    await fill(image);
    await delay(1_050 - (Date.now() % 1_000)); // start times are whole seconds
    return untilEnd(onTestFinished, MountedContainer.start(run, image, program));
  });

/** What a program writes: in the writable layer, of which an old file is one and a deleted one none, and in an emptyDir. */
async function write(container: MountedContainer): Promise<void> {
  await mkdir(container.path('/var/lib/app'), { recursive: true });
  await writeFile(container.path('/var/lib/app/data file'), Buffer.alloc(400 * kib, 1));
  await writeFile(container.path('/etc/issue'), 'changed');
  await writeFile(container.path('/tmp/small'), Buffer.alloc(4 * kib, 1));
  await rm(container.path('/etc/passwd'));
  await mkdir(container.path('/mnt/cache/deep/er'), { recursive: true });
  await writeFile(container.path('/mnt/cache/deep/er/blob'), Buffer.alloc(100 * kib, 1));
}

interface Report {
  readonly parts: readonly { readonly part: string; readonly bytes: number; readonly note: string }[];
  readonly largest: readonly { readonly path: string; readonly bytes: number }[];
  readonly problems: readonly { readonly text: string }[];
}

/** A pod whose containers have just been started. */
function podNow(): PrintedPod {
  const state = { running: { startedAt: new Date().toISOString() } };
  const app = { name: 'app', volumeMounts: [{ name: 'cache', mountPath: '/mnt/cache' }] };
  return {
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      nodeName: 'node-1',
      volumes: [{ name: 'cache', emptyDir: {} }],
      containers: [app],
      ephemeralContainers: [{ name: 'look', targetContainerName: 'app' }],
    },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'app', state }],
      ephemeralContainerStatuses: [{ name: 'look', state }],
    },
  };
}

/** `launchers`: of the pod's containers. */
async function listed(folder: string, pod: PrintedPod, launchers: Launchers, expected = 0): Promise<Report> {
  const { context, out } = aCommandContext({
    environment: { PATH: `${await fakeKubectl(folder, pod, launchers)}:${process.env['PATH'] ?? ''}` },
  });
  const line = ['explain', 'pod', 'default/web', '--directories', '-o', 'json'];
  expect(await runArguments(line, context)).toBe(expected);
  return JSON.parse(out()) as Report;
}

function expectAll({ parts, largest, problems }: Report, container: MountedContainer): void {
  const [rootfs, emptyDir] = parts;
  expect(problems).toEqual([]);
  expect(rootfs).toEqual({ part: 'rootfs app', bytes: container.writtenBytes(), note: '' });
  expect(emptyDir).toEqual({ part: 'emptydir cache', bytes: 100 * kib, note: '' });
  const [first, second, ...others] = largest.map((entry) => entry.path);
  expect([first, second, ...others.sort()]).toEqual([
    '/var/lib/app/data file',
    '/mnt/cache/deep/er/blob',
    '/etc/issue',
    '/tmp/small',
  ]);
}

describe.skipIf(!hasMounts() || !isInstalled('busybox'))('overlays (needs root, mount namespaces and busybox)', () => {
  it.for(['busybox', 'debian'] as const)(
    'the writable layer and the emptyDir of a container of %s are those of the disk',
    async (name, { folder, run }) => {
      const container = await run(name);
      const pod = podNow();
      await write(container);
      expectAll(await listed(folder, pod, { app: container.launcher }), container);
    },
  );

  it('a container without a shell is listed through an ephemeral container beside it', async ({ folder, run }) => {
    const container = await run('distroless');
    const busybox = path.join(folder, 'debugger');
    await mkdir(busybox);
    await createImage(busybox);
    await fillBusybox(busybox);
    const pod = podNow();
    await write(container);
    expect((await listed(folder, pod, {}, 1)).problems).toMatchObject([
      { text: expect.stringContaining('no shell') as string },
    ]);
    expectAll(await listed(folder, pod, { look: container.launcherBeside(busybox) }), container);
  });
});
