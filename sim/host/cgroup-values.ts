/** The files of a pod's cgroup v2: https://docs.kernel.org/admin-guide/cgroup-v2.html */
import { blockBytes, wholeBlocks } from '../model/growth.js';

/** What a pod does all the time. */
export interface PodActivity {
  /** Of one CPU. */
  readonly cpuShare: number;
  readonly memoryBytes: number;
  /** Of the page cache, in the memory above. */
  readonly cacheBytes: number;
  readonly readBytesPerSecond: number;
  readonly writtenBytesPerSecond: number;
  readonly processCount: number;
}

/** The number of the disk, as major and minor. */
const disk = '254:0';
const secondUs = 1_000_000;

/** Returns the text of each file after so many seconds. */
export function cgroupFiles(activity: PodActivity, ageSeconds: number): Readonly<Record<string, string>> {
  const { cpuShare, memoryBytes, cacheBytes, processCount } = activity;
  const cpuUs = Math.round(cpuShare * ageSeconds * secondUs);
  const readBytes = wholeBlocks(activity.readBytesPerSecond * ageSeconds);
  const writtenBytes = wholeBlocks(activity.writtenBytesPerSecond * ageSeconds);
  const systemUs = Math.round(cpuUs / 4);
  const stalledUs = Math.round(writtenBytes / 200);
  return {
    'cpu.stat': keyed({
      usage_usec: cpuUs,
      user_usec: cpuUs - systemUs,
      system_usec: systemUs,
      nr_periods: 0,
      nr_throttled: 0,
      throttled_usec: 0,
    }),
    'memory.current': `${memoryBytes}\n`,
    'memory.peak': `${wholeBlocks(memoryBytes * 1.2)}\n`,
    'memory.high': 'max\n',
    'memory.max': 'max\n',
    'memory.stat': keyed({
      anon: memoryBytes - cacheBytes,
      file: cacheBytes,
      inactive_file: wholeBlocks(cacheBytes * 0.6),
      pgfault: Math.round(memoryBytes / blockBytes + 40 * ageSeconds),
      pgmajfault: Math.round(readBytes / 2 ** 20),
    }),
    'io.stat': ioStat(readBytes, writtenBytes),
    'pids.current': `${processCount}\n`,
    'pids.peak': `${processCount + 3}\n`,
    'pids.max': 'max\n',
    'cpu.pressure': stalls(cpuUs / 50, 0),
    'memory.pressure': stalls(0, 0),
    'io.pressure': stalls(stalledUs, stalledUs * 0.6),
  };
}

function keyed(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} ${value}\n`)
    .join('');
}

/** Reads and writes are of 16 and 32 blocks. */
function ioStat(readBytes: number, writtenBytes: number): string {
  const reads = Math.ceil(readBytes / (16 * blockBytes));
  const writes = Math.ceil(writtenBytes / (32 * blockBytes));
  return `${disk} rbytes=${readBytes} wbytes=${writtenBytes} rios=${reads} wios=${writes} dbytes=0 dios=0\n`;
}

const averages = 'avg10=0.00 avg60=0.00 avg300=0.00 total=';

/** https://docs.kernel.org/accounting/psi.html */
function stalls(someUs: number, fullUs: number): string {
  return [`some ${averages}${Math.round(someUs)}`, `full ${averages}${Math.round(fullUs)}`, ''].join('\n');
}
