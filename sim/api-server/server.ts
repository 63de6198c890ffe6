import type { IncomingMessage, ServerResponse } from 'node:http';

import { Mutex } from 'async-mutex';

import type { Clock } from '../../src/lib/base/clock.js';
import { messageOf } from '../../src/lib/base/errors.js';
import type { AccessControl, User } from '../access.js';
import type { CertificateAuthority, KeyPair } from '../certificates.js';
import { HttpsListener } from '../https-listener.js';
import type { ClusterModel } from '../model/cluster-model.js';
import type { Random } from '../model/random.js';
import { type ApiFault, faultNumber, isCacheFault } from '../simulated-faults.js';
import { discovery, isApiPath, versionInfo } from './discovery.js';
import { ApiError, forbidden, methodNotAllowed, noSuchPath } from './error.js';
import { answerObjects } from './objects-endpoint.js';
import { forward, type ProxyDestination } from './proxy.js';
import { proxyDestination } from './proxy-destination.js';
import { type ApiRequest, attributesOf, parseRequest, type ResourceTarget } from './request.js';
import { flowControlHeaders, sendError, sendJson, sendText } from './response.js';
import { answerReview, isReview } from './reviews.js';
import type { ObjectStore } from './versioned-objects.js';

export interface ApiServerOptions {
  readonly authority: CertificateAuthority;
  readonly access: AccessControl;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** What requests are proxied to. */
  readonly model: ClusterModel;
}

/** A received request, for tests. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  /** Undefined if its token is unknown. */
  readonly user: string | undefined;
}

interface Exchange {
  readonly request: ApiRequest;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly user: User;
}

const recordedCount = 1000;

/** The simulated API server: HTTPS on 127.0.0.1. */
export class ApiServer implements AsyncDisposable {
  readonly #options: ApiServerOptions;
  readonly #clientKeyPair: KeyPair;
  readonly #listener: HttpsListener;
  readonly #faultChange = new Mutex();
  readonly #watches = new Set<ServerResponse>();
  readonly #requests: RecordedRequest[] = [];
  #fault: ApiFault | undefined;

  private constructor(options: ApiServerOptions, keyPairs: { serving: KeyPair; client: KeyPair }) {
    this.#options = options;
    this.#clientKeyPair = keyPairs.client;
    this.#listener = new HttpsListener({
      keyPair: keyPairs.serving,
      clientCa: options.authority.certificate,
      handle: async (incoming, response) => this.#handle(incoming, response),
    });
  }

  static async start(options: ApiServerOptions): Promise<ApiServer> {
    const serving = await options.authority.issueServer(['localhost', 'kubernetes.default.svc']);
    const client = await options.authority.issueClient({
      commonName: 'kube-apiserver-kubelet-client',
      organizations: ['system:masters'],
    });
    const server = new ApiServer(options, { serving, client });
    await server.#listener.listen(0);
    return server;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#listener.port}`;
  }

  /** The latest thousand requests, oldest first. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  get watchCount(): number {
    return this.#watches.size;
  }

  /** Resolves when the fault applies to every further request; `down` ends all connections. */
  async setFault(fault: ApiFault | undefined): Promise<void> {
    await this.#faultChange.runExclusive(async () => {
      this.#fault = fault;
      if (fault === 'down') await this.#listener.pause();
      else await this.#listener.resume();
    });
  }

  /** Aborts the connections of all watches. */
  dropWatches(): void {
    for (const response of this.#watches) response.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#faultChange.runExclusive(async () => this.#listener[Symbol.asyncDispose]());
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Audit-Id', this.#options.random.uuid());
    response.setHeader('Cache-Control', 'no-cache, private');
    try {
      const request = parseRequest(incoming);
      const user = this.#options.access.authenticate(incoming);
      this.#record(request, user);
      this.#failOnPurpose();
      if (user === undefined) throw new ApiError(401, 'Unauthorized', 'Unauthorized');
      await this.#answer({ request, incoming, response, user });
    } catch (error) {
      if (response.headersSent) throw error;
      await sendError(
        response,
        error instanceof ApiError ? error : new ApiError(500, 'InternalError', messageOf(error)),
      );
    }
  }

  #record({ method, path, query, accept }: ApiRequest, user: User | undefined): void {
    this.#requests.push({ method, path, query, accept, user: user?.name });
    if (this.#requests.length > recordedCount) this.#requests.shift();
  }

  #failOnPurpose(): void {
    const code = faultNumber(this.#fault, 'status');
    if (code === undefined) return;
    const reason = code === 429 ? 'TooManyRequests' : 'ServiceUnavailable';
    throw new ApiError(code, reason, 'simulated fault', { details: { retryAfterSeconds: 1 } });
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { request, response, user } = exchange;
    const isProxied = request.target?.subresource === 'proxy';
    if (!isProxied) for (const [name, value] of Object.entries(flowControlHeaders)) response.setHeader(name, value);
    const wanted = attributesOf(request);
    if (!this.#options.access.isAllowed(user, wanted)) throw forbidden(user, wanted);
    if (request.target === undefined) await this.#answerOther(exchange);
    else if (isProxied) await this.#answerProxy(exchange, request.target);
    else await this.#answerObjects(exchange, request.target);
  }

  async #answerOther({ request, incoming, response, user }: Exchange): Promise<void> {
    const { method, path } = request;
    if (method === 'POST') {
      const { access, clock } = this.#options;
      const review = await answerReview(incoming, path, { access, user, clock });
      if (review === undefined) throw noSuchPath();
      await sendJson(response, review, { status: 201 });
      return;
    }
    if (method !== 'GET' || isReview(path)) throw methodNotAllowed();
    const resources = discovery(path, this.url.replace('https://', ''));
    if (resources !== undefined) await sendJson(response, resources, { acceptsGzip: request.acceptsGzip });
    else if (path === '/version') await sendJson(response, versionInfo, { indent: 2 });
    else if (['/healthz', '/livez', '/readyz'].includes(path)) sendText(response, 200, 'ok');
    else if (isApiPath(path)) throw noSuchPath();
    else sendText(response, 404, '404 page not found\n');
  }

  async #answerProxy({ incoming, response }: Exchange, target: ResourceTarget): Promise<void> {
    const { model, random } = this.#options;
    await forward(incoming, response, proxyDestination(target, { model, random, kubelet: this.#kubelet }));
  }

  get #kubelet(): NonNullable<ProxyDestination['kubelet']> {
    return { keyPair: this.#clientKeyPair, ca: this.#options.authority.certificate };
  }

  async #answerObjects({ request, response }: Exchange, target: ResourceTarget): Promise<void> {
    const { store, clock, random } = this.#options;
    const cacheFault = isCacheFault(this.#fault) ? this.#fault : undefined;
    const losesEvents = (): boolean => this.#fault === 'lost-events';
    const context = { store, clock, random, watches: this.#watches, cacheFault, losesEvents };
    await answerObjects(response, { request, target }, context);
  }
}
