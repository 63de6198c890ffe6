import { Agent as HttpAgent } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, createSecureContext, type PeerCertificate } from 'node:tls';

import { Memo } from '../../lib/base/memo.js';
import type { TlsMaterial } from '../credentials/credentials.js';
import { tcpKeepAliveMs } from './send-request.js';

/** One for each server, of some kilobytes: more than a cluster has nodes. Node's default is 100. */
const maxCachedSessions = 10_000;

interface ProxyOptions {
  readonly url: URL;
  /** The host that all connections go to. */
  readonly serverHost: string;
  /** How long the proxy may take to connect, in milliseconds; 0 without limit. */
  readonly timeoutMs: number;
}

/**
 * One keep-alive agent, since a TLS handshake costs several times as much as a request. New TLS material gets a new
 * agent. Requests under way keep the former one; its connections are closed when they end. TLS sessions belong to the agent: a
 * server whose session is resumed was verified with the same material, as on a connection that is kept.
 */
export class RotatingAgent implements Disposable {
  readonly #options;
  readonly #agents = new Memo<Promise<HttpAgent>>();
  #isDisposed = false;

  constructor(options: {
    readonly isTls: boolean;
    readonly proxy: ProxyOptions | undefined;
    /** Connections that are kept after their first request, to all hosts together. Default: all. */
    readonly maxKeptConnections?: number | undefined;
  }) {
    this.#options = options;
  }

  /** The same agent until the TLS material changes. Rejects when the material cannot be used, or no agent can be made now. */
  agentFor(tls: TlsMaterial): Promise<HttpAgent> {
    const { ca, cert, key, rejectUnauthorized, serverName } = tls;
    const agent = this.#agents.of([ca, cert, key, rejectUnauthorized, serverName], () => this.#create(tls));
    if (this.#isDisposed) this.#retireLast(); // a request that began before still connects, or repeats itself after a 401
    return agent;
  }

  /** Closes idle connections now and the others when their requests end. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#retireLast();
  }

  #create(tls: TlsMaterial): Promise<HttpAgent> {
    this.#retireLast();
    const { maxKeptConnections = Infinity } = this.#options;
    const kept = new Set<Duplex>();
    const isNextLean = (): boolean => maxKeptConnections < Infinity && kept.size < maxKeptConnections;
    const agent = createAgent({ ...this.#options, isNextLean }, tls).then((made) =>
      limitKept(made, kept, maxKeptConnections),
    );
    agent.catch(() => {
      if (this.#agents.last === agent) this.#agents.forget(); // the module of a proxy's agent may be readable next time
    });
    return agent;
  }

  #retireLast(): void {
    void this.#agents.last?.then(retire, () => undefined);
    this.#agents.forget();
  }
}

function retire(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) sockets?.forEach((socket) => socket.destroy());
}

/** Of Node's own limits, one is for each host, and the other lets idle connections to some hosts shut out the others. */
function limitKept(agent: HttpAgent, kept: Set<Duplex>, maxCount: number): HttpAgent {
  const keepSocketAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean; // against its type
  agent.keepSocketAlive = (socket): boolean => {
    if (!kept.has(socket)) {
      if (kept.size >= maxCount) return false;
      kept.add(socket);
      socket.once('close', () => kept.delete(socket));
    }
    return keepSocketAlive(socket);
  };
  return agent;
}

async function createAgent(
  {
    isTls,
    proxy,
    isNextLean,
  }: { readonly isTls: boolean; readonly proxy: ProxyOptions | undefined; readonly isNextLean: () => boolean },
  tls: TlsMaterial,
): Promise<HttpAgent> {
  const { ca, cert, key, rejectUnauthorized } = tls;
  const tlsOptions = isTls ? { rejectUnauthorized, secureContext: createSecureContext({ ca, cert, key }) } : {};
  const agentOptions = { keepAlive: true, keepAliveMsecs: tcpKeepAliveMs, maxCachedSessions, ...tlsOptions };
  if (proxy === undefined) return isTls ? new LeanAgent(agentOptions, isNextLean) : new HttpAgent(agentOptions);
  const proxiedOptions = { ...agentOptions, ...(isTls ? { checkServerIdentity: identityCheck(proxy, tls) } : {}) };
  if (proxy.url.protocol.startsWith('socks')) {
    const { SocksProxyAgent } = await import('socks-proxy-agent');
    return new SocksProxyAgent(proxy.url, proxiedOptions);
  }
  const { HttpProxyAgent, HttpsProxyAgent } = await import('hpagent');
  const proxyOptions = { ...proxiedOptions, proxy: proxy.url, timeout: proxy.timeoutMs };
  return isTls ? new HttpsProxyAgent(proxyOptions) : new HttpProxyAgent(proxyOptions);
}

/**
 * Makes connections that take two thirds of the memory while they are idle. With the handle of a socket, TLS reads into a buffer
 * of 64 KiB, which stays with the connection. A socket that is connected later is a mere stream for it: what it has read is copied
 * into buffers of 20 KiB in all. That costs 0.1 ms of CPU more for a summary, and 0.25 ms more where the connection is new.
 */
class LeanAgent extends Agent {
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

/**
 * A proxy agent does not pass on an IP address as the host of the certificate: TLS would expect `localhost`. The check
 * is the agent's and not a request's, since Node.js never reuses a connection of a request with its own check.
 */
function identityCheck({ serverHost }: ProxyOptions, { serverName = serverHost }: TlsMaterial) {
  const name = serverName.replace(/^\[|\]$/g, '');
  return (_host: string, certificate: PeerCertificate): Error | undefined => checkServerIdentity(name, certificate);
}
