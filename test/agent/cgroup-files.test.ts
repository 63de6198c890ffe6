import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { flatKeyed, numberIn, type ReadFile, stallTimes } from '../../src/agent/cgroup-files.js';
import { readersV1 } from '../../src/agent/cgroup-v1.js';
import { readersV2 } from '../../src/agent/cgroup-v2.js';
import { type PodResources, resourceParts } from '../../src/facts/node/agent-pod.js';
import { type CgroupFiles, filesV1, filesV2 } from '../support/cgroup-trees.js';

const names: Readonly<Record<string, string>> = { '259:0': 'nvme0n1', '253:0': 'dm-0', '7:0': 'loop0' };
const devices = { nameOf: (id: string) => names[id] ?? id, below: (id: string) => (id === '253:0' ? ['259:0'] : []) };

const readers = { v1: readersV1, v2: readersV2 };

function resourcesOf(version: 'v1' | 'v2', files: CgroupFiles): Partial<PodResources> {
  const read: ReadFile = (name) => files[name];
  return Object.fromEntries(resourceParts.map((part) => [part, readers[version][part](read, devices)]));
}

const shared = {
  cpu: { userUs: 3_000_000, systemUs: 2_000_000, periods: 40, throttledPeriods: 4, throttledUs: 250_000 },
  memory: {
    currentBytes: 104_857_600,
    peakBytes: 125_829_120,
    workingSetBytes: 73_400_320,
    anonBytes: 41_943_040,
    fileBytes: 52_428_800,
    highBytes: undefined,
    maxBytes: 268_435_456,
    faults: 123_456,
    majorFaults: 78,
  },
  pids: { current: 7, peak: 12, max: 1024 },
};

const disk = {
  device: 'nvme0n1',
  bytes: { read: 4096, write: 1_048_576, discard: 512 },
  operations: { read: 1, write: 16, discard: 1 },
};

