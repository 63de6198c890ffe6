import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { runArguments } from '../../../../src/commands/command-line.js';
import { parseDirectories } from '../../../../src/commands/explain/directories/directory-report.js';
import { aCommandContext } from '../../../support/command-context.js';
import { untilEnd } from '../../../support/fixtures.js';
import { isInstalled, temporaryFolder } from '../../../support/programs.js';

const it = test.extend('folder', ({ onTestFinished }) => untilEnd(onTestFinished, temporaryFolder()));

const script = new URL('../../../../src/commands/explain/directories/walk-node.sh', import.meta.url).pathname;
const snapshots = 'var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots';
const kib = 1024;

async function write(root: string, file: string, sizeBytes: number): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), Buffer.alloc(sizeBytes, 1));
}

it.skipIf(process.platform !== 'linux').for([
  ['sh', []],
  ['dash', []],
  ['bash', []],
  ['busybox', ['sh']],
] as const)('read by %s, the script finds the owner of each place', async ([shell, words], { folder, skip }) => {
  if (!isInstalled(shell)) skip(`${shell} is not installed`);
  const root = folder.path;
  await write(root, 'var/lib/containerd/io.containerd.content.v1.content/blobs/1', 300 * kib);
  await write(root, 'var/lib/containerd/io.containerd.grpc.v1.cri/containers/c1/volumes/v/file', 40 * kib);
  for (const [id, sizeKib] of [100, 200, 50, 60].entries())
    await write(root, `${snapshots}/${id + 1}/fs/file`, sizeKib * kib);
  await mkdir(path.join(root, snapshots, '4/work/work'), { recursive: true });
  await write(root, 'var/lib/kubelet/pods/known/file', 20 * kib);
  await write(root, 'var/lib/kubelet/pods/gone/a file', 90 * kib);
  await write(root, 'var/log/pods/shop_cart-0_known/app/0.log', 30 * kib);
  await write(root, 'var/log/syslog', 80 * kib);
  await write(root, 'var/log/forged\nother logs\t0\t1\t999999\t', 1);
  const layers = `lowerdir=/${snapshots}/1/fs,upperdir=/${snapshots}/2/fs,workdir=/${snapshots}/2/work`;
  await writeFile(path.join(root, 'mountinfo'), `36 35 98:0 / /run/rootfs rw - overlay overlay rw,${layers}\n`);
  await mkdir(path.join(root, 'bin'));
  await writeFile(path.join(root, 'bin/df'), '#!/bin/sh\necho; echo disk 0 100000\n', { mode: 0o755 });
  const env = { PATH: `${root}/bin:${process.env['PATH'] ?? ''}`, MOUNTINFO: path.join(root, 'mountinfo') };
  const run = spawnSync(shell, [...words, script, root], { encoding: 'utf8', env });
  expect([run.status, run.stderr]).toEqual([0, '']);
  const { parts, largest } = parseDirectories(run.stdout);
  const found = largest.map(({ part, path: place }) => [part, place]);
  expect(found.sort(([, a = ''], [, b = '']) => (a < b ? -1 : 1))).toEqual([
    ['compressed copies of images', '/var/lib/containerd/io.containerd.content.v1.content'],
    ['VOLUME data of images', '/var/lib/containerd/io.containerd.grpc.v1.cri/containers/c1/volumes'],
    ['layers of images in use', `/${snapshots}/1/fs`],
    ['writable layers of running containers', `/${snapshots}/2/fs`],
    ['layers of images that no container uses', `/${snapshots}/3/fs`],
    ['writable layers of ended containers', `/${snapshots}/4/fs`],
    ['volumes of pods without logs: gone, or not started', '/var/lib/kubelet/pods/gone'],
    ['volumes of pods', '/var/lib/kubelet/pods/known'],
    ['logs of pods', '/var/log/pods/shop_cart-0_known'],
    ['other logs', '/var/log/syslog'],
  ]);
  const copies = 'var/lib/containerd/io.containerd.content.v1.content';
  const du = spawnSync('du', ['-xsk', path.join(root, copies)]).stdout.toString();
  expect(parts).toContainEqual({ part: 'compressed copies of images', bytes: parseInt(du, 10) * kib, note: '' });
  const sum = parts.reduce((total, { bytes }) => total + bytes, 0);
  expect(parts.map(({ part }) => part)).toContain('all else');
  // busybox runs its own df.
  if (shell !== 'busybox') expect(sum).toBe(100_000 * kib);
});

