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

export function filesystemOf(signal: EvictionSignal): SignalFilesystem {
  const [filesystem] = signal.split('.') as [SignalFilesystem];
  return filesystem;
}

/** Whether the signal is about inodes; the others are about bytes. */
export function countsInodes(signal: EvictionSignal): boolean {
  return signal.endsWith('.inodesFree');
}