describe('the files of a cgroup', () => {
  it('a cgroup v2 has all resources, those of devices by name', () => {
    const loop = {
      device: 'loop0',
      bytes: { read: 8192, write: 0, discard: 0 },
      operations: { read: 2, write: 0, discard: 0 },
    };
    expect(resourcesOf('v2', filesV2)).toEqual({
      ...shared,
      io: { writtenBytes: 1_048_576, devices: [disk, loop] },
      pressure: {
        cpu: { someUs: 1_500_000, fullUs: 0 },
        memory: { someUs: 20_000, fullUs: 10_000 },
        io: { someUs: 3_000_000, fullUs: 2_000_000 },
      },
    });
  });

  it('a cgroup v1 has the same resources in the same units, without pressure', () => {
    expect(resourcesOf('v1', filesV1)).toEqual({
      ...shared,
      io: { writtenBytes: 1_048_576, devices: [{ ...disk, operations: { read: 1, write: 16 } }] },
      pressure: undefined,
    });
  });

  it.each(['v1', 'v2'] as const)('a cgroup %s without files has no values', (version) => {
    const values = JSON.stringify(resourcesOf(version, {}));
    expect(JSON.parse(values)).toEqual({
      cpu: {},
      memory: {},
      pids: {},
      ...(version === 'v2' && { pressure: { cpu: {}, memory: {}, io: {} } }),
    });
  });

  it.each([
    ['v2', 'memory.max', 'max\n'],
    ['v1', 'memory.limit_in_bytes', '9223372036854771712\n'],
    ['v1', 'memory.limit_in_bytes', '9223372036854710272\n'],
  ] as const)('a cgroup %s with %s %j has no memory limit', (version, name, text) => {
    const files = { ...(version === 'v1' ? filesV1 : filesV2), [name]: text };
    expect(resourcesOf(version, files).memory?.maxBytes).toBeUndefined();
  });

  it.each(['v1', 'v2'] as const)('a cgroup %s without a limit of processes has none', (version) => {
    expect(resourcesOf(version, { 'pids.current': '1\n', 'pids.max': 'max\n' }).pids).toEqual({
      current: 1,
      max: undefined,
    });
  });

  it('a working set is never below 0, and unknown without one of its parts', () => {
    const stat = filesV2['memory.stat'] ?? '';
    const workingSet = (files: CgroupFiles) => resourcesOf('v2', files).memory?.workingSetBytes;
    expect(workingSet({ 'memory.current': '4096\n', 'memory.stat': stat })).toBe(0);
    expect(workingSet({ 'memory.current': '4096\n' })).toBeUndefined();
    expect(workingSet({ 'memory.stat': stat })).toBeUndefined();
  });

  it('what is written to a logical volume and again to the disk below it is counted once', () => {
    const text = '253:0 rbytes=0 wbytes=700 rios=0 wios=1\n259:0 rbytes=0 wbytes=700 rios=0 wios=1\n';
    const { io } = resourcesOf('v2', { 'io.stat': text });
    expect(io?.writtenBytes).toBe(700);
    expect(io?.devices.map(({ device }) => device)).toEqual(['dm-0', 'nvme0n1']);
  });

  it('a pod without any I/O has written nothing with v2; with v1, where kernels may not count, it is unknown', () => {
    expect(resourcesOf('v2', { 'io.stat': '' }).io).toEqual({ writtenBytes: 0, devices: [] });
    expect(resourcesOf('v2', { 'io.stat': '\n' }).io).toEqual({ writtenBytes: 0, devices: [] });
    expect(resourcesOf('v1', { 'blkio.throttle.io_service_bytes_recursive': 'Total 0\n' }).io).toBeUndefined();
  });

  it.each(['\0\u001bgarbage 8:0 wbytes=-5', 'no device', `8:0 wbytes=${'9'.repeat(400)}`, '8:0 wbytes=5x'])(
    'an io.stat that is not understood is unknown, not nothing: %j',
    (text) => {
      expect(resourcesOf('v2', { 'io.stat': text }).io?.writtenBytes).toBeUndefined();
    },
  );

  it('numbers longer than those of a kernel are not understood', () => {
    const digits = '9'.repeat(400);
    const { memory, cpu, pressure } = resourcesOf('v2', {
      'memory.current': digits,
      'cpu.stat': `user_usec ${digits}\nsystem_usec 5`,
      'io.pressure': `some avg10=0.00 total=${digits}`,
    });
    expect(memory?.currentBytes).toBeUndefined();
    expect(cpu).toMatchObject({ userUs: undefined, systemUs: 5 });
    expect(pressure?.io.someUs).toBeUndefined();
  });

  it('a line of io.stat may begin with devices that have no values, and have keys of other controllers', () => {
    const text = '7:7 7:6 259:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6 cost.usage=7\n8:16 \n';
    expect(resourcesOf('v2', { 'io.stat': text }).io).toEqual({
      writtenBytes: 2,
      devices: [
        {
          device: 'nvme0n1',
          bytes: { read: 1, write: 2, discard: 5 },
          operations: { read: 3, write: 4, discard: 6 },
        },
        { device: '8:16', bytes: {}, operations: {} },
      ],
    });
  });

  it('pressure of kernels that report only one kind has that kind', () => {
    expect(stallTimes('some avg10=0.00 avg60=0.00 avg300=0.00 total=12\n')).toEqual({
      someUs: 12,
      fullUs: undefined,
    });
  });

  it('each key that is read has its number, whatever the others are', () => {
    const key = fc.oneof(fc.constantFrom('file', 'anon', 'inactive_file'), fc.stringMatching(/^[a-z_]{1,12}$/));
    const read = flatKeyed('file', 'anon');
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, fc.nat()), { selector: ([name]) => name }), (entries) => {
        const text = entries.map(([name, value]) => `${name} ${value}\n`).join('');
        const expected = entries.filter(([name]) => name === 'file' || name === 'anon');
        expect(read(text)).toEqual(Object.fromEntries(expected));
      }),
    );
  });

  it('no text makes a reader fail, or a value that is not a whole number', () => {
    const isCount = (value: unknown): boolean =>
      value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(isCount(numberIn(text))).toBe(true);
        for (const version of ['v1', 'v2'] as const) {
          const read: ReadFile = () => text;
          for (const part of resourceParts) readers[version][part](read, devices);
        }
      }),
    );
  });
});
