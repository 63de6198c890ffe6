/** An API server with pods that end, and with faults. Keeps the true history. */
import type { ApiRequest, ApiTransport } from '../../../src/cluster/http/api-client.js';
import { RequestError } from '../../../src/lib/base/errors.js';
import { type RequestFault, requestFaults } from '../../watch/conformance/faulty-api.js';
import { answers, bodyOf, bookmarkLine, errorLine, eventLine, expired } from '../../watch/scripted-api.js';
import { EventFeed } from './event-feed.js';
import { type App, knownNodes, nodeObject, placeKey, podObject, type SimulatedPod } from './simulated-pods.js';

/** What a client has been shown, by the stream of a collection: its lists and watches, by their path and selector. */
export interface PodsApiObserver {
  /** A watch begins from nothing. */
  readonly began: (stream: string) => void;
  readonly listed: (stream: string, pods: readonly SimulatedPod[]) => void;
  /** Of a deleted pod, `pod` is its final state. */
  readonly changed: (stream: string, pod: SimulatedPod, isDeleted: boolean) => void;
}

type Query = Readonly<Record<string, string>>;

interface Selection {
  readonly stream: string;
  readonly selects: (pod: SimulatedPod) => boolean;
}

interface PodChange {
  readonly version: number;
  readonly before: SimulatedPod | undefined;
  readonly after: SimulatedPod | undefined;
  /** The watches that are open when it happens do not show it. */
  readonly isLost: boolean;
}

interface OpenWatch extends Selection {
  readonly feed: EventFeed;
  readonly sent: (readonly [line: string, onRead: () => void])[];
  isSilent: boolean;
}

const lostConnection = new RequestError('connection', 'ECONNRESET');

export class PodsApi implements ApiTransport {
  /** Of the next requests for pods, in order. */
  readonly faults: RequestFault[] = [];
  readonly #observer: PodsApiObserver;
  readonly #pods = new Map<string, SimulatedPod>();
  readonly #changes: PodChange[] = [];
  readonly #watches = new Map<string, OpenWatch>();
  #version = 10;
  #compactedVersion = 0;
  /** Lists that are under way end when it resolves. */
  #listsHeld: Promise<void> | undefined;
  #release: () => void = () => undefined;

  constructor(observer: PodsApiObserver) {
    this.#observer = observer;
  }

