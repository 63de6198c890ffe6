import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { readLayerMounts } from '../../src/agent/mount-table.js';
import { listDisk } from '../../src/agent/owners-listing.js';
import { walkPod } from '../../src/agent/pod-walk.js';
import { systemClock } from '../../src/base/clock.js';
import { snapshotIdOf } from '../../src/node/mount-info.js';
import type { FoundPart } from '../../src/report/pod-directories.js';
import { aContainer, aPod } from '../support/builders.js';
import { aJob, aWalker, duOf, hasDu } from '../support/du.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

const never = new AbortController().signal;
const id = 'ab'.repeat(32);
const snapshots = 'var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots';

/** As root, in its own mount namespace: the mounts of the machine stay as they are. */
const canMountOverlay =
  hasDu &&
  isInstalled('unshare') &&
  spawnSync('unshare', [
    ...['--mount', '--propagation', 'private', 'sh', '-ec'],
    'mount -t tmpfs none /mnt; cd /mnt; mkdir l u w m; mount -t overlay overlay -o lowerdir=l,upperdir=u,workdir=w m',
  ]).status === 0;

/** A container of an image with one layer: it writes, overwrites, deletes, and runs until its input ends. */
const container = `
cd "$1"
S=${snapshots}
mkdir -p "var/lib/containerd/io.containerd.grpc.v1.cri/containers/${id}"
mkdir -p "$S/1/fs/etc" "$S/1/work" "$S/2/fs" "$S/2/work" "$S/7/fs" "$S/7/work" "$S/8/fs" "$S/8/work/work"
head -c 500000 /dev/zero > "$S/1/fs/base"
head -c 300000 /dev/zero > "$S/1/fs/deleted"
echo x > "$S/1/fs/etc/hosts"
R=run/containerd/io.containerd.runtime.v2.task/k8s.io/${id}/rootfs
mkdir -p "$R"
mount -t overlay overlay -o "lowerdir=$PWD/$S/1/fs,upperdir=$PWD/$S/2/fs,workdir=$PWD/$S/2/work" "$R"
head -c 2000000 /dev/zero > "$R/written"
echo y >> "$R/base"
rm "$R/deleted"
mkdir -p "var/log/pods/shop_cart-0_uid-1/main" var/log/containers
ln -s /var/log/pods/shop_cart-0_uid-1/main/0.log "var/log/containers/cart-0_shop_main-${id}.log"
mkdir "$R/mounted"
mount -t tmpfs none "$R/mounted"
head -c 700000 /dev/zero > "$R/mounted/not-counted"
sync
echo ready
cat > /dev/null
`;

async function startContainer(folder: string): Promise<ChildProcess> {
  const args = ['--mount', '--propagation', 'private', 'sh', '-ec', container, 'sh', folder];
  const child = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  if (!output.toString().startsWith('ready')) throw new Error(`the container did not start: ${output.toString()}`);
  return child;
}

