/** The files of cgroup v1, whose names begin with their controller. */
import type { IoOperation } from '../facts/node/agent-pod.js';
import {
  flatKeyed,
  ioCounters,
  type IoOfDevice,
  numberIn,
  pidCounts,
  type ResourceReaders,
  workingSetBytes,
} from './cgroup-files.js';

/** A tick of the kernel's clock for user programs: https://man7.org/linux/man-pages/man7/time.7.html */
const tickUs = 10_000;
const nsPerUs = 1_000;

/** The kernel's largest number of bytes in whole pages stands for no limit. */
const noLimitBytes = 2 ** 62;

const cpuacctStat = flatKeyed('user', 'system');
const cpuStat = flatKeyed('nr_periods', 'nr_throttled', 'throttled_time');
const memoryStat = flatKeyed('total_rss', 'total_cache', 'total_inactive_file', 'total_pgfault', 'total_pgmajfault');

export const readersV1: ResourceReaders = {
  cpu: (read) => {
    const used = cpuacctStat(read('cpuacct.stat'));
    const quota = cpuStat(read('cpu.stat'));
    return {
      userUs: used.user && used.user * tickUs,
      systemUs: used.system && used.system * tickUs,
      periods: quota.nr_periods,
      throttledPeriods: quota.nr_throttled,
      throttledUs: quota.throttled_time && quota.throttled_time / nsPerUs,
    };
  },
  memory: (read) => {
    const stat = memoryStat(read('memory.stat'));
    const currentBytes = numberIn(read('memory.usage_in_bytes'));
    const limitBytes = numberIn(read('memory.limit_in_bytes')) ?? noLimitBytes;
    return {
      currentBytes,
      peakBytes: numberIn(read('memory.max_usage_in_bytes')),
      workingSetBytes: workingSetBytes(currentBytes, stat.total_inactive_file),
      anonBytes: stat.total_rss,
      fileBytes: stat.total_cache,
      highBytes: undefined,
      maxBytes: limitBytes < noLimitBytes ? limitBytes : undefined,
      faults: stat.total_pgfault,
      majorFaults: stat.total_pgmajfault,
    };
  },
  /** Undefined without any device: recent kernels count nothing here unless the I/O of the cgroup has a limit. */
  io: (read, devices) => {
    const bytesOf = throttled(read('blkio.throttle.io_service_bytes_recursive'));
    const operationsOf = throttled(read('blkio.throttle.io_serviced_recursive'));
    if (bytesOf.size === 0) return undefined;
    const byId = Array.from(bytesOf, ([id, bytes]): [string, IoOfDevice] => {
      return [id, { bytes, operations: operationsOf.get(id) ?? {} }];
    });
    return ioCounters(new Map(byId), devices);
  },
  pids: pidCounts,
  /** Pressure on nodes with cgroup v1 is that of the whole node. */
  pressure: () => undefined,
};

const operationWords: ReadonlyMap<string, IoOperation> = new Map([
  ['Read', 'read'],
  ['Write', 'write'],
  ['Discard', 'discard'],
]);

/** Reads lines such as `8:0 Read 4096`. Those of `Sync` and `Async` count the same bytes again, as does `Total`. */
function throttled(text = ''): ReadonlyMap<string, IoOfDevice['bytes']> {
  const byId = new Map<string, Partial<Record<IoOperation, number>>>();
  for (const line of text.split('\n')) {
    const [id = '', word = '', digits] = line.split(' ');
    const operation = operationWords.get(word);
    const value = numberIn(digits);
    if (operation === undefined || value === undefined) continue;
    const ofDevice = byId.get(id) ?? {};
    ofDevice[operation] = value;
    byId.set(id, ofDevice);
  }
  return byId;
}
