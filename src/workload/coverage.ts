import type { Pod } from '../kube/objects.js';

interface GracePeriod {
  /** Time in milliseconds since the Unix epoch; in a process that lives long, one that does not jump. */
  readonly nowMs: number;
  /** How long a pod may run before its node's summary must list it, in milliseconds. */
  readonly graceMs: number;
}

/**
 * Whether a summary must list the pod: a container of it, also an init container, has run on a node for longer than the
 * grace period.
 */
export function isExpected({ pod, nowMs, graceMs }: GracePeriod & { readonly pod: Pod }): boolean {
  return isRunning(pod) && nowMs > pod.runningSinceMs + graceMs;
}

/** `validUntilMs`: the last time at which the result is still the same; Infinity when time alone changes nothing. */
export function expectedPods({ pods, nowMs, graceMs }: GracePeriod & { readonly pods: readonly Pod[] }): {
  readonly pods: readonly Pod[];
  readonly validUntilMs: number;
} {
  const expected: Pod[] = [];
  let validUntilMs = Infinity;
  for (const pod of pods) {
    if (isExpected({ pod, nowMs, graceMs })) expected.push(pod);
    else if (isRunning(pod)) validUntilMs = Math.min(validUntilMs, pod.runningSinceMs + graceMs);
  }
  return { pods: expected, validUntilMs };
}

function isRunning(pod: Pod): pod is Pod & { readonly runningSinceMs: number } {
  const mayRun = pod.phase === 'Running' || pod.phase === 'Pending';
  return mayRun && pod.nodeName !== undefined && pod.runningSinceMs !== undefined;
}
