import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { constants, createGzip } from 'node:zlib';

import type { KeyPair } from '../../../sim/certificates.js';
import { nodeObjectText, PodObjects, versionText } from './api-objects.js';
import type { ClusterState } from './cluster-state.js';
import type { BenchPod } from './pods.js';

const bookmarkPeriodMs = 60_000;
const sentPollMs = 20;
/** Pods of a list that are written at once. */
const podsPerPiece = 200;
/** Lists of which further pages can be asked for. */
const keptSnapshotCount = 4;

interface List {
  readonly kind: string;
  readonly resourceVersion: number;
  readonly continueToken: string;
  readonly remainingCount: number;
  readonly pieces: Iterable<Buffer>;
}

/** The part of an API server that the exporter uses: lists in pages, compressed when accepted, and watches with bookmarks. */
export class BenchApiServer implements AsyncDisposable {
  readonly #state: ClusterState;
  readonly #server: Server;
  readonly #nodeObjects: readonly Buffer[];
  readonly #podObjects = new PodObjects();
  readonly #snapshots = new Map<number, readonly BenchPod[]>();
  readonly #watches = new Set<ServerResponse>();
  /** Lists of any state but the newest are refused, as by a server whose memory does not have it. */
  servesPagesOnly = false;
  /** Requests by path, without parameters; those that are not served too. */
  readonly requestCounts = new Map<string, number>();

  private constructor(state: ClusterState, keyPair: KeyPair, kubeletPorts: readonly number[]) {
    this.#state = state;
    this.#nodeObjects = kubeletPorts.map((port, index) => Buffer.from(nodeObjectText(index, port)));
    this.#server = createServer({ ...keyPair, keepAliveTimeout: 120_000 }, (request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(state: ClusterState, keyPair: KeyPair, kubeletPorts: readonly number[]): Promise<BenchApiServer> {
    const api = new BenchApiServer(state, keyPair, kubeletPorts);
    await new Promise<void>((resolve, reject) => {
      api.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return api;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the API server does not listen');
    return `https://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Resolves when the system has taken all events. */
  async sent(): Promise<void> {
    while ([...this.#watches].some(({ writableLength }) => writableLength > 0)) await delay(sentPollMs);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://api');
    const isWatch = searchParams.get('watch') === 'true';
    const counted = `${request.method ?? ''} ${pathname}${isWatch ? ' watch' : ''}`;
    this.requestCounts.set(counted, (this.requestCounts.get(counted) ?? 0) + 1);
    if (pathname === '/api/v1/nodes' || pathname === '/api/v1/pods') {
      const resource = pathname === '/api/v1/pods' ? 'pods' : 'nodes';
      if (isWatch) this.#watch(resource, searchParams, response);
      else await this.#list(resource, searchParams, { request, response });
      return;
    }
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
    response.writeHead(404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ ...status, message: `${pathname} is not part of this cluster` }));
  }

  async #list(
    resource: 'pods' | 'nodes',
    parameters: URLSearchParams,
    { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  ): Promise<void> {
    if (this.servesPagesOnly && parameters.has('resourceVersion')) {
      response.writeHead(410, { 'Content-Type': 'application/json' }).end(JSON.stringify(expired));
      return;
    }
    const list = resource === 'pods' ? this.#podList(parameters) : this.#nodeList();
    const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '');
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    response.writeHead(200, acceptsGzip ? { ...headers, 'Content-Encoding': 'gzip' } : headers);
    const source = Readable.from(textOf(list), { objectMode: false });
    if (acceptsGzip) await pipeline(source, createGzip({ level: constants.Z_BEST_SPEED }), response);
    else await pipeline(source, response);
  }

  #nodeList(): List {
    const pieces = this.#nodeObjects.map((object, index) =>
      index === 0 ? object : Buffer.concat([Buffer.from(','), object]),
    );
    return {
      kind: 'NodeList',
      resourceVersion: this.#state.resourceVersion,
      continueToken: '',
      remainingCount: 0,
      pieces,
    };
  }

  /** Limits count only for the newest state, as a list from the API server's memory is not paged. */
  #podList(parameters: URLSearchParams): List {
    const [version, start] = (parameters.get('continue') ?? '').split('.').map(Number);
    const resourceVersion = version === undefined || version === 0 ? this.#state.resourceVersion : version;
    const pods = this.#snapshots.get(resourceVersion) ?? this.#snapshot();
    const isPaged = (parameters.get('resourceVersion') ?? '') === '' && parameters.has('limit');
    const from = start ?? 0;
    const end = isPaged ? Math.min(from + Number(parameters.get('limit')), pods.length) : pods.length;
    return {
      kind: 'PodList',
      resourceVersion,
      continueToken: end < pods.length ? `${resourceVersion}.${end}` : '',
      remainingCount: pods.length - end,
      pieces: this.#podPieces(pods.slice(from, end)),
    };
  }

  #snapshot(): readonly BenchPod[] {
    const pods = [...this.#state.pods];
    this.#snapshots.set(this.#state.resourceVersion, pods);
    for (const version of [...this.#snapshots.keys()].slice(0, -keptSnapshotCount)) this.#snapshots.delete(version);
    return pods;
  }

  *#podPieces(pods: readonly BenchPod[]): Generator<Buffer> {
    const { sizeBytes } = this.#podObjects;
    for (let start = 0; start < pods.length; start += podsPerPiece) {
      const batch = pods.slice(start, start + podsPerPiece);
      const piece = Buffer.allocUnsafeSlow(batch.length * (sizeBytes + 1));
      for (const [index, pod] of batch.entries()) {
        const offset = index * (sizeBytes + 1);
        piece.write(',', offset, 'latin1');
        this.#podObjects.write(piece, offset + 1, pod);
      }
      yield start === 0 ? piece.subarray(1) : piece;
    }
  }

  #watch(resource: 'pods' | 'nodes', parameters: URLSearchParams, response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
    response.flushHeaders();
    this.#watches.add(response);
    const ends: (() => void)[] = [];
    if (resource === 'pods') {
      const past = this.#state.eventsAfter(Number(parameters.get('resourceVersion')));
      if (past === undefined) {
        response.end(goneLine);
        return;
      }
      for (const { line } of past) response.write(line);
      ends.push(this.#state.subscribe(({ line }) => response.write(line)));
    }
    const kind = resource === 'pods' ? 'Pod' : 'Node';
    const bookmarks = setInterval(() => {
      const metadata = { resourceVersion: versionText(this.#state.resourceVersion) };
      response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { kind, apiVersion: 'v1', metadata } })}\n`);
    }, bookmarkPeriodMs);
    ends.push(() => {
      clearInterval(bookmarks);
    });
    const limit = setTimeout(() => response.end(), Number(parameters.get('timeoutSeconds') ?? 1_800) * 1_000);
    ends.push(() => {
      clearTimeout(limit);
    });
    response.once('close', () => {
      this.#watches.delete(response);
      for (const end of ends) end();
    });
  }
}

const expired = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 };
const goneLine = `${JSON.stringify({ type: 'ERROR', object: expired })}\n`;

function* textOf({ kind, resourceVersion, continueToken, remainingCount, pieces }: List): Generator<Buffer> {
  const metadata = {
    resourceVersion: versionText(resourceVersion),
    ...(continueToken !== '' && { continue: continueToken, remainingItemCount: remainingCount }),
  };
  yield Buffer.from(`{"kind":"${kind}","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`);
  yield* pieces;
  yield Buffer.from(']}\n');
}
