/** The files of cgroup v2. All but the counters of throttling include those of the cgroups below. */
import type { IoOperation } from '../facts/node/agent-pod.js';
import {
  flatKeyed,
  ioCounters,
  type IoOfDevice,
  numberIn,
  pidCounts,
  type ResourceReaders,
  stallTimes,
  workingSetBytes,
} from './cgroup-files.js';

const cpuStat = flatKeyed('user_usec', 'system_usec', 'nr_periods', 'nr_throttled', 'throttled_usec');
const memoryStat = flatKeyed('anon', 'file', 'inactive_file', 'pgfault', 'pgmajfault');

export const readersV2: ResourceReaders = {
  cpu: (read) => {
    const stat = cpuStat(read('cpu.stat'));
    return {
      userUs: stat.user_usec,
      systemUs: stat.system_usec,
      periods: stat.nr_periods,
      throttledPeriods: stat.nr_throttled,
      throttledUs: stat.throttled_usec,
    };
  },
  memory: (read) => {
    const stat = memoryStat(read('memory.stat'));
    const currentBytes = numberIn(read('memory.current'));
    return {
      currentBytes,
      peakBytes: numberIn(read('memory.peak')),
      workingSetBytes: workingSetBytes(currentBytes, stat.inactive_file),
      anonBytes: stat.anon,
      fileBytes: stat.file,
      highBytes: numberIn(read('memory.high')),
      maxBytes: numberIn(read('memory.max')),
      faults: stat.pgfault,
      majorFaults: stat.pgmajfault,
    };
  },
  /** Empty until a first read or write; undefined where no line is understood. */
  io: (read, devices) => {
    const text = read('io.stat');
    if (text === undefined) return undefined;
    const byId = ioStat(text);
    return byId.size === 0 && text.trim() !== '' ? undefined : ioCounters(byId, devices);
  },
  pids: pidCounts,
  pressure: (read) => ({
    cpu: stallTimes(read('cpu.pressure')),
    memory: stallTimes(read('memory.pressure')),
    io: stallTimes(read('io.pressure')),
  }),
};

const ioKeys: ReadonlyMap<string, readonly [keyof IoOfDevice, IoOperation]> = new Map([
  ['rbytes', ['bytes', 'read']],
  ['wbytes', ['bytes', 'write']],
  ['dbytes', ['bytes', 'discard']],
  ['rios', ['operations', 'read']],
  ['wios', ['operations', 'write']],
  ['dios', ['operations', 'discard']],
]);

/** Reads `8:0 rbytes=1 wbytes=2 …`. Some kernels write devices without values in front, on the same line. */
function ioStat(text: string): ReadonlyMap<string, IoOfDevice> {
  const byId = new Map<string, IoOfDevice>();
  for (const line of text.split('\n')) {
    const id = /(?:^| )(\d+:\d+) [^:]*$/.exec(line)?.[1];
    if (id !== undefined) byId.set(id, ioOf(line));
  }
  return byId;
}

function ioOf(line: string): IoOfDevice {
  const io: Record<keyof IoOfDevice, Partial<Record<IoOperation, number>>> = { bytes: {}, operations: {} };
  for (const [, key = '', digits] of line.matchAll(/ (\w+)=(\d{1,20})(?= |$)/g)) {
    const [kind, operation] = ioKeys.get(key) ?? [];
    if (kind !== undefined && operation !== undefined) io[kind][operation] = Number(digits);
  }
  return io;
}