/** A kubectl that answers each of its commands, and notes what it was asked. */
async function explained(folder: string, answers: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const cases = Object.entries(answers).map(([word, answer]) => `*" ${word} "*) ${answer} ;;`);
  const kubectl = `#!/bin/sh\nprintf '%s\\n' "$*" >>'${folder}/asked'\ncase " $* " in\n${cases.join('\n')}\nesac\n`;
  await writeFile(path.join(folder, 'kubectl'), kubectl, { mode: 0o755 });
  const command = aCommandContext({ environment: { PATH: `${folder}:${process.env['PATH'] ?? ''}` } });
  const running = runArguments(['explain', 'node', 'node-1', '--directories', '--as', 'me', ...args], command.context);
  const asked = async () => (await readFile(path.join(folder, 'asked'), 'utf8')).split('\n');
  return { ...command, running, asked };
}

const debug = "echo 'Creating debugging pod node-debugger-node-1-abcde with container debugger on node node-1.'";
const logs = String.raw`printf 'p\tother logs\t2048\t/var/log/syslog\ns\tother logs\t2048\t\ns\tall else\t7168\t\n'`;
const deleted = '--as me delete pod node-debugger-node-1-abcde --ignore-not-found --wait=false';

it('the disk of a node is measured in a debug pod, which is deleted in the end', async ({ folder }) => {
  const { running, out, error, asked } = await explained(folder.path, { debug, logs });
  expect([await running, error()]).toEqual([0, '']);
  expect(out()).toMatch(
    /^Node node-1, by du:\n+PART +USED\nall else +7Ki\nother logs +2Ki\n+USED +IN +PATH\n +2Ki +other logs +\/var\/log\/syslog\n$/,
  );
  const lines = await asked();
  expect(lines[0]).toMatch(/^--as me debug node\/node-1 --image=busybox:1\.36 --profile=sysadmin -- sh -c root=/);
  expect(lines.at(-2)).toBe(deleted);
});

it('a walk that has not ended in time is shown as far as it came', async ({ folder }) => {
  const wait = 'echo error: timed out waiting for the condition >&2; exit 1';
  const { running, out } = await explained(folder.path, { debug, wait, logs }, ['--request-timeout', '90s']);
  expect(await running).toBe(0);
  expect(out()).toMatch(/^other logs +2Ki$/m);
  expect(out()).toMatch(/\nNot all is measured: timed out waiting for the condition\.\n$/);
});

it('the debug pod is deleted where it fails, and where the command is stopped', async ({ folder }) => {
  const failing = await explained(folder.path, { debug, wait: 'exit 1', logs: 'echo gone >&2; exit 1' });
  expect(await failing.running).toBe(1);
  expect(failing.error()).toContain('kubectl logs: gone');
  expect((await failing.asked()).at(-2)).toBe(deleted);
  const stopped = await explained(folder.path, { debug, wait: 'exec sleep 60' });
  await expect
    .poll(async () => (await stopped.asked()).filter((line) => line.includes(' wait pod/node-debugger')))
    .toHaveLength(2);
  stopped.stop();
  expect(await stopped.running).toBe(1);
  expect((await stopped.asked()).at(-2)).toBe(deleted);
});

it.for([
  [{ debug: 'echo Error from server: no >&2; exit 1' }, 'kubectl debug: Error from server: no\n'],
  [{ debug: 'true' }, 'kubectl debug: it did not name its pod\n'],
  [{ debug, logs: 'true' }, 'nothing was measured\n'],
  [{ debug, logs, delete: 'exit 1' }, `The debug pod may still be there: kubectl ${deleted}\n`],
] as const)('%j is a failure that is named', async ([answers, message], { folder }) => {
  const { running, error } = await explained(folder.path, answers);
  await running;
  expect(error()).toBe(message);
});

it('--dry-run prints the commands with the image, and runs none', async ({ folder }) => {
  const flags = ['--dry-run', '--image', 'registry.example/busybox', '-n', 'shop'];
  const { running, out, error } = await explained(folder.path, {}, flags);
  expect([await running, error()]).toEqual([0, '']);
  expect(out()).toMatch(
    /^kubectl --as me -n shop debug node\/node-1 --image=registry\.example\/busybox --profile=sysadmin -- sh -c 'root=\$1\n/,
  );
  expect(out()).toMatch(/\nkubectl .* wait pod\/POD .*\nkubectl .* logs POD\nkubectl .* delete pod POD .*\n$/);
});
