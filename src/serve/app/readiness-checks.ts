import type { ClusterStore } from '../../cluster/watch/cluster-store.js';
import type { AttemptFailure } from '../../cluster/watch/retries.js';
import type { ScopeState } from '../../cluster/watch/store-lists.js';
import type { Clock } from '../../lib/base/clock.js';
import { escapeInvisible, oneLine } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import type { ReadinessCheck } from '../../people/query/status.js';
import { noSuchNode } from './resolve-scope.js';

/** What must be true before the exporter serves its first values, what is missing from them, and how old they are. */
export function readinessChecks({
  store,
  nodeName,
  stopping,
  clock,
}: {
  readonly store: Pick<ClusterStore, 'lists' | 'hasNode'>;
  /** The only node to measure; undefined when it is not one alone. */
  readonly nodeName: string | undefined;
  readonly stopping: AbortSignal;
  readonly clock: Clock;
}): readonly ReadinessCheck[] {
  const unsynced = new Map(store.lists.unsynced().map(({ name, message }) => [name, message]));
  const { hasSynced } = store.lists;
  const scopes = store.lists.states().flatMap((state) => state.scopes);
  return [
    ...scopes.map((scope) => {
      const { name } = scope;
      if (!unsynced.has(name)) return { name, isOk: true, message: progressText(scope, clock.monotonicMs()) };
      const unlisted = check(name, false, `not listed yet: ${unsynced.get(name) ?? ''}`);
      return hasSynced ? { ...unlisted, isOptional: true } : unlisted;
    }),
    ...(nodeName === undefined || !hasSynced ? [] : [check('node', store.hasNode(nodeName), noSuchNode(nodeName))]),
    check('running', !stopping.aborted, 'stopping'),
  ];
}

/** An old state is served: it is no reason not to be ready. */
function progressText({ isConnected, mode, lastProgress, lastFailure }: ScopeState, nowMs: number): string {
  const age = lastProgress === undefined ? 'never' : `${formatAge(nowMs - lastProgress.monotonicMs)} ago`;
  const how = mode === 'polling' ? 'polled' : isConnected ? 'watched' : 'not watched';
  const why = isConnected || lastFailure === undefined ? '' : `, last error: ${failureText(lastFailure)}`;
  return `${how}, last progress ${age}${why}`;
}

/** The API server wrote a part of it. */
function failureText({ reason, message }: AttemptFailure): string {
  return escapeInvisible(oneLine(`${reason}: ${message}`));
}

function check(name: string, isOk: boolean, message: string): ReadinessCheck {
  return isOk ? { name, isOk } : { name, isOk, message };
}
