/** An API server with pods that change, in memory, and with the faults that a test chooses. */
import type { ApiRequest, ApiTransport } from '../../../src/cluster/http/api-client.js';
import { RequestError } from '../../../src/lib/base/errors.js';
import {
  answers,
  bodyOf,
  bookmarkLine,
  errorLine,
  eventLine,
  expired,
  failsWith,
  neverAnswers,
  podJson,
  tooLarge,
  WatchFeed,
} from '../scripted-api.js';

/** What happens to one request. */
export const requestFaults = {
  refused: failsWith(new RequestError('connection', 'ECONNREFUSED')),
  html: failsWith(new RequestError('decode', 'content type "text/html"', { status: 200 })),
  redirect: failsWith(new RequestError('http_status', 'answered 302', { status: 302 })),
  unauthorized: answers(401),
  forbidden: answers(403),
  missing: answers(404),
  invalid: answers(422),
  throttled: answers(429, {}, 3_000),
  broken: answers(500),
  unavailable: answers(503, {}, 90_000),
  expired,
  tooLarge,
  hanging: neverAnswers,
  empty: () => bodyOf(''),
  garbage: () => bodyOf('<html>\n'),
  truncated: () => bodyOf('{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"metadata"'),
} as const;
export type RequestFault = keyof typeof requestFaults;

const lost = new RequestError('connection', 'ECONNRESET');

/** What happens to an open watch. After `silent`, it receives nothing more. */
export const streamFaults = {
  ended: (feed) => {
    feed.end();
  },
  reset: (feed) => {
    feed.break(lost);
  },
  cut: (feed) => {
    feed.send('{"type":"DELETED","object":{"kind":"Pod","metadata":{"name":"p0"');
    feed.break(lost);
  },
  cutAtEnd: (feed) => {
    feed.send('{"type":"DELETED","object":');
    feed.end();
  },
  silent: () => undefined,
  garbage: (feed) => {
    feed.send('}{\n');
  },
  unknownType: (feed) => {
    feed.send(eventLine('MOVED', podJson('p0', '7')));
  },
  noMetadata: (feed) => {
    feed.send(eventLine('MODIFIED', { kind: 'Pod' }));
  },
  versionZero: (feed) => {
    feed.send(bookmarkLine('0'));
  },
  otherKind: (feed) => {
    feed.send(eventLine('DELETED', { ...podJson('p0', '999999'), kind: 'Node' }));
  },
  expired: (feed) => {
    feed.send(errorLine(410), eventLine('DELETED', podJson('p0', '999999')));
  },
  throttled: (feed) => {
    feed.send(errorLine(429, { details: { retryAfterSeconds: 3 } }));
  },
  timedOut: (feed) => {
    feed.send(errorLine(504));
  },
  failed: (feed) => {
    feed.send(errorLine(500, { reason: 'StoreReadError' }));
  },
} as const satisfies Readonly<Record<string, (feed: WatchFeed) => void>>;
export type StreamFault = keyof typeof streamFaults;

interface LoggedEvent {
  readonly version: number;
  readonly line: string;
}

interface Snapshot {
  readonly version: number;
  readonly pods: readonly object[];
}

const pageSize = 2;

export class FaultyApi implements ApiTransport {
  /** Of the next requests, in order; the requests after them are answered as they should be. */
  readonly faults: RequestFault[] = [];
  readonly #pods = new Map<string, object>();
  readonly #events: LoggedEvent[] = [];
  readonly #pages = new Map<string, Snapshot & { readonly offset: number }>();
  #version = 10;
  #compactedVersion = 0;
  #uidCount = 0;
  #feed: WatchFeed | undefined;

  open(request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const fault = this.faults.shift();
    const answer = fault === undefined ? this.#answerTo(request.query ?? {}) : requestFaults[fault];
    return Promise.resolve(answer(request, signal));
  }

  /** The pods as they are now, as `name@resourceVersion uid`. */
  get truth(): readonly string[] {
    return [...this.#pods.values()].map(describePod).sort();
  }

  /** Adds or changes the pod. `isRecreated`: a known one is removed before, so that it gets another UID. */
  set(name: string, isRecreated = false): void {
    const before = this.#pods.get(name);
    if (before !== undefined && isRecreated) this.remove(name);
    const known = this.#pods.get(name) as { metadata: { uid: string } } | undefined;
    this.#version += 1;
    const uid = known?.metadata.uid ?? `uid-${(this.#uidCount += 1)}`;
    const pod = podJson(name, String(this.#version), { uid });
    this.#pods.set(name, pod);
    this.#log(known === undefined ? 'ADDED' : 'MODIFIED', pod);
  }

  remove(name: string): void {
    const pod = this.#pods.get(name) as { metadata: object } | undefined;
    if (pod === undefined) return;
    this.#version += 1;
    this.#pods.delete(name);
    this.#log('DELETED', { ...pod, metadata: { ...pod.metadata, resourceVersion: String(this.#version) } });
  }

  /** Sends the events of the last three changes again. */
  replay(): void {
    this.#feed?.send(...this.#events.slice(-3).map(({ line }) => line));
  }

  /** A change whose event cannot be read. */
  garble(): void {
    const feed = this.#feed;
    this.#feed = undefined;
    this.set('p0');
    feed?.send('{"type":"MODIFIED","object":{"kind":"Pod"\n');
    this.#feed = feed;
  }

  sendBookmark(): void {
    this.#feed?.send(bookmarkLine(String(this.#version)));
  }

  /** Versions and pages before now are no longer known. */
  compact(): void {
    this.#compactedVersion = this.#version;
    this.#pages.clear();
  }

  breakStream(fault: StreamFault): void {
    if (this.#feed === undefined) return;
    streamFaults[fault](this.#feed);
    if (fault !== 'otherKind') this.#feed = undefined;
  }

  #log(type: string, pod: object): void {
    const line = eventLine(type, pod);
    this.#events.push({ version: this.#version, line });
    this.#feed?.send(line);
  }

  #answerTo({ watch, resourceVersion = '', continue: token, limit }: Readonly<Record<string, string>>) {
    if (watch !== undefined) return this.#watch(Number(resourceVersion));
    if (token !== undefined) return this.#page(token);
    const snapshot = { version: this.#version, pods: [...this.#pods.values()] };
    return this.#list({ ...snapshot, offset: 0 }, limit === undefined ? Infinity : pageSize);
  }

  #watch(version: number) {
    if (version < this.#compactedVersion) return expired;
    const feed = new WatchFeed();
    feed.send(...this.#events.filter((event) => event.version > version).map(({ line }) => line));
    this.#feed = feed;
    return feed.answer;
  }

  #page(token: string) {
    const page = this.#pages.get(token);
    return page === undefined ? expired : this.#list(page, pageSize);
  }

  #list({ version, pods, offset }: Snapshot & { readonly offset: number }, count: number) {
    const items = pods.slice(offset, offset + count);
    const hasMore = offset + count < pods.length;
    const token = hasMore ? `${version}-${offset + count}` : undefined;
    if (token !== undefined) this.#pages.set(token, { version, pods, offset: offset + count });
    const metadata = { resourceVersion: String(version), continue: token };
    return () => bodyOf(JSON.stringify({ kind: 'PodList', metadata, items }));
  }
}

function describePod(pod: object): string {
  const { metadata } = pod as { metadata: { name: string; uid: string; resourceVersion: string } };
  return `${metadata.name}@${metadata.resourceVersion} ${metadata.uid}`;
}
