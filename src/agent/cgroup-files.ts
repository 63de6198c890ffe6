/** The forms of the files of a cgroup: https://docs.kernel.org/admin-guide/cgroup-v2.html#format */
import type { DeviceIo, IoCounters, PodResources, ResourcePart, StallTimes } from '../facts/node/agent-pod.js';
import { keyedBy, numberIn } from '../facts/node/kernel-texts.js';
import type { BlockDevices } from './block-devices.js';

/** Returns the text of a file of one cgroup; undefined where the cgroup does not have the file. */
export type ReadFile = (name: string) => string | undefined;

export type NamedDevices = Pick<BlockDevices, 'nameOf' | 'below'>;

/** How each part of a pod's resources is read from the files of its cgroup. */
export type ResourceReaders = {
  readonly [Part in ResourcePart]: (read: ReadFile, devices: NamedDevices) => PodResources[Part];
};

const stallTotals = keyedBy<'some' | 'full'>(/^(some|full) .*total=(\d{1,20})$/gm);

/** Reads a file of pressure stall information: https://docs.kernel.org/accounting/psi.html */
export function stallTimes(text: string | undefined): StallTimes {
  const { some, full } = stallTotals(text);
  return { someUs: some, fullUs: full };
}

/** Returns the memory without what can be reclaimed at once; never below 0, as both are read one after the other. */
export function workingSetBytes(currentBytes?: number, inactiveFileBytes?: number): number | undefined {
  if (currentBytes === undefined || inactiveFileBytes === undefined) return undefined;
  return Math.max(0, currentBytes - inactiveFileBytes);
}

/** The same files in both versions. */
export function pidCounts(read: ReadFile): PodResources['pids'] {
  const [current, peak, max] = ['pids.current', 'pids.peak', 'pids.max'].map((name) => numberIn(read(name)));
  return { current, peak, max };
}

export type IoOfDevice = Omit<DeviceIo, 'device'>;

/**
 * Names the devices and adds up what was written. The kernel counts what is written to a logical volume again on the disk
 * below it, so of both only the volume is in the sum.
 */
export function ioCounters(byId: ReadonlyMap<string, IoOfDevice>, devices: NamedDevices): IoCounters {
  const below = new Set([...byId.keys()].flatMap((id) => devices.below(id)));
  const written = Array.from(byId).flatMap(([id, { bytes }]) => (below.has(id) ? [] : (bytes.write ?? [])));
  const isUnknown = byId.size > 0 && written.length === 0;
  const writtenBytes = isUnknown ? undefined : written.reduce((sum, bytes) => sum + bytes, 0);
  return { writtenBytes, devices: Array.from(byId, ([id, io]) => ({ device: devices.nameOf(id), ...io })) };
}
