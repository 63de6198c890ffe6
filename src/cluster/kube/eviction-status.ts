import { truncate } from '../../lib/base/text.js';
import { isObject, type JsonObject, objectOf, objectsOf, textOf, timeMsOf } from '../../lib/json/json.js';
import type { EvictionStatus } from './objects.js';

/** A pod of a hundred containers has a long one; the cause is at its beginning. */
const maxMessageLength = 2_000;

/**
 * Of pods in phase `Failed` with reason `Evicted` only: the kubelet writes both at once, together with the message, and
 * no other component writes them. The condition `DisruptionTarget` alone proves nothing: evictions for limits lack it,
 * and preemptions and drains have it.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/
 */
export function projectEvictionStatus(status: JsonObject): EvictionStatus | undefined {
  if (status['phase'] !== 'Failed' || status['reason'] !== 'Evicted') return undefined;
  return { message: truncate(textOf(status['message']) ?? '', maxMessageLength), atMs: evictedAtMs(status) };
}

/**
 * The condition that the kubelet sets for the eviction; else the latest trace that the end of the pod left: conditions
 * that turned false and containers that ended. Some evicted pods have containers that never ended (`waiting`, or
 * `ContainerStatusUnknown` without a time). A pod that was refused at admission has a start time only.
 */
function evictedAtMs(status: JsonObject): number | undefined {
  const conditions = objectsOf(status['conditions']);
  const target = conditions.find(
    ({ type, reason }) => type === 'DisruptionTarget' && reason === 'TerminationByKubelet',
  );
  const targetedAtMs = timeMsOf(target?.['lastTransitionTime']);
  if (targetedAtMs !== undefined) return targetedAtMs;
  const endedAtMs = conditions.filter(isEnd).map(({ lastTransitionTime }) => timeMsOf(lastTransitionTime));
  const containers = [...objectsOf(status['containerStatuses']), ...objectsOf(status['initContainerStatuses'])];
  const finishedAtMs = containers
    .map(({ state }) => objectOf(state)['terminated'])
    .filter(isObject)
    .map(({ finishedAt }) => timeMsOf(finishedAt));
  const known = [...endedAtMs, ...finishedAtMs].filter((time) => time !== undefined);
  if (known.length > 0) return Math.max(...known);
  return containers.length === 0 ? timeMsOf(status['startTime']) : undefined;
}

const endReasons: ReadonlySet<unknown> = new Set(['PodFailed', 'PodSandboxNotReady']);

function isEnd({ status, reason }: JsonObject): boolean {
  return status === 'False' && endReasons.has(reason);
}
