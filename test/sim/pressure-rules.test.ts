import { describe, expect, it } from 'vitest';

import type { FileSystem } from '../../sim/model/file-systems.js';
import { podUsage } from '../../sim/model/pod-usage.js';
import {
  evictionOrder,
  type PressureContext,
  pressureMessage,
  type RankedPod,
} from '../../sim/model/pressure-rules.js';
import { crossedThreshold } from '../../sim/model/pressure-thresholds.js';
import type { ContainerSpec, PodSpec } from '../../sim/model/specs.js';
import { gib, mib } from '../support/units.js';
import { startedPod } from './pods.js';

const nowMs = Date.UTC(2026, 0, 1);

function container(rootfs: number, more: Partial<ContainerSpec> = {}): ContainerSpec {
  return { name: 'app', rootfs: { initialBytes: rootfs }, logs: { initialBytes: 0 }, ...more };
}

const app = (rootfs: number, more: Partial<ContainerSpec> = {}): Partial<PodSpec> => ({
  containers: [container(rootfs, more)],
});

/** The usage of a pod that has measured volumes. */
function ranked(name: string, spec: Partial<PodSpec>): RankedPod {
  const pod = startedPod(name, spec, nowMs);
  return { pod, usage: podUsage(pod, { nowMs }) };
}

const bytes = { resource: 'ephemeral-storage', threshold: '10Gi', available: '9Gi' } as const;
const context = (more: Partial<PressureContext> = {}): PressureContext => ({
  threshold: { ...bytes, fileSystem: 'node' },
  minorVersion: 37,
  isImageFsDedicated: false,
  ...more,
});

function order(pods: Readonly<Record<string, Partial<PodSpec>>>, more: Partial<PressureContext> = {}): string {
  const candidates = Object.entries(pods).map(([name, spec]) => ranked(name, spec));
  return evictionOrder(candidates, context(more))
    .map(({ pod }) => pod.spec.name)
    .join(' ');
}

describe('the order of eviction', () => {
  it.each<[string, Readonly<Record<string, Partial<PodSpec>>>, string]>([
    ['pods without statistics come first', { a: app(gib), b: app(0, { kind: 'init' }) }, 'b a'],
    [
      'those above their request come before those below',
      {
        a: app(4 * mib, { requestBytes: 8 * mib }),
        b: { ...app(2 * mib, { requestBytes: mib }), priority: 5 },
      },
      'b a',
    ],
    ['a limit is a request', { a: app(4 * mib, { limitBytes: 8 * mib }), b: app(mib) }, 'b a'],
    ['then the lower priority', { a: { ...app(gib), priority: 1 }, b: app(mib) }, 'b a'],
    [
      'then the larger usage above the request',
      {
        a: app(6 * mib, { requestBytes: 5 * mib }),
        b: app(4 * mib, { requestBytes: mib }),
      },
      'b a',
    ],
    ['then the name', { b: app(mib), a: app(mib) }, 'a b'],
  ])('pods are ranked by the rules of the kubelet: %s', (_, pods, expected) => {
    expect(order(pods)).toBe(expected);
  });

  const layers: Partial<PodSpec> = app(8 * mib);
  const volume: Partial<PodSpec> = {
    containers: [container(0)],
    volumes: [{ name: 'e', source: 'emptyDir', content: { initialBytes: 4 * mib } }],
  };
  it.each<[string, Partial<PressureContext>, string]>([
    ['one filesystem', {}, 'layers volume'],
    ['nodefs without layers', { isImageFsDedicated: true }, 'volume layers'],
    [
      'imagefs without volumes',
      { isImageFsDedicated: true, threshold: { ...bytes, fileSystem: 'image' } },
      'layers volume',
    ],
  ])('the order of eviction measures %s', (_, more, expected) => {
    expect(order({ layers, volume }, more)).toBe(expected);
  });

  it('the order of eviction subtracts requested bytes from inodes', () => {
    const threshold = { resource: 'inodes', fileSystem: 'node', threshold: '4012', available: '2708' } as const;
    const pods = {
      a: app(8 * mib, { requestBytes: mib }),
      b: app(mib),
    };
    expect(order(pods, { threshold })).toBe('b a');
  });

  it.each([
    [37, 'b a'],
    [33, 'a b'],
  ])('the order of eviction counts sidecars in requests as Kubernetes 1.%i', (minorVersion, expected) => {
    const sidecar = container(0, { name: 's', kind: 'sidecar', requestBytes: 6 * mib });
    const pods = {
      a: { containers: [sidecar, container(8 * mib, { requestBytes: mib })] },
      b: app(3 * mib, { requestBytes: 1.5 * mib }),
    };
    expect(order(pods, { minorVersion })).toBe(expected);
  });
});

