import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { readMountTable } from '../../src/agent/mount-table.js';
import { layerMounts } from '../../src/node/mount-info.js';
import { capturePath, capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';
import { temporaryFolder } from '../support/programs.js';

const recording = 'live/containerd_2_4_images_mountinfo.txt';

describe('the mount table of a host', () => {
  it('is marked truncated when it is longer than the bound, without a part of a line', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'mountinfo');
    const line = '1 2 0:46 / /mnt rw - overlay overlay rw,lowerdir=/a,upperdir=/u\n';
    await writeFile(file, line.repeat(3));
    expect(await readMountTable(file, line.length * 2)).toMatchObject({ isTruncated: true });
    expect((await readMountTable(file, line.length * 2 + 9)).layers).toHaveLength(2);
    expect(await readMountTable(file, line.length * 3)).toMatchObject({ isTruncated: false });
  });

  it.skipIf(!hasCaptures)(`is read from a file as a whole; ${capturesNeeded}`, async () => {
    const table = await readMountTable(capturePath(recording));
    expect(table).toEqual({ layers: layerMounts(readRecording(recording)), isTruncated: false });
  });
});
