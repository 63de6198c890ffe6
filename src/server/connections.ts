import type { Socket } from 'node:net';

/** Open connections; for one address, so that no client can hold them all. */
const maxOpen = { total: 250, perAddress: 125 } as const;

/**
 * Connections in use: a request has arrived on them. The rest of {@link maxOpen} is for new connections, whose first
 * request may be a probe.
 */
const maxInUse = { total: 200, perAddress: 100 } as const;

type Endpoint = Pick<Socket, 'remoteAddress' | 'remotePort'>;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** A request has arrived. */
  isInUse: boolean;
}

/**
 * The open connections of a listener, and which of them make room for new ones: the oldest without a request, never one
 * that is in use. https://en.wikipedia.org/wiki/Slowloris_(cyber_attack)
 */
export class Connections {
  /** By remote address and port, the oldest first. */
  readonly #open = new Map<string, Connection>();

  /** The connection was accepted. Those beyond the limits live until a request that was already sent has been read. */
  opened(socket: Socket): void {
    const { remoteAddress: address } = socket;
    if (address === undefined) {
      socket.destroy(); // the client is gone
      return;
    }
    const key = keyOf(socket);
    const connection = { socket, address, isInUse: false };
    this.#open.set(key, connection);
    socket.once('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
    afterNextRead(() => {
      this.#makeRoom(address);
    });
  }

  /** A request arrived. False: too many connections are in use, and this one must be closed after its response. */
  use(endpoint: Endpoint): boolean {
    const connection = this.#open.get(keyOf(endpoint));
    if (connection === undefined) return false;
    if (connection.isInUse) return true;
    const others = [...this.#open.values()].filter(({ isInUse }) => isInUse);
    connection.isInUse = true;
    return others.length < maxInUse.total && countOf(others, connection.address) < maxInUse.perAddress;
  }

  /** Closes a connection at once, without what the client has not read. */
  reset(endpoint: Endpoint): void {
    this.#open.get(keyOf(endpoint))?.socket.resetAndDestroy();
  }

  #makeRoom(address: string): void {
    const open = [...this.#open.values()];
    if (countOf(open, address) > maxOpen.perAddress) this.#closeOldest(open.filter((one) => one.address === address));
    else if (open.length > maxOpen.total) this.#closeOldest(open);
  }

  #closeOldest(candidates: readonly Connection[]): void {
    const oldest = candidates.find(({ isInUse }) => !isInUse);
    if (oldest === undefined) return;
    this.#open.delete(keyOf(oldest.socket));
    oldest.socket.destroy();
  }
}

function countOf(connections: readonly Connection[], address: string): number {
  return connections.filter((connection) => connection.address === address).length;
}

/** The socket of a TLS connection is not the accepted one, but has the same remote end. */
function keyOf({ remoteAddress, remotePort }: Endpoint): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''}`;
}

/** After the event loop has looked for data once; the first immediate runs before that. */
function afterNextRead(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
