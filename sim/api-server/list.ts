import { ApiError, badRequest, invalid, type StatusCause } from './error.js';
import { fieldSelector, labelSelector, type Predicate } from './selectors.js';
import type { ObjectStore, Resource, Snapshot, StoredObject } from './versioned-objects.js';

export interface ListRequest {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
}

interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface ListPage {
  readonly metadata: ListMetadata;
  readonly items: readonly StoredObject[];
}

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions */
export function listPage(store: ObjectStore, request: ListRequest): ListPage {
  const { query } = request;
  const isSelected = selection(request);
  const limit = numberParameter(query, 'limit');
  const token = query.get('continue') ?? '';
  const { snapshot, start } =
    token === '' ? { snapshot: firstSnapshot(store, request, limit), start: '' } : continued(store, request, token);
  const entries = snapshot.entries.filter(([key, stored]) => key >= start && isSelected(stored));
  const resourceVersion = String(snapshot.resourceVersion);
  const isCached = token === '' && query.get('resourceVersion') === '0'; // the watch cache ignores the limit
  if (limit <= 0 || isCached || entries.length <= limit)
    return { metadata: { resourceVersion }, items: valuesOf(entries) };
  const page = entries.slice(0, limit);
  const next = encodeToken({ version: snapshot.resourceVersion, start: `${page.at(-1)?.[0] ?? ''}\0` });
  return {
    metadata: {
      resourceVersion,
      continue: next,
      ...(!isFiltered(query) && { remainingItemCount: entries.length - limit }),
    },
    items: valuesOf(page),
  };
}

function valuesOf(entries: Snapshot['entries']): readonly StoredObject[] {
  return entries.map(([, stored]) => stored);
}

/** The server does not count the remaining items of a filtered list. */
function isFiltered(query: URLSearchParams): boolean {
  return Boolean(query.get('labelSelector')) || Boolean(query.get('fieldSelector'));
}

/** The predicate of a list or watch: its namespace and selectors. */
export function selection({ resource, namespace, query }: ListRequest): Predicate {
  const hasLabels = labelSelector(query.get('labelSelector') ?? '');
  const hasFields = fieldSelector(resource, query.get('fieldSelector') ?? '');
  return (stored) =>
    (namespace === undefined || stored.object.metadata.namespace === namespace) &&
    hasLabels(stored) &&
    hasFields(stored);
}

/** The parameter as a number, which may be negative. Default: 0. */
export function numberParameter(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  if (!/^(?:-?\d+)?$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Number(text);
}

/** A resourceVersion of a watch that is neither '' nor '0'. */
export function parseVersion(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new ApiError(500, '', syntaxFault(text));
}

function syntaxFault(text: string): string {
  return `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`;
}

function firstSnapshot(store: ObjectStore, { resource, query }: ListRequest, limit: number): Snapshot {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  checkMatch(match, version);
  if (version === '') return store.latest(resource);
  if (version === '0') return store.cached(resource);
  if (!/^\d+$/.test(version)) throw badRequest(`invalid resource version: ${syntaxFault(version)}`);
  const wanted = Number(version);
  if (wanted > store.resourceVersion) throw tooLarge(wanted, store.resourceVersion);
  const isExact = match === 'Exact' || (match === '' && limit > 0);
  return isExact ? store.at(resource, wanted) : store.latest(resource);
}

function checkMatch(match: string, version: string): void {
  if (match === '') return;
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    throw invalidOptions([
      {
        reason: 'FieldValueNotSupported',
        message: `Unsupported value: "${match}": supported values: "Exact", "NotOlderThan", ""`,
        field: 'resourceVersionMatch',
      },
    ]);
  }
  if (version === '') throw invalidOptions([forbiddenMatch('is forbidden unless resourceVersion is provided')]);
  if (match === 'Exact' && version === '0') {
    throw invalidOptions([forbiddenMatch('"exact" is forbidden for resourceVersion "0"')]);
  }
}

/** Rejects a watch with the options of a list: 422. */
export function checkWatchOptions(query: URLSearchParams): void {
  if (!query.has('resourceVersionMatch') && !query.has('sendInitialEvents')) return;
  const causes = [forbiddenMatch('is forbidden for watch unless sendInitialEvents is provided')];
  if (!query.get('resourceVersion')) causes.push(forbiddenMatch('is forbidden unless resourceVersion is provided'));
  throw invalidOptions(causes);
}

function forbiddenMatch(why: string): StatusCause {
  return {
    reason: 'FieldValueForbidden',
    message: `Forbidden: resourceVersionMatch ${why}`,
    field: 'resourceVersionMatch',
  };
}

function invalidOptions(causes: readonly StatusCause[]): ApiError {
  return invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, causes);
}

function tooLarge(wanted: number, current: number): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

/** The position in a paged list; `version` -1 stands for the current state. */
interface Token {
  readonly version: number;
  readonly start: string;
}

function continued(
  store: ObjectStore,
  { query, resource }: ListRequest,
  text: string,
): { snapshot: Snapshot; start: string } {
  if (query.get('resourceVersion')) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const { version, start } = decodeToken(text);
  if (version === -1) return { snapshot: store.latest(resource), start };
  if (version < store.oldestVersion) {
    const continueToken = encodeToken({ version: -1, start });
    throw new ApiError(410, 'Expired', expiredContinue, { continueToken });
  }
  return { snapshot: store.at(resource, version), start };
}

const expiredContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the ' +
  'continue parameter, or use the continue token in this response to retrieve the remainder of the results.';

function encodeToken({ version, start }: Token): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start })).toString('base64url');
}

function decodeToken(text: string): Token {
  const [, version, start] =
    /^\{"v":"meta\.k8s\.io\/v1","rv":(-?\d+),"start":("(?:[^"\\]|\\.)*")\}$/.exec(
      Buffer.from(text, 'base64url').toString(),
    ) ?? [];
  if (version === undefined || start === undefined) {
    throw badRequest('invalid continue token: continue key is not valid: it was not issued by this server');
  }
  return { version: Number(version), start: String(JSON.parse(start)) };
}
