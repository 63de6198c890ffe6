import { readFile } from 'node:fs/promises';

/**
 * Returns what finds out whether tasks of the node waited for I/O for more than this share of the last 10 s; they never do on a
 * kernel without pressure stall information. The share must be above the budget of the walks, which wait too.
 * https://docs.kernel.org/accounting/psi.html
 */
export function busyDisk(thresholdPercent: number, file = '/proc/pressure/io'): () => Promise<boolean> {
  return async () => {
    const text = await readFile(file, 'utf8').catch(() => '');
    const percent = /^some avg10=(\d+(?:\.\d+)?) /m.exec(text)?.[1];
    return Number(percent ?? 0) > thresholdPercent;
  };
}