describe('the message', () => {
  const pod = ranked('a', {
    containers: [
      container(1025 * 1024, { name: 'proxy', kind: 'sidecar' }),
      container(314_585_145, { logs: { initialBytes: 4096 }, requestBytes: 100 * mib }),
      container(mib, { name: 'small', requestBytes: 10 * mib }),
    ],
  });
  const start = 'The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi. ';
  const proxy = 'Container proxy was using 1028Ki, request is 0, has larger consumption of ephemeral-storage. ';
  const app = 'Container app was using 307220Ki, request is 100Mi, has larger consumption of ephemeral-storage. ';

  it.each([
    [37, start + proxy + app],
    [31, start + app],
  ])('the message names containers above their requests, sidecars from 1.32 on: 1.%i', (minorVersion, expected) => {
    expect(pressureMessage(pod, context({ minorVersion }))).toBe(expected);
  });

  it('the message names no container for inodes', () => {
    const threshold = { resource: 'inodes', fileSystem: 'node', threshold: '4012', available: '2708' } as const;
    expect(pressureMessage(pod, context({ threshold }))).toBe(
      'The node was low on resource: inodes. Threshold quantity: 4012, available: 2708. ',
    );
  });
});

describe('thresholds', () => {
  const system = (availableBytes: number, freeInodeCount = 1_000_000): FileSystem => ({
    capacityBytes: 100_000_000_000,
    usedBytes: 100_000_000_000 - availableBytes,
    availableBytes,
    inodeCount: 1_000_000,
    usedInodeCount: 1_000_000 - freeInodeCount,
  });
  const roomy = system(99_000_000_000);

  interface Case {
    readonly evictionHard?: Readonly<Record<string, string>>;
    readonly node?: FileSystem;
    readonly image?: FileSystem;
    readonly expected?: string;
  }

  it.each<[string, Case]>([
    ['none is crossed', {}],
    ['of nodefs', { node: system(10_000_000_148), expected: '10000000149 10000000148' }],
    ['available is the threshold', { node: system(10_000_000_149) }],
    ['of imagefs', { image: system(13 * gib), expected: '15000000596 13Gi' }],
    ['of inodes', { node: system(99e9, 49_999), expected: '50000 49999' }],
    ['configured ones replace all others', { evictionHard: { 'nodefs.available': '5%' }, image: system(6e9) }],
    [
      'a quantity',
      { evictionHard: { 'nodefs.available': '1Gi' }, node: system(gib - 4096), expected: '1Gi 1048572Ki' },
    ],
    ['switched off', { evictionHard: { 'nodefs.available': '0%' }, node: system(0) }],
  ])(
    'a threshold of the kubelet is crossed by its rules: %s',
    (_, { evictionHard, node = roomy, image = roomy, expected }) => {
      const spec = { name: 'node-1', ...(evictionHard !== undefined && { evictionHard }) };
      const crossed = crossedThreshold(spec, { atMs: nowMs, node, image, snapshotBytes: 0 });
      expect(crossed && `${crossed.threshold} ${crossed.available}`).toBe(expected);
    },
  );

  it('thresholds are percentages or quantities', () => {
    const spec = { name: 'node-1', evictionHard: { 'nodefs.available': 'much' } };
    expect(() => crossedThreshold(spec, { atMs: nowMs, node: roomy, image: roomy, snapshotBytes: 0 })).toThrow(
      '"much"',
    );
  });
});
