import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { busyDisk } from '../../src/agent/disk-pressure.js';
import { temporaryFolder } from '../support/programs.js';

const pressure = (some: string): string =>
  `some avg10=${some} avg60=99.00 avg300=99.00 total=48833464\nfull avg10=99.00 avg60=0.02 avg300=0.05 total=18179403\n`;

describe('the disk', () => {
  it.each([
    ['busy above the threshold', pressure('20.01'), true],
    ['not busy at the threshold', pressure('20.00'), false],
    ['not busy when nothing waits', pressure('0.00'), false],
    ['not busy when the kernel has another format', 'some 99\n', false],
  ])('is %s', async (_case, text, expected) => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'io');
    await writeFile(file, text);
    expect(await busyDisk(20, file)()).toBe(expected);
  });

  it('is never busy on a kernel without pressure stall information', async () => {
    expect(await busyDisk(20, '/nonexistent/pressure/io')()).toBe(false);
  });
});
