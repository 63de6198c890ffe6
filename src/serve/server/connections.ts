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

/** The rest has room for probes. */
const busyShare = 1 / 2;

/** A warning is repeated after there has been room for this time. */
const quietMs = 600_000;

/**
 * The open connections of all listeners, and which of them makes room for a new one when there are too many: a silent or
 * an idle one, of which there are more; of these the oldest of the address that has the most; never one with a request
 * under way. https://en.wikipedia.org/wiki/Slowloris_(cyber_attack)
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
    const isFull = this.#open.size >= this.#options.maxCount;
    if (address === undefined || (isFull && !this.#makesRoom())) {
      socket.destroy(); // the client is gone, or all others are busy
      return;
    }
    const key = keyOf(socket);
    const connection: Connection = { socket, address, state: 'silent' };
    this.#open.set(key, connection);
    socket.once('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
  }

  /** A request arrived. False: too many connections are busy, and this one must be closed after its response. */
  use(endpoint: Endpoint): boolean {
    const connection = this.#open.get(keyOf(endpoint));
    if (connection === undefined) return false;
    const isNew = connection.state === 'silent';
    connection.state = 'busy';
    return !isNew || this.#in('busy').length <= this.#options.maxCount * busyShare;
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

  /** The file of the socket is closed on return. */
  #makesRoom(): boolean {
    const [silent, idle] = [this.#in('silent'), this.#in('idle')];
    const counts = new Map<string, number>();
    for (const { address } of this.#open.values()) counts.set(address, (counts.get(address) ?? 0) + 1);
    const countOf = ({ address }: Connection): number => counts.get(address) ?? 0;
    const [displaced] = (silent.length > idle.length ? silent : idle).toSorted((a, b) => countOf(b) - countOf(a));
    if (displaced === undefined) return false;
    this.#warn(displaced.address, countOf(displaced));
    this.#open.delete(keyOf(displaced.socket));
    displaced.socket.destroy();
    return true;
  }

  #in(state: Connection['state']): readonly Connection[] {
    return [...this.#open.values()].filter((one) => one.state === state);
  }

  #warn(address: string, connectionCount: number): void {
    const { clock, logger, maxCount } = this.#options;
    const nowMs = clock.monotonicMs();
    const isKnown = nowMs - this.#fullAtMs < quietMs;
    this.#fullAtMs = nowMs;
    if (isKnown) return;
    const fields = { address, connectionCount, maxCount };
    logger.warn('too many connections of clients: those of the address with the most make room', fields);
  }
}

/** The socket of a TLS connection is not the accepted one, but has the same ends. */
function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Endpoint): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ');
}
