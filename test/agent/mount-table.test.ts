import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { readLayerMounts } from '../../src/agent/mount-table.js';
import { layerMounts } from '../../src/node/mount-info.js';
import { capturePath, capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';
import { temporaryFolder } from '../support/programs.js';

const recording = 'live/containerd_2_4_images_mountinfo.txt';

describe('the mount table of a host', () => {
  it('is an error when it is longer than that of any node', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'mountinfo');
    const line = '1 2 0:46 / /mnt rw - overlay overlay rw,lowerdir=/a,upperdir=/u\n';
    await writeFile(file, line.repeat(3));
    await expect(readLayerMounts(file, line.length * 2)).rejects.toThrow(`longer than ${line.length * 2} bytes`);
    expect(await readLayerMounts(file, line.length * 3)).toHaveLength(3);
    await writeFile(file, `${'x'.repeat(2 ** 20)}\n`.repeat(9));
    await expect(readLayerMounts(file)).rejects.toThrow('longer than');
  });

  it('is read in pieces, between which others have their turn', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'mountinfo');
    const line = `1 2 0:46 / /mnt rw - overlay overlay rw,lowerdir=/größe,upperdir=/${'u'.repeat(1_000)}\n`;
    await writeFile(file, line.repeat(4_000));
    let turnCount = 0;
    const turns = setInterval(() => (turnCount += 1), 0);
    const mounts = await readLayerMounts(file);
    clearInterval(turns);
    expect(mounts).toHaveLength(4_000);
    expect(new Set(mounts.flatMap(({ lowerDirectories }) => lowerDirectories))).toEqual(new Set(['/größe']));
    expect(turnCount).toBeGreaterThan(1);
  });

  it.skipIf(!hasCaptures)(`is read from a file as a whole; ${capturesNeeded}`, async () => {
    expect(await readLayerMounts(capturePath(recording))).toEqual(layerMounts(readRecording(recording)));
  });
});