describe.skipIf(!canMountOverlay)('a container on a real overlay mount; needs root and unshare', () => {
  it('has the bytes of its writable layer to the byte, and is among the ended ones once it has ended', async () => {
    await using folder = await temporaryFolder();
    const child = await startContainer(folder.path);
    const readMounts = () => readLayerMounts(`/proc/${String(child.pid)}/mountinfo`);
    const upper = path.join(folder.path, snapshots, '2/fs');
    try {
      const mounts = await readMounts();
      expect(mounts.find(({ containerId }) => containerId === id)).toEqual({
        containerId: id,
        upperDirectory: upper,
        lowerDirectories: [path.join(folder.path, snapshots, '1/fs')],
      });
      const { usedBytes } = await aWalker().walk(aJob(upper), never);
      expect(usedBytes).toBe(duOf(upper));
      expect(usedBytes).toBeGreaterThan(2_000_000);
      const [rootfs] = await walkedPod(folder.path, `/proc/${String(child.pid)}/mountinfo`);
      expect(rootfs?.walk).toMatchObject({ state: 'complete', bytes: usedBytes });
      expect(rootfs?.walk?.entries.map((entry) => entry.path)).toEqual(['/written', '/base', '/mounted']);
      expect(await kindsOf(readMounts)).toEqual({
        '1': 'layers_in_use',
        '7': 'unused_layers',
        '8': 'ended_containers',
      });
    } finally {
      child.stdin?.end();
      await once(child, 'exit');
    }
    const ended = await kindsOf(() => Promise.resolve([anchor(folder.path)]));
    expect(ended).toMatchObject({ '1': 'unused_layers', '2': 'ended_containers' });
  });

  it('has nothing of other filesystems that are mounted in a directory', async () => {
    await using folder = await temporaryFolder();
    execFileSync('mkdir', ['-p', `${folder.path}/mounted`]);
    const script = `mount -t tmpfs none '${folder.path}/mounted'; head -c 900000 /dev/zero > '${folder.path}/mounted/file'; exec "$0" "$@"`;
    const command = ['unshare', '--mount', '--propagation', 'private', 'sh', '-ec', script, 'du'];
    const { usedBytes } = await aWalker({ command }).walk(aJob(folder.path), never);
    expect(usedBytes).toBeLessThan(900_000);
  });

  it('has nothing of the same filesystem that is mounted in a directory once more', async () => {
    await using folder = await temporaryFolder();
    const [root, elsewhere] = [path.join(folder.path, 'root'), path.join(folder.path, 'elsewhere')];
    const mountPoint = path.join(root, 'a*[b\\');
    for (const directory of [mountPoint, path.join(root, 'a-[b'), elsewhere])
      await mkdir(directory, { recursive: true });
    await writeFile(path.join(root, 'a-[b', 'kept'), Buffer.alloc(300_000, 1));
    await writeFile(path.join(elsewhere, 'file'), Buffer.alloc(900_000, 1));
    const script = `mount --bind "$1" "$2"; shift 2; exec "$@"`;
    const unshare = [
      'unshare',
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-ec',
      script,
      'sh',
      elsewhere,
      mountPoint,
    ];
    const mountTable = path.join(folder.path, 'mountinfo');
    await writeFile(mountTable, '');
    const walker = aWalker({ command: [...unshare, 'du'], mountTable });
    const { usedBytes: doubled = 0 } = await walker.walk(aJob(root), never);
    expect(doubled).toBeGreaterThan(1_200_000);
    const escaped = mountPoint.replace('\\', String.raw`\134`);
    await writeFile(mountTable, `1 2 8:1 ${elsewhere} ${escaped} rw - ext4 /dev/sda1 rw\n`);
    const { usedBytes = 0 } = await walker.walk(aJob(root), never);
    expect(usedBytes).toBeGreaterThan(300_000);
    expect(usedBytes).toBeLessThan(900_000);
  });
});

/** What the agent measures of the container's pod, with this mount table. The mounts are those of the host: paths below its root. */
async function walkedPod(folder: string, mountTable: string): Promise<readonly FoundPart[]> {
  await mkdir(path.join(folder, 'proc/1'), { recursive: true });
  const text = await readFile(mountTable, 'utf8');
  await writeFile(path.join(folder, 'proc/1/mountinfo'), text.replaceAll(`${folder}/`, '/'));
  const pod = aPod({ kubeletUid: 'uid-1', containers: [aContainer({ name: 'main' })] });
  const options = { hostRoot: folder, walker: aWalker(), clock: systemClock };
  return walkPod(pod, options, never);
}

/** Another mount of the same snapshotter, by which its folder is found. */
function anchor(folder: string) {
  return { containerId: undefined, upperDirectory: path.join(folder, snapshots, '99/fs'), lowerDirectories: [] };
}

async function kindsOf(readMounts: () => ReturnType<typeof readLayerMounts>) {
  const { places } = await listDisk({
    clock: systemClock,
    hostRoot: '/',
    readMounts,
    knownPodUids: undefined,
    measuredPodUids: undefined,
  });
  return Object.fromEntries(
    places.flatMap(({ kind, path }) => {
      const snapshot = snapshotIdOf(path);
      return snapshot === undefined ? [] : [[snapshot, kind]];
    }),
  );
}
