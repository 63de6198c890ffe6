/** The forms of the files of a cgroup: https://docs.kernel.org/admin-guide/cgroup-v2.html#format */
import type { DeviceIo, PodResources, ResourcePart } from '../facts/node/agent-pod.js';
import type { BlockDevices } from './block-devices.js';

/** Returns the whole number of at most 64 bits that the text is; undefined for `max`, which stands for no limit, and all else. */
export function numberIn(text: string | undefined): number | undefined {
  const digits = text?.trimEnd() ?? '';
  return /^\d{1,20}$/.test(digits) ? Number(digits) : undefined;
}

/**
 * Returns what reads the lines that have one of these keys and a whole number. By one regular expression, as exporters of one
 * node compile nothing else: the others of the sixty lines of `memory.stat` cost nothing.
 */
export function flatKeyed<Key extends string>(
  ...keys: readonly Key[]
): (text: string | undefined) => Partial<Readonly<Record<Key, number>>> {
  return keyedBy(new RegExp(`^(${keys.join('|')}) (\\d{1,20})$`, 'gm'));
}

/** `form` has a group for the key and one for the number. */
function keyedBy<Key extends string>(form: RegExp): (text: string | undefined) => Partial<Record<Key, number>> {
  return (text = '') => {
    const values: Partial<Record<Key, number>> = {};
    for (const [, key, digits] of text.matchAll(form)) values[key as Key] = Number(digits);
    return values;
  };
}

/** Returns the text of a file of one cgroup; undefined where the cgroup does not have the file. */
export type ReadFile = (name: string) => string | undefined;

export type NamedDevices = Pick<BlockDevices, 'nameOf' | 'below'>;

/** How each part of a pod's resources is read from the files of its cgroup. */
export type ResourceReaders = {
  readonly [Part in ResourcePart]: (read: ReadFile, devices: NamedDevices) => PodResources[Part];
};

const stallTotals = keyedBy<'some' | 'full'>(/^(some|full) .*total=(\d{1,20})$/gm);

/** Reads a file of pressure stall information: https://docs.kernel.org/accounting/psi.html */
export function stallTimes(text: string | undefined): NonNullable<PodResources['pressure']>['cpu'] {
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
export function ioCounters(byId: ReadonlyMap<string, IoOfDevice>, devices: NamedDevices): PodResources['io'] {
  const below = new Set([...byId.keys()].flatMap((id) => devices.below(id)));
  const written = Array.from(byId).flatMap(([id, { bytes }]) => (below.has(id) ? [] : (bytes.write ?? [])));
  const isUnknown = byId.size > 0 && written.length === 0;
  const writtenBytes = isUnknown ? undefined : written.reduce((sum, bytes) => sum + bytes, 0);
  return { writtenBytes, devices: Array.from(byId, ([id, io]) => ({ device: devices.nameOf(id), ...io })) };
}
