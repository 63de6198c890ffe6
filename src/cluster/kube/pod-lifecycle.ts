import type { Pod } from './objects.js';

/** What happened to a pod and its containers. Closed list: the values become label values. */
export const lifecycleEventTypes = ['started', 'died', 'removed', 'evicted'] as const;

export interface LifecycleEvent {
  readonly type: (typeof lifecycleEventTypes)[number];
  /** The run of a container, see `Pod.runs`; '' for what happened to the pod. */
  readonly run: string;
  /** Wall time in milliseconds, by the clock of its node; undefined where the object does not have it. */
  readonly atMs: number | undefined;
}

/**
 * What lies between two states of a pod. A run that came and went between them is not seen. A removed pod whose
 * containers still ran has died too.
 */
export function lifecycleEvents({
  type,
  object,
  previous,
}: {
  readonly type: 'added' | 'updated' | 'removed';
  /** The new state; of a removed pod its final one. */
  readonly object: Pod;
  /** Undefined for an added pod. */
  readonly previous: Pod | undefined;
}): readonly LifecycleEvent[] {
  const before = previous?.runs ?? [];
  const now = type === 'removed' ? [] : object.runs;
  const { runsChangedAtMs, eviction } = object;
  const isEvicted = eviction !== undefined && previous?.eviction === undefined;
  return [
    ...before.filter((run) => !now.includes(run)).map((run) => ({ type: 'died' as const, run, atMs: runsChangedAtMs })),
    ...now
      .filter((run) => !before.includes(run))
      .map((run) => ({ type: 'started' as const, run, atMs: runsChangedAtMs })),
    ...(isEvicted ? [{ type: 'evicted' as const, run: '', atMs: eviction.atMs }] : []),
    ...(type === 'removed' ? [{ type: 'removed' as const, run: '', atMs: undefined }] : []),
  ];
}

/**
 * Whether a summary from before the events is out of date. Not for a pod that failed: what is known of it are its values
 * before its end, and its kubelet no longer measures it.
 */
export function outdatesSummary({ phase }: Pick<Pod, 'phase'>, events: readonly LifecycleEvent[]): boolean {
  return phase !== 'Failed' && events.some(({ type }) => type === 'started' || type === 'died');
}
