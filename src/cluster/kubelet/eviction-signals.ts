/**
 * What a kubelet watches to keep its disks from filling up, filesystem by filesystem.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#eviction-signals
 */
export const evictionSignals = [
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
] as const;
export type EvictionSignal = (typeof evictionSignals)[number];

export const signalFilesystems = ['nodefs', 'imagefs', 'containerfs'] as const;
export type SignalFilesystem = (typeof signalFilesystems)[number];

const filesystems: Readonly<Record<EvictionSignal, SignalFilesystem>> = {
  'nodefs.available': 'nodefs',
  'nodefs.inodesFree': 'nodefs',
  'imagefs.available': 'imagefs',
  'imagefs.inodesFree': 'imagefs',
  'containerfs.available': 'containerfs',
  'containerfs.inodesFree': 'containerfs',
};

export function filesystemOf(signal: EvictionSignal): SignalFilesystem {
  return filesystems[signal];
}

/** Whether the signal is about inodes; the others are about bytes. */
export function countsInodes(signal: EvictionSignal): boolean {
  return signal.endsWith('.inodesFree');
}
