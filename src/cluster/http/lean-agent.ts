import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Makes connections that take two thirds of the memory while they are idle. With the handle of a socket, TLS reads into a buffer
 * of 64 KiB, which stays with the connection. A socket that is connected later is a mere stream for it: what it has read is copied
 * into buffers of 20 KiB in all. That costs 0.1 ms of CPU more for a summary, and 0.25 ms more where the connection is new.
 */
export class LeanAgent extends Agent {
  readonly #isNextLean: () => boolean;

  /** `isNextLean`: whether a connection that is made now will be kept, among many. */
  constructor(options: AgentOptions, isNextLean: () => boolean) {
    super(options);
    this.#isNextLean = isNextLean;
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    if (!this.#isNextLean()) return super.createConnection(options, callback);
    const socket = new Socket();
    socket.setNoDelay(true); // here, as TLS passes no option on to a stream
    socket.setKeepAlive(true, this.options.keepAliveMsecs);
    const optionsOfTls: RequestOptions & { readonly socket: Socket } = { ...options, socket };
    const connection = super.createConnection(optionsOfTls, callback);
    socket.connect({ host: options.host ?? '', port: Number(options.port), lookup: options.lookup });
    return connection;
  }
}
