import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Clock } from '../../lib/base/clock.js';
import type { Logger } from '../../lib/base/logger.js';

type Endpoint = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Silent: before the first request. Busy: a request is under way. Idle: between two requests. */
  state: 'silent' | 'busy' | 'idle';
}

/** Parts of the greatest number of connections, of one address half as many, so that no client can hold them all. */
const shares = {
  /** Open after a look for data. The rest is for those whose request was already sent. */
  open: 7 / 8,
  /** In use: a request has arrived on them. The rest of the open ones is for new ones, whose first request may be a probe. */
  inUse: 1 / 2,
} as const;

/** A warning is repeated after there has been room for this time. */
const quietMs = 600_000;

/**
 * The open connections of all listeners, and which of them make room for new ones: first a silent one, then an idle one
 * of an address that has more than a fair share, and never one with a request under way.
 * https://en.wikipedia.org/wiki/Slowloris_(cyber_attack)
 */
export class Connections {
  readonly #options;
  /** By both ends; the silent ones by age and the idle ones by the time of their last response, the oldest first. */
  readonly #open = new Map<string, Connection>();
  #fullAtMs = -Infinity;

  constructor(options: {
    /** Open at any time, to all listeners together. */
    readonly maxCount: number;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** The connection was accepted. */
  opened(socket: Socket): void {
    const { remoteAddress: address } = socket;
    if (address === undefined) {
      socket.destroy(); // the client is gone
      return;
    }
    const key = keyOf(socket);
    const connection: Connection = { socket, address, state: 'silent' };
    this.#open.set(key, connection);
    socket.once('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
    if (this.#open.size > this.#options.maxCount) this.#close(this.#silentOfGreediest());
    afterNextRead(() => {
      this.#makeRoom(address);
    });
  }

  /** A request arrived. False: too many connections are in use, and this one must be closed after its response. */
  use(endpoint: Endpoint): boolean {
    const connection = this.#open.get(keyOf(endpoint));
    if (connection === undefined) return false;
    const isNew = connection.state === 'silent';
    connection.state = 'busy';
    return !isNew || this.#admits(connection);
  }

  /** The response has been sent. */
  release(endpoint: Endpoint): void {
    const key = keyOf(endpoint);
    const connection = this.#open.get(key);
    if (connection === undefined) return;
    connection.state = 'idle';
    this.#open.delete(key);
    this.#open.set(key, connection);
  }

  /** Closes a connection at once, without what the client has not read. */
  reset(endpoint: Endpoint): void {
    this.#open.get(keyOf(endpoint))?.socket.resetAndDestroy();
  }

  #makeRoom(address: string): void {
    const max = this.#max(shares.open);
    const count = countByAddress(this.#open.values()).get(address) ?? 0;
    if (count > max.perAddress) this.#close(this.#silent().find((one) => one.address === address));
    else if (this.#open.size > max.total) this.#close(this.#silentOfGreediest());
  }

  /** A newcomer displaces only where its own address has less than a fair share. */
  #admits({ address, socket }: Connection): boolean {
    const max = this.#max(shares.inUse);
    const others = [...this.#open.values()].filter((one) => one.socket !== socket && one.state !== 'silent');
    const counts = countByAddress(others);
    const ownCount = counts.get(address) ?? 0;
    if (ownCount < max.perAddress && others.length < max.total) return true;
    this.#warn();
    const addressCount = counts.size + (ownCount === 0 ? 1 : 0);
    const fairShare = Math.max(1, Math.min(max.perAddress, Math.floor(max.total / addressCount)));
    if (ownCount >= fairShare) return false;
    const greedy = others.filter((one) => one.state === 'idle' && (counts.get(one.address) ?? 0) > fairShare);
    const displaced = ofGreediest(greedy, counts);
    this.#close(displaced);
    return displaced !== undefined;
  }

  /** The oldest of them. */
  #silentOfGreediest(): Connection | undefined {
    return ofGreediest(this.#silent(), countByAddress(this.#open.values()));
  }

  #silent(): readonly Connection[] {
    return [...this.#open.values()].filter(({ state }) => state === 'silent');
  }

  #max(share: number): { readonly total: number; readonly perAddress: number } {
    const total = Math.floor(this.#options.maxCount * share);
    return { total, perAddress: Math.ceil(total / 2) };
  }

  /** The file of the socket is closed on return. */
  #close(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#warn();
    this.#open.delete(keyOf(connection.socket));
    connection.socket.destroy();
  }

  #warn(): void {
    const { clock, logger, maxCount } = this.#options;
    const nowMs = clock.monotonicMs();
    const isKnown = nowMs - this.#fullAtMs < quietMs;
    this.#fullAtMs = nowMs;
    if (isKnown) return;
    const counts = countByAddress(this.#open.values());
    const address = ofGreediest([...this.#open.values()], counts)?.address;
    const fields = { address, connectionCount: counts.get(address ?? ''), openCount: this.#open.size, maxCount };
    logger.warn('too many connections of clients: those of the address with the most make room', fields);
  }
}

/** The first of those whose address has the most, by `counts`. */
function ofGreediest(candidates: readonly Connection[], counts: ReadonlyMap<string, number>): Connection | undefined {
  const countOf = ({ address }: Connection): number => counts.get(address) ?? 0;
  const most = Math.max(...candidates.map(countOf));
  return candidates.find((candidate) => countOf(candidate) === most);
}

function countByAddress(connections: Iterable<Connection>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { address } of connections) counts.set(address, (counts.get(address) ?? 0) + 1);
  return counts;
}

/** The socket of a TLS connection is not the accepted one, but has the same ends. */
function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Endpoint): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ');
}

/** After the event loop has looked for data once; the first immediate runs before that. */
function afterNextRead(work: () => void): void {
  setImmediate(() => setImmediate(work));
}

/** `next` waits for its end. */
interface Turn {
  next: { readonly response: ServerResponse; readonly serve: () => void } | undefined;
}

/**
 * One request at a time on each connection: when it ends, Node.js notifies only the first of several, and the others would
 * keep their resources. One more may wait, as a quick client that has read a whole response may send its next request before
 * the system has reported the write, most of all with TLS. Further ones are refused; scrapers and browsers do not pipeline.
 */
export class RequestTurns {
  readonly #turns = new Map<Socket, Turn>();

  /** Calls `serve` at once, when the response before has been sent, or never: then the connection ends. */
  take({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const turn = this.#turns.get(socket);
    if (turn === undefined) this.#begin(socket, response, serve);
    else if (turn.next === undefined) turn.next = { response, serve };
    else socket.destroy();
  }

  #begin(socket: Socket, response: ServerResponse, serve: () => void): void {
    const turn: Turn = { next: undefined };
    this.#turns.set(socket, turn);
    // After all that `finish` causes, such as the end of the connection.
    response.once('close', () => {
      this.#turns.delete(socket);
      if (turn.next !== undefined && socket.writable) this.#begin(socket, turn.next.response, turn.next.serve);
    });
    serve();
  }
}
