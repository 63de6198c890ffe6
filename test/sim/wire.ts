import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { createInterface, type Interface } from 'node:readline';

import type { SimulatedCluster } from '../../sim/cluster.js';
import { answerOf, type HttpAnswer, responseTo } from '../support/http-get.js';

export interface RequestOptions {
  readonly method?: string;
  /** The administrator's without it; none for `undefined`. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly cert?: string;
  readonly key?: string;
  /** Without one, each request has a connection of its own. */
  readonly agent?: Agent;
}

/** A request to the API server. */
export async function callApi(sim: SimulatedCluster, path: string, options: RequestOptions = {}): Promise<HttpAnswer> {
  return answerOf(await open(sim, sim.apiUrl + path, options));
}

/** A request to a node's kubelet. */
export async function callKubelet(
  sim: SimulatedCluster,
  nodeName: string,
  options: RequestOptions & { readonly path?: string } = {},
): Promise<HttpAnswer> {
  return answerOf(await open(sim, kubeletUrl(sim, nodeName) + (options.path ?? '/stats/summary'), options));
}

function kubeletUrl(sim: SimulatedCluster, nodeName: string): string {
  return `https://127.0.0.1:${String(sim.model.node(nodeName)?.kubeletPort)}`;
}

export interface StatusBody {
  readonly message: string;
  readonly reason?: string;
  readonly code: number;
  readonly metadata: { readonly continue?: string };
  readonly details?: {
    readonly kind?: string;
    readonly name?: string;
    readonly causes?: readonly { reason: string; field?: string }[];
  };
}

export interface ListBody {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly ObjectBody[];
}

interface ObjectBody {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly status?: { readonly phase?: string };
}

export interface EventBody {
  readonly type: string;
  readonly object: ObjectBody & { readonly code?: number; readonly message?: string };
}

/** An open watch, read line by line. */
export class WatchClient implements Disposable {
  readonly #response: IncomingMessage;
  readonly #reader: Interface;
  readonly #lines: AsyncIterator<string, undefined>;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.#reader = createInterface({ input: response });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  static async open(sim: SimulatedCluster, path: string, options: RequestOptions = {}): Promise<WatchClient> {
    return new WatchClient(await open(sim, sim.apiUrl + path, options));
  }

  get status(): number | undefined {
    return this.#response.statusCode;
  }

  /** The next event; undefined at the stream's end; an error when the connection is cut. */
  async next(): Promise<EventBody | undefined> {
    const line: IteratorResult<string, undefined> = await this.#lines.next();
    return line.done === true ? undefined : (JSON.parse(line.value) as EventBody);
  }

  /** Types and names of the next events. */
  async take(count: number): Promise<readonly string[]> {
    const taken: string[] = [];
    while (taken.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      taken.push(`${event.type} ${event.object.metadata.name}`);
    }
    return taken;
  }

  [Symbol.dispose](): void {
    this.#reader.close();
    this.#response.destroy();
  }
}

async function open(sim: SimulatedCluster, url: string, options: RequestOptions): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body, cert, key, agent = false } = options;
  const token = 'token' in options || cert !== undefined ? options.token : sim.token;
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const pair = cert === undefined ? {} : { cert, key };
  const sent = { method, headers: { ...headers, ...authorization }, ca: sim.caPem, agent, ...pair };
  return responseTo(request(url, sent), body);
}
