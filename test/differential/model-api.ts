/** The API server of the model, with its kubelets behind its proxy, in memory. One for each core. */
import { fieldSelector, labelSelector, type Predicate } from '../../sim/api-server/selectors.js';
import type { ApiRequest, ApiTransport } from '../../src/cluster/http/api-client.js';
import { apiErrorFromStatus } from '../../src/cluster/http/api-error.js';
import type { Clock } from '../../src/lib/base/clock.js';
import { type FailureReason, RequestError } from '../../src/lib/base/errors.js';
import { type Answer, bodyOf, eventLine, WatchFeed } from '../watch/scripted-api.js';
import type { ApiObject, ClusterModel, ModelEvent, Resource } from './cluster-model.js';
import { configurationText, summaryText } from './model-objects.js';

interface Collection {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly matches: (object: ApiObject | undefined) => object is ApiObject;
}

/** An open watch. */
class Feed extends WatchFeed {
  readonly collection: Collection;
  readonly endsAtMs: number;

  constructor(collection: Collection, endsAtMs: number) {
    super();
    this.collection = collection;
    this.endsAtMs = endsAtMs;
  }

  sendEvent({ version, before, after }: ModelEvent): void {
    const { matches } = this.collection;
    const wasKnown = matches(before);
    if (matches(after)) this.send(eventLine(wasKnown ? 'MODIFIED' : 'ADDED', after));
    else if (wasKnown) this.send(eventLine('DELETED', withVersion(before, version)));
  }
}

function withVersion(object: ApiObject, version: number): object {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}

export interface ModelApiOptions {
  readonly model: ClusterModel;
  readonly clock: Clock;
  /** Resolves when kubelets may respond. */
  readonly released: () => Promise<void>;
}

export class ModelApi implements ApiTransport {
  readonly #options: ModelApiOptions;
  readonly #feeds = new Set<Feed>();
  /** Requests and chunks so far: while it grows, something is under way. */
  activityCount = 0;
  /** Requests to kubelets. */
  readonly asked: string[] = [];
  /** The kubelets that have not responded in time to the last request for their path. */
  readonly hung = new Set<string>();

  constructor(options: ModelApiOptions) {
    this.#options = options;
  }

  async open(request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    signal.throwIfAborted();
    this.activityCount += 1;
    const { path, query = {} } = request;
    const proxied = /^\/api\/v1\/nodes\/([^/]+)\/proxy(.*)$/.exec(path);
    if (proxied !== null) return this.#counted(await this.#kubelet(proxied[1] ?? '', proxied[2] ?? '', signal));
    const collection = collectionOf(path, query);
    if (query['watch'] === undefined) return this.#counted(this.#list(collection));
    return this.#counted(await this.#watch(collection, request, signal));
  }

  send(event: ModelEvent): void {
    for (const feed of this.#feeds) if (feed.collection.resource === event.resource) feed.sendEvent(event);
  }

  /** Once a minute, as API servers do. Ends the watches whose time is over, and returns their number. */
  sendBookmarks(): number {
    const countBefore = this.#feeds.size;
    this.showProgress();
    for (const feed of [...this.#feeds]) {
      if (this.#options.clock.monotonicMs() < feed.endsAtMs) continue;
      feed.end();
      this.#feeds.delete(feed);
    }
    return countBefore - this.#feeds.size;
  }

  showProgress(): void {
    const metadata = { resourceVersion: String(this.#options.model.version) };
    for (const feed of this.#feeds) {
      const kind = feed.collection.resource === 'nodes' ? 'Node' : 'Pod';
      feed.send(eventLine('BOOKMARK', { kind, metadata }));
    }
  }

  async *#counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      this.activityCount += 1;
      yield chunk;
    }
    this.activityCount += 1;
  }

  #list(collection: Collection): AsyncIterable<Buffer> {
    const { model } = this.#options;
    const { resource, namespace = '', matches } = collection;
    if (model.forbiddenNamespaces.has(namespace)) throw apiErrorFromStatus({ what: 'GET', status: 403, body: {} });
    const items = model.objects(resource).filter(matches);
    const kind = resource === 'nodes' ? 'NodeList' : 'PodList';
    return bodyOf(JSON.stringify({ kind, metadata: { resourceVersion: String(model.version) }, items }));
  }

  #watch(collection: Collection, request: ApiRequest, signal: AbortSignal): ReturnType<Answer> {
    const { model, clock } = this.#options;
    const { resourceVersion = '', timeoutSeconds = '' } = request.query ?? {};
    // Before its client does so.
    const feed = new Feed(collection, clock.monotonicMs() + (Number(timeoutSeconds) - 60) * 1_000);
    for (const event of model.events) {
      if (event.resource === collection.resource && event.version > Number(resourceVersion)) feed.sendEvent(event);
    }
    this.#feeds.add(feed);
    const onAbort = (): void => {
      this.#feeds.delete(feed);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    return feed.answer(request, signal);
  }

  async #kubelet(nodeName: string, path: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const { model, released, clock } = this.#options;
    this.asked.push(`${clock.monotonicMs()} ${nodeName}${path}`);
    const kubelet = model.kubelet(nodeName);
    await unlessAborted(released(), signal);
    const { behaviour } = kubelet;
    if (behaviour === 'hangs' || behaviour === 'timeout') this.hung.add(nodeName + path);
    else this.hung.delete(nodeName + path);
    if (behaviour === 'hangs') await unlessAborted(new Promise<void>(() => undefined), signal);
    if (behaviour === 'garbage') return bodyOf('<html>');
    if (behaviour in failures) throw new RequestError(behaviour as FailureReason, `GET ${path}: it fails`);
    if (path === '/configz') return bodyOf(configurationText(kubelet));
    const reportedName = behaviour === 'other-node' ? 'another' : nodeName;
    const pods = model.pods.filter((pod) => pod.nodeName === nodeName);
    return bodyOf(summaryText(reportedName, kubelet, pods, clock.nowMs()));
  }
}

/** Reasons that a transport can give; the others follow from what a kubelet says. */
export const failures = {
  timeout: true,
  connection: true,
  tls: true,
  unauthorized: true,
  forbidden: true,
  not_found: true,
  http_status: true,
  decode: true,
  too_large: true,
  open_files: true,
  not_ready: true,
} as const satisfies Partial<Record<FailureReason, true>>;

async function unlessAborted(pending: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => {
        reject(signal.reason as Error);
      },
      { once: true },
    );
    pending.then(resolve, reject);
  });
}

const everything: Predicate = () => true;

function collectionOf(path: string, query: Readonly<Record<string, string>>): Collection {
  const resource = path.endsWith('/nodes') ? 'nodes' : 'pods';
  const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
  const { labelSelector: labels, fieldSelector: fields } = query;
  const selected = [
    labels === undefined ? everything : labelSelector(labels),
    fields === undefined ? everything : fieldSelector(resource, fields),
  ];
  const matches = (object: ApiObject | undefined): object is ApiObject => {
    if (object === undefined || (namespace !== undefined && namespaceOf(object) !== namespace)) return false;
    const fieldsOf = { 'metadata.name': object.metadata.name, 'spec.nodeName': nodeNameOf(object) };
    return selected.every((isSelected) => isSelected({ resource, object, fields: fieldsOf, cells: () => [] }));
  };
  return { resource, namespace, matches };
}

function namespaceOf({ metadata }: ApiObject): string {
  return 'namespace' in metadata ? metadata.namespace : '';
}

function nodeNameOf({ spec }: ApiObject): string {
  return 'nodeName' in spec ? (spec.nodeName ?? '') : '';
}
