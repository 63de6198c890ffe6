import { gunzipSync } from 'node:zlib';

import type { HttpAnswer } from '../../support/http-get.js';
import type { Json } from '../../support/manifests/documents.js';

export interface Call {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `nobody` has no credentials, `stranger` an unknown token. Default: `admin`. */
  readonly as?: 'admin' | 'reader' | 'nobody' | 'stranger';
}

export interface Server {
  readonly send: (
    path: string,
    options: Omit<Call, 'path' | 'as'> & { readonly token?: string | undefined },
  ) => Promise<HttpAnswer>;
  readonly readerToken: string;
}

export type Answer = Pick<HttpAnswer, 'status' | 'headers' | 'text'>;

/** Sends the same request to servers with other versions and tokens. */
export async function answered({ send, readerToken }: Server, { as = 'admin', ...call }: Call): Promise<Answer> {
  const { metadata } = JSON.parse((await send('/api/v1/pods?limit=1', {})).text) as {
    readonly metadata: { readonly resourceVersion: string; readonly continue: string };
  };
  const path = call.path
    .replace('=RV', `=${metadata.resourceVersion}`)
    .replace('=FUTURE', '=1000000000')
    .replace('=TOKEN', `=${encodeURIComponent(metadata.continue)}`);
  const body = call.body?.replace('TOKEN_OF_READER', readerToken);
  const token = { reader: readerToken, nobody: undefined, stranger: 'unknown' };
  const answer = await send(path, {
    ...call,
    ...(body !== undefined && { body }),
    ...(as !== 'admin' && { token: token[as] }),
  });
  const isGzip = answer.headers['content-encoding'] === 'gzip';
  return { ...answer, text: (isGzip ? gunzipSync(answer.body) : answer.body).toString() };
}

/** Of the headers, those that a client may act on. */
const comparedHeaders = [
  'content-type',
  'content-encoding',
  'cache-control',
  'retry-after',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'allow',
  'warning',
] as const;

/** They follow from the connection and the size of a body. */
const framing = ['connection', 'content-length', 'transfer-encoding'];

/** What an answer must have in common with one to the same request of another cluster. */
export function shapeOf({ status, headers, text }: Answer): object {
  const type = headers['content-type'] ?? '';
  const lines = type.startsWith('application/json') ? jsonLines(text) : undefined;
  return {
    status,
    headers: Object.fromEntries(comparedHeaders.flatMap((name) => (name in headers ? [[name, headers[name]]] : []))),
    headerNames: Object.keys(headers)
      .filter((name) => !framing.includes(name))
      .sort(),
    ...(lines === undefined ? { text: type.startsWith('text/') ? text : '' } : { bodies: lines.map(shapeOfBody) }),
  };
}

/** One document, or a watch's line by line. */
function jsonLines(text: string): readonly Json[] {
  try {
    return text === '' ? [] : [JSON.parse(text) as Json];
  } catch {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Json);
  }
}

function shapeOfBody(body: Json): unknown {
  const { kind } = body;
  if ('type' in body && 'object' in body) return { type: body['type'], object: shapeOfBody(body['object'] as Json) };
  if (kind === 'Status') return anonymous(body);
  if (typeof kind === 'string' && /Review$|TokenRequest$/.test(kind)) return anonymous(withoutReason(body));
  if (kind === 'Table') return tableShape(body);
  if (Array.isArray(body['items'])) {
    const { items, metadata, ...rest } = body as { readonly items: readonly Json[]; readonly metadata: Json };
    return { ...rest, metadata: Object.keys(metadata).sort(), items: items.map(objectShape).sort() };
  }
  if ('gitVersion' in body) return 'version';
  return 'metadata' in body ? objectShape(body) : Object.keys(body).sort();
}

/** The reason of a grant names its binding. */
function withoutReason(review: Json): Json {
  return { ...review, status: { ...(review['status'] as Json), reason: undefined } };
}

function objectShape(object: Json): string {
  const { kind, apiVersion, metadata } = object as { kind?: string; apiVersion?: string; metadata: Json };
  return [
    kind,
    apiVersion,
    metadata['namespace'],
    metadata['name'],
    'uid' in metadata,
    'resourceVersion' in metadata,
    // A node that was created with its name alone has none.
    'namespace' in metadata && 'managedFields' in metadata,
  ].join(' ');
}

function tableShape(body: Json): object {
  const { columnDefinitions, rows, metadata, ...rest } = body as {
    readonly columnDefinitions: readonly Json[] | null;
    readonly rows: readonly { readonly cells: readonly unknown[]; readonly object?: Json }[];
    readonly metadata: Json;
  };
  return {
    ...rest,
    metadata: Object.keys(metadata).sort(),
    columns: columnDefinitions?.map(({ name, priority }) => `${String(name)} ${String(priority)}`),
    rows: rows.map(({ cells, object }) => [cells.length, object === undefined ? undefined : objectShape(object)]),
  };
}

/** Without what differs between any two clusters: versions, times, tokens and identifiers. */
function anonymous(body: Json): unknown {
  const text = JSON.stringify(body, (key, value: unknown) => {
    if (key === 'managedFields') return undefined;
    if (['token', 'expirationTimestamp', 'uid', 'continue'].includes(key)) return typeof value;
    return value;
  });
  const sameTexts = text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(too old resource version:) \d+ \(\d+\)/g, '$1 N (N)')
    .replaceAll(/current: \d+/g, 'current: N')
    .replaceAll(/(continue key is not valid:|unrecognized \(must be of type) [^"\\]*/g, '$1 …')
    // The simulated server knows fewer encodings.
    .replaceAll(/(Available representations|accepted media types include): [^"]*/g, '$1: …');
  return JSON.parse(sameTexts) as unknown;
}