  get pods(): readonly SimulatedPod[] {
    return [...this.#pods.values()];
  }

  get nextVersion(): number {
    return this.#version + 1;
  }

  /** Stores the pod at the next version. */
  put(pod: SimulatedPod, isLost = false): void {
    this.#change({ before: this.#pods.get(placeKey(pod)), after: pod, isLost });
    this.#pods.set(placeKey(pod), pod);
  }

  remove(pod: SimulatedPod, isLost = false): void {
    this.#pods.delete(placeKey(pod));
    this.#change({ before: pod, after: undefined, isLost });
  }

  open({ path, query = {} }: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    signal.throwIfAborted();
    if (path.includes('/proxy/')) return Promise.resolve(answers(404)({ path }, signal));
    if (path === '/api/v1/nodes') return Promise.resolve(this.#nodes(query, signal));
    const fault = this.faults.shift();
    if (fault !== undefined) return Promise.resolve(requestFaults[fault]({ path }, signal));
    const selection = selectionOf(path, query['labelSelector']);
    const isOld =
      query['resourceVersionMatch'] !== 'NotOlderThan' && Number(query['resourceVersion']) < this.#compactedVersion;
    if (isOld && query['resourceVersion'] !== '0') return Promise.resolve(expired({ path }, signal));
    const answer =
      query['watch'] === undefined ? this.#list(selection, query, signal) : this.#watch(selection, query, signal);
    return Promise.resolve(answer);
  }

  /** The clients learn that the versions before now are no longer known when they watch again. */
  compact(): void {
    this.#compactedVersion = this.#version;
  }

  /** Ends all watches. */
  endWatches(how: 'ended' | 'reset' | 'expired'): void {
    for (const { feed } of this.#watches.values()) {
      if (how === 'expired') feed.send(errorLine(410));
      feed.end(how === 'reset' ? lostConnection : undefined);
    }
    this.#watches.clear();
  }

  /** The open watches show nothing from now on. */
  silenceWatches(): void {
    for (const watch of this.#watches.values()) watch.isSilent = true;
  }

  sendBookmarks(): void {
    for (const { feed, isSilent } of this.#watches.values()) {
      if (!isSilent) feed.send(bookmarkLine(String(this.#version)));
    }
  }

  /** Sends the last three events of each watch again. */
  replay(): void {
    for (const { feed, sent, isSilent } of this.#watches.values()) {
      if (!isSilent) for (const [line, onRead] of sent.slice(-3)) feed.send(line, onRead);
    }
  }

  /** Lists show the pods of now, and end later. */
  holdLists(): void {
    this.#listsHeld ??= new Promise((resolve) => (this.#release = resolve));
  }

  releaseLists(): void {
    this.#release();
    this.#listsHeld = undefined;
  }

  #change(change: Omit<PodChange, 'version'>): void {
    this.#version += 1;
    const made = { ...change, version: this.#version };
    this.#changes.push(made);
    for (const watch of this.#watches.values()) if (!change.isLost && !watch.isSilent) this.#send(watch, made);
  }

  #send({ stream, selects, feed, sent }: OpenWatch, { version, before, after }: PodChange): void {
    const [was, is] = [before !== undefined && selects(before), after !== undefined && selects(after)];
    const pod = is ? after : was ? before : undefined;
    if (pod === undefined) return;
    const line = eventLine(is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED', podObject({ ...pod, version }));
    const onRead = (): void => {
      this.#observer.changed(stream, pod, !is);
    };
    sent.push([line, onRead]);
    feed.send(line, onRead);
  }

  #list({ stream, selects }: Selection, query: Query, signal: AbortSignal): AsyncIterable<Buffer> {
    if (query['resourceVersion'] === '0') this.#observer.began(stream);
    const version = query['resourceVersionMatch'] === 'Exact' ? Number(query['resourceVersion']) : this.#version;
    const pods = this.#podsAt(version).filter(selects);
    const text = listText('PodList', version, pods.map(podObject));
    return laterBody(text, this.#listsHeld, () => {
      if (!signal.aborted) this.#observer.listed(stream, pods);
    });
  }

  #podsAt(version: number): readonly SimulatedPod[] {
    const pods = new Map<string, SimulatedPod>();
    for (const { before, after } of this.#changes.filter((change) => change.version <= version)) {
      if (before !== undefined) pods.delete(placeKey(before));
      if (after !== undefined) pods.set(placeKey(after), after);
    }
    return [...pods.values()];
  }

  #watch(selection: Selection, { resourceVersion }: Query, signal: AbortSignal): AsyncIterable<Buffer> {
    const watch = { ...selection, feed: new EventFeed(), sent: [], isSilent: false };
    for (const change of this.#changes) if (change.version > Number(resourceVersion)) this.#send(watch, change);
    this.#watches.set(selection.stream, watch);
    return watch.feed.body(signal);
  }

  #nodes({ watch, labelSelector = '' }: Query, signal: AbortSignal): AsyncIterable<Buffer> {
    if (watch !== undefined) return new EventFeed().body(signal);
    const role = /front|back/.exec(labelSelector)?.[0] ?? '';
    const nodes = knownNodes.filter((name) => name.startsWith(role));
    return bodyOf(listText('NodeList', 10, nodes.map(nodeObject)));
  }
}

function listText(kind: string, version: number, items: readonly object[]): string {
  return JSON.stringify({ kind, metadata: { resourceVersion: String(version) }, items });
}

async function* laterBody(text: string, held: Promise<void> | undefined, onRead: () => void): AsyncGenerator<Buffer> {
  await held;
  onRead();
  yield await Promise.resolve(Buffer.from(text));
}

/** The name of the stream of pods in the namespace, or in all, with the label `app`. */
export function streamOf(namespace: string | undefined, app: App | undefined): string {
  const path = namespace === undefined ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`;
  return `${path}?${app ?? ''}`;
}

function selectionOf(path: string, labelSelector = ''): Selection {
  const namespace = /namespaces\/(?<name>[^/]+)/.exec(path)?.groups?.['name'];
  const app = /cart|web/.exec(labelSelector)?.[0] as App | undefined;
  return {
    stream: streamOf(namespace, app),
    selects: (pod) => (namespace ?? pod.namespace) === pod.namespace && (app ?? pod.app) === pod.app,
  };
}
