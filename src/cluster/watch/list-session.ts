import { startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { type FailureReason, messageOf, RequestError } from '../../lib/base/errors.js';
import type { Lane } from '../../lib/base/lane.js';
import { withIdleTimeout } from '../../lib/json/body-chunks.js';
import type { ApiTransport } from '../http/api-client.js';
import { ApiError } from '../http/api-error.js';
import { type ListMeta, readList } from './list-stream.js';
import type { ObjectCollection } from './resource-path.js';
import type { ListResult } from './watch-observer.js';

const listTimeoutMs = 300_000;
/** To the headers, and between two chunks. */
const listSilenceMs = 60_000;
const pageLimit = '500';

export interface ListSessionOptions<T> {
  readonly api: ApiTransport;
  readonly collection: ObjectCollection;
  readonly clock: Clock;
  /** Reads lists: one of 150,000 pods takes 12 s of CPU. */
  readonly background: Lane;
  /** Undefined for an object that is not kept. Throws for a malformed one. */
  readonly project: (object: unknown) => T | undefined;
  /** Called when the resource version or the continue token has expired; the list continues with another one. */
  readonly onExpired: () => void;
  /** Whether the list is of exactly the version that is asked for, unless it cannot be served. Default: false. */
  readonly isExact?: boolean;
}

export interface ListedObjects<T> {
  readonly objects: readonly T[];
  /** Where a watch continues. */
  readonly resourceVersion: string;
  /** Objects that are not among `objects`. */
  readonly skipped: readonly { readonly reason: 'malformed' | 'too_large'; readonly message: string }[];
  /** Of the whole list, also objects that are not kept. */
  readonly itemCount: number;
}

/** One request of a list. */
interface ListRequest {
  /** `0`: any state of the server; '': the newest one; otherwise one that is not older. */
  readonly resourceVersion: string;
  readonly isExact: boolean;
  /** False after a page has expired: the whole list in one response. */
  readonly isPaged: boolean;
  readonly continueToken?: string;
}

/** What the pages have shown so far: a copy for each of them would be of all before. */
interface PagesRead<T> extends ListedObjects<T> {
  readonly objects: T[];
  readonly skipped: ListedObjects<T>['skipped'][number][];
  itemCount: number;
  /** That of the first page, whose state the others show too. */
  resourceVersion: string;
}

/**
 * Reads a complete list that is not older than `resourceVersion`. Falls back to the newest state when the server cannot serve
 * that version or refuses its length, and to one response without pages for a continue token of this kind. Only the newest state and an exact one
 * are requested in pages: all others come from the API server's memory, which serves them in one response and ignores limits.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 *
 * Compression is left to the server, which compresses bodies above 128 KiB.
 *
 * Throws `RequestError`, the signal's reason, or what `onExpired` throws. Takes at most 5 minutes, and at most 60 s without
 * data.
 */
export async function listObjects<T>(
  options: ListSessionOptions<T>,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<ListedObjects<T>> {
  const { clock, collection, isExact = false } = options;
  const error = timedOut(collection, `not complete after ${listTimeoutMs / 1000} s`);
  using deadline = startDeadline({ clock, durationMs: listTimeoutMs, error, parent: signal });
  let request: ListRequest = { resourceVersion, isExact, isPaged: true };
  let pages = noPages<T>();
  for (;;) {
    try {
      const page = await readPage(options, request, pages, deadline.signal);
      if (request.continueToken === undefined) pages.resourceVersion = page.resourceVersion;
      if (page.continueToken === undefined) return checkedList(pages);
      if (page.continueToken === request.continueToken)
        throw new RequestError('decode', 'the list returned the same page twice');
      request = { ...request, continueToken: page.continueToken };
    } catch (error) {
      const fallback = fallbackOf(request, error);
      if (fallback === undefined) throw error;
      if (error instanceof ApiError && error.isExpired) options.onExpired();
      request = fallback;
      pages = noPages();
    }
  }
}

export function listFailure(error: RequestError): ListResult {
  return error instanceof ApiError && error.isExpired ? 'expired' : error.reason;
}

/** Returns whether only an operator can change the answer. */
export function isRefused(error: RequestError): boolean {
  const isTooLong = error instanceof ApiError && error.isTooLongRequest;
  return isTooLong || error.reason === 'unauthorized' || error.reason === 'forbidden';
}

function noPages<T>(): PagesRead<T> {
  return { objects: [], skipped: [], itemCount: 0, resourceVersion: '' };
}

/** When all objects are malformed, the list itself is wrong: the known objects must not be dropped for it. */
function checkedList<T>(list: ListedObjects<T>): ListedObjects<T> {
  const malformed = list.skipped.filter(({ reason }) => reason === 'malformed');
  const [first] = malformed;
  if (first === undefined || list.objects.length > 0) return list;
  throw new RequestError('decode', `all ${malformed.length} objects are malformed; the first: ${first.message}`);
}

async function readPage<T>(
  { api, collection, clock, project, background }: ListSessionOptions<T>,
  request: ListRequest,
  pages: PagesRead<T>,
  signal: AbortSignal,
): Promise<ListMeta> {
  const error = timedOut(collection, `no data for ${listSilenceMs / 1000} s`);
  using silence = startDeadline({ clock, durationMs: listSilenceMs, error, parent: signal });
  const onItem = (item: unknown): void => {
    pages.itemCount += 1;
    try {
      const projected = project(item);
      if (projected !== undefined) pages.objects.push(projected);
    } catch (error) {
      pages.skipped.push({ reason: 'malformed', message: messageOf(error) });
    }
  };
  const onOversizedItem = (message: string): void => {
    pages.skipped.push({ reason: 'too_large', message });
  };
  try {
    const query = { ...collection.selectors, ...queryOf(request) };
    const body = await api.open({ path: collection.path, query, acceptsGzip: true }, silence.signal);
    const options = { kind: `${collection.kind}List`, onItem, onOversizedItem, lane: background };
    return await readList(withIdleTimeout(body, silence), options);
  } catch (error) {
    // An abort may break the body in any way; its reason is the cause.
    silence.signal.throwIfAborted();
    throw error;
  }
}

function timedOut({ path }: ObjectCollection, what: string): () => RequestError {
  return () => new RequestError('timeout', `list of ${path}: ${what}`);
}

function queryOf({ resourceVersion, isExact, isPaged, continueToken }: ListRequest): Readonly<Record<string, string>> {
  // A continue token contains its resource version; the server refuses another one beside it.
  if (continueToken !== undefined) return { limit: pageLimit, continue: continueToken };
  if (resourceVersion === '') return isPaged ? { limit: pageLimit } : {};
  if (isExact) return { limit: pageLimit, resourceVersion, resourceVersionMatch: 'Exact' };
  return resourceVersion === '0' ? { resourceVersion } : { resourceVersion, resourceVersionMatch: 'NotOlderThan' };
}

/** Returns what to request instead after a failure; undefined when nothing else can help. At most three in a row. */
function fallbackOf(request: ListRequest, error: unknown): ListRequest | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { isPaged, continueToken, ...version } = request;
  const { resourceVersion } = version;
  if (continueToken !== undefined)
    return isPaged && isRefusedText(error, continueToken) ? { ...version, isPaged: false } : undefined;
  const isUnavailable = isRefusedText(error, resourceVersion) || error.isResourceVersionTooLarge;
  return isUnavailable && resourceVersion !== '' ? { ...version, resourceVersion: '', isPaged: true } : undefined;
}

/** Returns whether it is a resource version, or a continue token, that the server does not take, for its age or its length. */
function isRefusedText(error: ApiError, text: string): boolean {
  return error.isExpired || (error.isTooLongRequest && text !== '0');
}

/** A list that fails for one of these, or is refused, keeps failing until somebody changes something. */
const lastingReasons: ReadonlySet<FailureReason> = new Set<FailureReason>(['tls', 'connection', 'not_found']);

/** The first complete list of a collection, for those who wait for it. */
export class FirstList {
  /** Resolves after the first complete list. */
  readonly synced: Promise<void>;
  /** Resolves after the first complete list too, or when a list fails for a reason that does not go away by itself. */
  readonly settled: Promise<void>;
  #resolveSynced: () => void = () => undefined;
  #resolveSettled: () => void = () => undefined;

  constructor() {
    this.synced = new Promise((resolve) => {
      this.#resolveSynced = resolve;
    });
    this.settled = new Promise((resolve) => {
      this.#resolveSettled = resolve;
    });
  }

  succeeded(): void {
    this.#resolveSynced();
    this.#resolveSettled();
  }

  failed(error: unknown): void {
    if (error instanceof RequestError && (isRefused(error) || lastingReasons.has(error.reason))) this.#resolveSettled();
  }
}
