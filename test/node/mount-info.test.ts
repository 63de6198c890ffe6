import { describe, expect, it } from 'vitest';

import { containerdRootOf, layerMounts, mountPointsBelow, snapshotIdOf } from '../../src/node/mount-info.js';
import { capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';

const recording = 'live/containerd_2_4_images_mountinfo.txt';
const id = 'ab'.repeat(32);
const containerRoot = `/run/containerd/io.containerd.runtime.v2.task/k8s.io/${id}/rootfs`;
const snapshots = '/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots';

const overlay = (options: string, mountPoint = containerRoot): string =>
  `120 75 0:46 / ${mountPoint} rw,relatime shared:64 - overlay overlay rw,${options}`;

describe('the mount table of a host', () => {
  it.skipIf(!hasCaptures)(`names the layers of each container of a live node; ${capturesNeeded}`, () => {
    const layers = layerMounts(readRecording(recording));
    expect(layers).toHaveLength(13);
    expect(new Set(layers.map(({ containerId }) => containerId)).size).toBe(13);
    const uppers = layers.map(({ upperDirectory = '' }) => Number(snapshotIdOf(upperDirectory)));
    expect(uppers.toSorted((one, other) => one - other)).toEqual([3, 4, 5, 6, 14, 16, 20, 23, 29, 30, 48, 51, 53]);
    const lowers = new Set(layers.flatMap(({ lowerDirectories }) => lowerDirectories.map(snapshotIdOf)));
    expect(lowers).toEqual(new Set(['1', '2', '17', '19', '21', '22', '28']));
    expect(containerdRootOf(layers)).toBe('/var/lib/containerd');
  });

  it.each<[string, string, string | undefined, readonly string[]]>([
    [
      'with several lower directories',
      `lowerdir=${snapshots}/2/fs:${snapshots}/1/fs,upperdir=${snapshots}/3/fs,workdir=${snapshots}/3/work`,
      `${snapshots}/3/fs`,
      [`${snapshots}/2/fs`, `${snapshots}/1/fs`],
    ],
    [
      'with lower directories that are relative to the folder of snapshots',
      `lowerdir=12/fs:11/fs,upperdir=${snapshots}/13/fs,workdir=${snapshots}/13/work`,
      `${snapshots}/13/fs`,
      [`${snapshots}/12/fs`, `${snapshots}/11/fs`],
    ],
    [
      'with one option for each lower directory',
      `lowerdir+=/a,lowerdir+=/b,upperdir=/u/fs,workdir=/w`,
      '/u/fs',
      ['/a', '/b'],
    ],
    [
      'with spaces, commas and colons in paths',
      String.raw`lowerdir=/a\040b\134:c:/d,upperdir=/u\054v`,
      '/u,v',
      ['/a b:c', '/d'],
    ],
    ['without a writable layer', 'lowerdir=/a:/b', undefined, ['/a', '/b']],
  ])('has the directories of an overlay %s', (_case, options, upperDirectory, lowerDirectories) => {
    const layers = layerMounts(overlay(options));
    expect(layers).toEqual([{ containerId: id, upperDirectory, lowerDirectories }]);
  });

  it.each([
    ['no optional field', `120 75 0:46 / ${containerRoot} rw - overlay overlay rw,lowerdir=/a,upperdir=/u`],
    [
      'several optional fields',
      `120 75 0:46 / ${containerRoot} rw shared:1 master:2 - overlay overlay rw,lowerdir=/a,upperdir=/u`,
    ],
  ])('has a mount with %s', (_case, line) => {
    expect(layerMounts(line)).toMatchObject([{ containerId: id, upperDirectory: '/u' }]);
  });

  it.each([
    ['of another program', '/mnt/merged'],
    ['of another namespace of containerd', containerRoot.replace('k8s.io', 'moby')],
    ['of a container with a name that is not an ID', containerRoot.replace(id, '../../etc')],
  ])('has the layers of an overlay %s without a container', (_case, mountPoint) => {
    const layers = layerMounts(overlay('lowerdir=/a,upperdir=/u', mountPoint));
    expect(layers).toEqual([{ containerId: undefined, upperDirectory: '/u', lowerDirectories: ['/a'] }]);
  });

  it('has a snapshot that is mounted without an overlay', () => {
    const root = '/io.containerd.snapshotter.v1.overlayfs/snapshots/7/fs';
    const layers = layerMounts(`1 2 7:2 ${root} /mnt ro - ext4 /dev/loop2 rw`);
    expect(layers).toEqual([{ containerId: undefined, upperDirectory: undefined, lowerDirectories: [root] }]);
  });

  it('has what is mounted below a directory, and not the directory itself or its neighbours', () => {
    const lines = ['/a/b', '/a/b/c', String.raw`/a/b/d\040e/f`, '/a/bc', '/'].map((mountPoint) =>
      overlay('', mountPoint),
    );
    expect(mountPointsBelow('/a/b', ['nonsense', ...lines].join('\n'))).toEqual(['/a/b/c', '/a/b/d e/f']);
  });

  it('leaves out malformed lines', () => {
    const good = overlay('lowerdir=/a,upperdir=/u');
    const layers = layerMounts(['nonsense', `1 2 3:4 / /mnt rw shared:1`, good, '1 2 - x'].join('\n'));
    expect(layers).toHaveLength(1);
  });
});
