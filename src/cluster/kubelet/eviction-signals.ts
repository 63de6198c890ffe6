export const signalFilesystems = ['nodefs', 'imagefs', 'containerfs'] as const;
export type SignalFilesystem = (typeof signalFilesystems)[number];
export type EvictionSignal = `${SignalFilesystem}.${'available' | 'inodesFree'}`;

/**
 * What a kubelet watches to keep its disks from filling up, filesystem by filesystem.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#eviction-signals
 */
export const evictionSignals: readonly EvictionSignal[] = signalFilesystems.flatMap(
  (filesystem) => [`${filesystem}.available`, `${filesystem}.inodesFree`] as const,
);

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
