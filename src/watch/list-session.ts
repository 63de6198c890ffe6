import { type Clock, startDeadline } from '../base/clock.js';
import { messageOf, RequestError } from '../base/errors.js';
import type { ApiTransport } from '../http/api-client.js';
import { ApiError } from '../http/api-error.js';
import { restartOnData } from './body.js';
import { type ListMeta, readList } from './list-stream.js';
import type { Collection } from './resource-path.js';

const listTimeoutMs = 300_000;
/** To the headers, and between two chunks. */
const listSilenceMs = 60_000;
const pageLimit = '500';

export interface ListSessionOptions<T> {
  readonly api: ApiTransport;
  readonly collection: Collection;
  readonly clock: Clock;
  /** Undefined for an object that is not to be kept. Throws for one that it cannot read. */
  readonly project: (object: unknown) => T | undefined;
  /** Called when the server no longer knows the resource version or the continue token; the list goes on with another. */
  readonly onExpired: () => void;
}

export interface ListedObjects<T> {
  readonly objects: readonly T[];
  /** Where a watch goes on from. */
  readonly resourceVersion: string;
  /** One message per object that could not be read and is left out. */
  readonly unreadable: readonly string[];
}

/** One request of a list. */
interface ListRequest {
  /** `0`: any state the server has; '': the newest one; else one that is not older. */
  readonly resourceVersion: string;
  /** False after a page has expired: the whole list at once. */
  readonly isPaged: boolean;
  readonly continueToken?: string;
}

type Page<T> = ListedObjects<T> & ListMeta;

/**
 * A complete list that is not older than `resourceVersion`. Falls back to the newest state when the server cannot serve
 * that version, and to one answer without pages when a continue token expires. Only the newest state is asked for in
 * pages: all others come from the API server's memory, which serves them at once and ignores limits.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 *
 * Throws `RequestError`, the signal's reason, or what `onExpired` throws. Takes at most 5 minutes, and at most 60 s without
 * data.
 */
export async function listObjects<T>(
  options: ListSessionOptions<T>,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<ListedObjects<T>> {
  const { clock, collection } = options;
  const error = timedOut(collection, `not complete after ${listTimeoutMs / 1000} s`);
  using deadline = startDeadline({ clock, durationMs: listTimeoutMs, error, parent: signal });
  let request: ListRequest = { resourceVersion, isPaged: true };
  let pages: Page<T> | undefined;
  for (;;) {
    try {
      const page = await readPage(options, request, deadline.signal);
      pages = joined(pages, page);
      if (page.continueToken === undefined) return checked(pages);
      if (page.continueToken === request.continueToken) throw new RequestError('decode', 'the list repeats a page');
      request = { ...request, continueToken: page.continueToken };
    } catch (error) {
      const fallback = fallbackOf(request, error);
      if (fallback === undefined) throw error;
      if (error instanceof ApiError && error.isExpired) options.onExpired();
      request = fallback;
      pages = undefined;
    }
  }
}

/** The pages of a list show the state of the first one. */
function joined<T>(before: Page<T> | undefined, page: Page<T>): Page<T> {
  if (before === undefined) return page;
  const objects = [...before.objects, ...page.objects];
  const unreadable = [...before.unreadable, ...page.unreadable];
  return { ...page, objects, unreadable, resourceVersion: before.resourceVersion };
}

/** When nothing can be read, the fault is not with single objects: what is known must not go for that. */
function checked<T>(list: ListedObjects<T>): ListedObjects<T> {
  const [first] = list.unreadable;
  if (first === undefined || list.objects.length > 0) return list;
  throw new RequestError('decode', `none of ${list.unreadable.length} objects is readable; the first: ${first}`);
}

async function readPage<T>(
  { api, collection, clock, project }: ListSessionOptions<T>,
  request: ListRequest,
  signal: AbortSignal,
): Promise<Page<T>> {
  const error = timedOut(collection, `no data for ${listSilenceMs / 1000} s`);
  using silence = startDeadline({ clock, durationMs: listSilenceMs, error, parent: signal });
  const objects: T[] = [];
  const unreadable: string[] = [];
  const onItem = (item: unknown): void => {
    try {
      const projected = project(item);
      if (projected !== undefined) objects.push(projected);
    } catch (error) {
      unreadable.push(messageOf(error));
    }
  };
  try {
    const query = { ...collection.selectors, ...queryOf(request) };
    const body = await api.open({ path: collection.path, query }, silence.signal);
    const meta = await readList(restartOnData(body, silence), { kind: `${collection.kind}List`, onItem });
    return { ...meta, objects, unreadable };
  } catch (error) {
    // Whatever an abort makes of the body, its reason is what happened.
    silence.signal.throwIfAborted();
    throw error;
  }
}

function timedOut({ path }: Collection, what: string): () => RequestError {
  return () => new RequestError('timeout', `list of ${path}: ${what}`);
}

function queryOf({ resourceVersion, isPaged, continueToken }: ListRequest): Readonly<Record<string, string>> {
  // A continue token carries its resource version; another one beside it is refused.
  if (continueToken !== undefined) return { limit: pageLimit, continue: continueToken };
  if (resourceVersion === '') return isPaged ? { limit: pageLimit } : {};
  return resourceVersion === '0' ? { resourceVersion } : { resourceVersion, resourceVersionMatch: 'NotOlderThan' };
}

/** What to ask for instead of a request that failed; undefined when nothing else would help. Ends after at most three. */
function fallbackOf(request: ListRequest, error: unknown): ListRequest | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { resourceVersion, isPaged, continueToken } = request;
  if (continueToken !== undefined) {
    return error.isExpired && isPaged ? { resourceVersion, isPaged: false } : undefined;
  }
  const isUnavailable = error.isExpired || error.isResourceVersionTooLarge;
  return isUnavailable && resourceVersion !== '' ? { resourceVersion: '', isPaged: true } : undefined;
}
