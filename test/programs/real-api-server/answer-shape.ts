import { Agent, request } from 'node:https';
import { gunzipSync } from 'node:zlib';

import { answerOf, type HttpAnswer, responseTo } from '../../support/http-get.js';

type Json = Readonly<Record<string, unknown>>;

export interface Call {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `nobody` has no credentials, `stranger` an unknown token. Default: `admin`. */
  readonly as?: 'admin' | 'reader' | 'nobody' | 'stranger';
}

export interface CallerOptions {
  readonly url: string;
  readonly caPem: string;
  readonly adminToken: string;
  readonly readerToken: string;
}

export type Answer = Pick<HttpAnswer, 'status' | 'headers' | 'text'>;

/** Sends the same requests to servers with other versions and tokens. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #agent: Agent;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#agent = new Agent({ ca: options.caPem });
  }

  async send(call: Call): Promise<Answer> {
    const { readerToken } = this.#options;
    const { metadata } = JSON.parse((await this.#send({ path: '/api/v1/pods?limit=1' })).text) as {
      readonly metadata: { readonly resourceVersion: string; readonly continue: string };
    };
    const path = call.path
      .replace('=RV', `=${metadata.resourceVersion}`)
      .replace('=FUTURE', '=1000000000')
      .replace('=TOKEN', `=${encodeURIComponent(metadata.continue)}`);
    const body = call.body?.replace('TOKEN_OF_READER', readerToken);
    return this.#send({ ...call, path, ...(body !== undefined && { body }) });
  }

  async #send({ path, method = 'GET', headers = {}, body, as = 'admin' }: Call): Promise<Answer> {
    const { url, adminToken, readerToken } = this.#options;
    const token = { admin: adminToken, reader: readerToken, nobody: undefined, stranger: 'unknown' }[as];
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const outgoing = request(url + path, { method, agent: this.#agent, headers: { ...authorization, ...headers } });
    const answer = await answerOf(await responseTo(outgoing, body));
    const isGzip = answer.headers['content-encoding'] === 'gzip';
    return { ...answer, text: (isGzip ? gunzipSync(answer.body) : answer.body).toString() };
  }
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
