import { type Clock, startDeadline } from '../base/clock.js';
import { RequestError } from '../base/errors.js';
import type { ApiTransport } from '../http/api-client.js';
import { collectionOf } from './resource-path.js';

/** Above it, one watch of all namespaces costs the API server less than one for each. */
const maxNamespaceWatches = 10;

const probeTimeoutMs = 10_000;

export interface ClusterWidePodsOptions {
  readonly api: ApiTransport;
  readonly clock: Clock;
  readonly namespaces: readonly string[];
}

/**
 * Whether pods of these namespaces are to be listed and watched in all namespaces at once, and the others left out: where
 * there are more than 10 and the credentials may list them all, which one request for one pod shows. False when it fails
 * in any way. Throws the signal's reason.
 */
export async function watchesAllNamespaces(
  { api, clock, namespaces }: ClusterWidePodsOptions,
  signal: AbortSignal,
): Promise<boolean> {
  if (namespaces.length <= maxNamespaceWatches) return false;
  const error = (): RequestError => new RequestError('timeout', 'the list of one pod took too long');
  using deadline = startDeadline({ clock, durationMs: probeTimeoutMs, error, parent: signal });
  const { path } = collectionOf({ resource: 'pods' });
  try {
    const body = await api.open({ path, query: { limit: '1' } }, deadline.signal);
    for await (const chunk of body) if (chunk.length > 0) return true;
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RequestError) return false;
    throw error;
  }
}
