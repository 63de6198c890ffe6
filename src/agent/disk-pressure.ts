import { readFile } from 'node:fs/promises';

/** Share of the last 10 s, in percent, in which some task waited for I/O; undefined in a text of another format. */
export function parseIoPressure(text: string): number | undefined {
  const percent = /^some avg10=(\d+(?:\.\d+)?) /m.exec(text)?.[1];
  return percent === undefined ? undefined : Number(percent);
}

/**
 * Returns what finds out whether tasks of the node wait for I/O for more than the share of the last 10 s; they never do on a
 * kernel without pressure stall information. The share must be above the budget of the walks, which wait too.
 * https://docs.kernel.org/accounting/psi.html
 */
export function busyDisk(thresholdPercent: number, file = '/proc/pressure/io'): () => Promise<boolean> {
  return async () => {
    const text = await readFile(file, 'utf8').catch(() => '');
    return (parseIoPressure(text) ?? 0) > thresholdPercent;
  };
}
