import { directoriesCommand } from '../report/pod-commands.js';
import type { PodPlace } from '../report/pod-report.js';
import type { Status } from './status.js';

/** There is no object of this name. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

/** Nodes and pods have not been listed yet. */
export class NotListedError extends Error {
  override readonly name = 'NotListedError';
}

/** Too much is under way: try again. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** What is known of before the first lists. */
const keptKinds: ReadonlySet<string> = new Set(['problems', 'evictions', 'eviction']);

/** Throws NotListedError for a kind of view that there is not before the first lists. */
export function requireListed(kind: string, { notListed }: Pick<Status, 'notListed'>): void {
  if (notListed !== undefined && !keptKinds.has(kind)) throw new NotListedError(notListed);
}

/** Why there is no eviction: before the first lists, they may show it. */
export function noEviction(uid: string, { notListed }: Pick<Status, 'notListed'>): Error {
  if (notListed !== undefined) return new NotListedError(notListed);
  return new NotFoundError(`no eviction of a pod with the UID ${uid} is remembered`);
}

/** Why there are no directories of a pod. */
export function notMeasured(
  why: 'unknown' | 'elsewhere' | 'refused',
  place: Pick<PodPlace, 'namespace' | 'pod'>,
): Error {
  const { namespace, pod } = place;
  if (why === 'unknown') return new NotFoundError(`no pod ${namespace}/${pod} in scope`);
  if (why === 'refused') return new BusyError('too many pods wait to be measured: try again');
  const without = `without an agent: ${directoriesCommand(place)}`;
  return new NotFoundError(
    `no agent on its node measures pod ${namespace}/${pod}: it does not run, or agent.enabled is false; ${without}`,
  );
}
