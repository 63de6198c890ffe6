// @module-tag sockets

import { spawnSync } from 'node:child_process';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { SimulatedCluster } from '../../../../sim/cluster.js';
import { emptyScenario } from '../../../../sim/model/scenario.js';
import { runArguments } from '../../../../src/commands/command-line.js';
import { nodeDirectories } from '../../../../src/commands/explain/directories/node-directories.js';
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
  await write(root, 'var/lib/kubelet/pods/new/file', 10 * kib);
  await write(root, 'var/lib/kubelet/pods/gone/a file', 90 * kib);
  await utimes(path.join(root, 'var/lib/kubelet/pods/gone'), 0, 0);
  await write(root, 'var/log/pods/shop_cart-0_known/app/0.log', 30 * kib);
  await write(root, 'var/log/pods/shop_old-0_gone/app/0.log', 70 * kib);
  await write(root, 'var/log/syslog', 80 * kib);
  await write(root, 'var/log/forged\np logs 1 999999 ', 1);
  const layers = `lowerdir=/${snapshots}/1/fs,upperdir=/${snapshots}/2/fs,workdir=/${snapshots}/2/work`;
  await writeFile(path.join(root, 'mountinfo'), `36 35 98:0 / /run/rootfs rw - overlay overlay rw,${layers}\n`);
  const env = { ...process.env, MOUNTINFO: path.join(root, 'mountinfo') };
  const run = spawnSync(shell, [...words, script, root, '1', 'known'], { encoding: 'utf8', env });
  expect([run.status, run.stderr]).toEqual([0, '']);
  const { owners, unreadable, isComplete } = nodeDirectories('node-1', run.stdout);
  const found = Object.fromEntries(owners.map(({ owner, largest }) => [owner, largest.map((place) => place.path)]));
  expect([isComplete, unreadable]).toEqual([true, ['/var/log/forged']]);
  expect(found).toEqual({
    image_copies: ['/var/lib/containerd/io.containerd.content.v1.content'],
    runtime_volumes: ['/var/lib/containerd/io.containerd.grpc.v1.cri/containers/c1/volumes'],
    images_in_use: [`/${snapshots}/1/fs`],
    running_containers: [`/${snapshots}/2/fs`],
    unused_layers: [`/${snapshots}/3/fs`],
    ended_containers: [`/${snapshots}/4/fs`],
    pods: ['/var/log/pods/shop_cart-0_known', '/var/lib/kubelet/pods/known', '/var/lib/kubelet/pods/new'],
    orphaned_pods: ['/var/lib/kubelet/pods/gone'],
    logs: ['/var/log/pods/shop_old-0_gone', '/var/log/syslog'],
    other: [],
  });
  const copies = owners.find(({ owner }) => owner === 'image_copies')?.usedBytes;
  const du = spawnSync('du', ['-xsk', path.join(root, 'var/lib/containerd/io.containerd.content.v1.content')]);
  expect(copies).toBe(parseInt(du.stdout.toString(), 10) * kib);
});

it('what is no place is other, and nothing is where the list ended early', () => {
  const lines = [
    'f 1 100',
    'p logs 1 30 /var/log/a b',
    'p image_copies 2 50 /c',
    'p nonsense 1 1 /d',
    'x /e',
    '',
    'p logs',
  ];
  const { owners, unreadable } = nodeDirectories('n', [...lines, 'end', ''].join('\n'));
  expect(owners.map(({ owner, usedBytes }) => [owner, usedBytes / kib])).toEqual([
    ['image_copies', 50],
    ['logs', 30],
    ['other', 69],
  ]);
  expect(unreadable).toEqual(['/e']);
  const early = nodeDirectories('n', lines.join('\n'));
  expect([early.isComplete, early.owners.map(({ owner }) => owner)]).toEqual([false, ['image_copies', 'logs']]);
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
const logs = "printf 'f 1 100\\np logs 1 30 /var/log/syslog\\nend\\n'";
const deleted = '--as me delete pod node-debugger-node-1-abcde --ignore-not-found --wait=false';

it('the disk of a node is measured in a debug pod, which is deleted in the end', async ({ folder }) => {
  const { running, out, asked } = await explained(folder.path, { get: 'echo u-1; echo; echo hash-2', debug, logs });
  expect(await running).toBe(0);
  expect(out()).toMatch(
    /^Node node-1, by du:\n+OWNER .*\nlogs of the system, .* 30Ki +1 +\/var\/log\/syslog\nall else +70Ki /,
  );
  const lines = await asked();
  expect(lines[1]).toMatch(/^--as me debug node\/node-1 --image=busybox:1\.36 --profile=sysadmin -- sh -c root=/);
  expect(lines.join('\n')).toContain(' sh /host 1 u-1 hash-2\n');
  expect(lines.at(-2)).toBe(deleted);
});

it('pods that may not be listed leave none orphaned, which one line says', async ({ folder }) => {
  const get = "echo 'Error from server (Forbidden): no' >&2; exit 1";
  const { running, error, asked } = await explained(folder.path, { get, debug, logs });
  expect(await running).toBe(0);
  expect(error()).toMatch(/^Pods of all namespaces cannot be listed: /);
  expect((await asked()).join('\n')).toContain(' sh /host 0\n');
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

it('--dry-run prints the command with the image and the profile, and runs none', async ({ folder }) => {
  const flags = ['--dry-run', '--image', 'registry.example/busybox', '--profile', 'general'];
  const { running, out, error } = await explained(folder.path, {}, flags);
  expect(await running).toBe(0);
  expect(error()).toMatch(
    /^Whether the node exists was not checked: no credentials .*\n.*kubectl logs .* then kubectl delete pod\n$/,
  );
  expect(out()).toMatch(
    /^kubectl --as me debug node\/node-1 --image=registry\.example\/busybox --profile=general -- sh -c 'root=\$1 /,
  );
});

it.for([
  ['node-1', 0, '', /^kubectl .*debug node\/node-1 /],
  ['nod-1', 1, 'no node "nod-1" (did you mean node-1?)\n', /^$/],
  ['a/b', 1, 'no node "a/b"\n', /^$/],
] as const)(
  '--dry-run prints no command for a node that there is not: %s',
  async ([name, status, fault, command], { folder }) => {
    await using sim = await SimulatedCluster.start({ scenario: emptyScenario('node-1') });
    const kubeconfig = path.join(folder.path, 'kubeconfig');
    const rules = [{ verbs: ['get', 'list'], resources: ['nodes'] }];
    await writeFile(kubeconfig, sim.kubeconfig(sim.issueToken({ user: 'reader', rules })));
    const { context, out, error } = aCommandContext();
    const flags = ['--directories', '--dry-run', '--kubeconfig', kubeconfig];
    expect(await runArguments(['explain', 'node', name, ...flags], context)).toBe(status);
    expect(error()).toMatch(status === 0 ? /^kubectl debug names its pod/ : fault);
    expect(out()).toMatch(command);
  },
);
