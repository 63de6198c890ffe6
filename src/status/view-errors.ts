import { directoriesCommand } from '../report/pod-commands.js';
import type { PodPlace } from '../report/pod-report.js';

/** There is no object of this name. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

/** Too much is under way: try again. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
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
