import { expect, it } from 'vitest';

import { type EnforcingKubelet, exceededLimit } from '../../sim/model/limit-rules.js';
import { podUsage } from '../../sim/model/pod-usage.js';
import type { ContainerKind, ContainerSpec, PodSpec, VolumeSpec } from '../../sim/model/specs.js';
import { kib, mib } from '../support/units.js';
import { startedPod } from './pods.js';

const nowMs = Date.UTC(2026, 0, 1);

interface Bytes {
  readonly kind?: ContainerKind;
  readonly name?: string;
  readonly rootfs?: number;
  readonly logs?: number;
  readonly limit?: number;
}

function container({ name = 'app', kind = 'app', rootfs = 0, logs = 0, limit }: Bytes): ContainerSpec {
  const growths = { rootfs: { initialBytes: rootfs }, logs: { initialBytes: logs } };
  return { name, kind, ...growths, ...(limit !== undefined && { limitBytes: limit }) };
}

function emptyDir(name: string, usedBytes: number, more: Partial<VolumeSpec> = {}): VolumeSpec {
  return { name, source: 'emptyDir', content: { initialBytes: usedBytes }, ...more };
}

function messageFor(spec: Partial<PodSpec>, more: Partial<EnforcingKubelet> = {}): string | undefined {
  // Static pods have no hosts file, so that the total of their parts is exact.
  const pod = startedPod('a', { isStatic: true, ...spec }, nowMs);
  const usage = podUsage(pod, { nowMs });
  return usage && exceededLimit(pod, usage, { minorVersion: 37, isImageFsDedicated: false, ...more });
}
const overContainer = (name: string, limit: string): string =>
  `Container ${name} exceeded its local ephemeral storage limit "${limit}". `;
const overVolume = (name: string, limit: string): string =>
  `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `;

const spare = container({ name: 'spare', limit: 100 * mib });
const dedicated = { isImageFsDedicated: true };

it.each<[string, Bytes, Partial<EnforcingKubelet>, string | undefined]>([
  ['writable layer and logs together', { rootfs: mib, logs: kib * 4, limit: mib }, {}, overContainer('app', '1Mi')],
  ['logs alone beside a filesystem of images', { rootfs: 4 * mib, logs: mib, limit: mib }, dedicated, undefined],
  ['logs above it', { logs: mib + 1, limit: mib }, dedicated, overContainer('app', '1Mi')],
  ['0 is none', { rootfs: mib, limit: 0 }, {}, undefined],
  ['of a sidecar', { kind: 'sidecar', rootfs: 2 * mib, limit: mib }, {}, overContainer('app', '1Mi')],
  ['of a sidecar before 1.37', { kind: 'sidecar', rootfs: 2 * mib, limit: mib }, { minorVersion: 36 }, undefined],
])('the limit of a container is enforced by the rules of the kubelet: %s', (_, bytes, kubelet, expected) => {
  expect(messageFor({ containers: [container(bytes), spare] }, kubelet)).toBe(expected);
});

it.each<[string, readonly VolumeSpec[], string | undefined]>([
  ['of a volume at it', [emptyDir('e', mib, { sizeLimitBytes: mib })], undefined],
  ['of a volume above it', [emptyDir('e', 2 * mib, { sizeLimitBytes: mib })], overVolume('e', '1Mi')],
  ['of a volume in memory', [emptyDir('e', 2 * mib, { sizeLimitBytes: mib, medium: 'Memory' })], undefined],
  [
    'of a volume in memory that is rounded up to whole pages',
    [emptyDir('e', 2 * mib, { sizeLimitBytes: 1_000_000, medium: 'Memory' })],
    overVolume('e', '1000000'),
  ],
  ['of 0', [emptyDir('e', mib, { sizeLimitBytes: 0 })], undefined],
  [
    'of the first volume of several',
    ['a', 'b', 'c'].map((name) => emptyDir(name, 2 * mib, { sizeLimitBytes: name === 'a' ? 4 * mib : mib })),
    overVolume('b', '1Mi'),
  ],
])('the size limit %s is enforced by the rules of the kubelet', (_, volumes, expected) => {
  // Above every limit, so that the order of the rules shows.
  const containers = expected === undefined ? [container({})] : [container({ rootfs: 8 * mib, limit: mib })];
  expect(messageFor({ containers, volumes })).toBe(expected);
});
