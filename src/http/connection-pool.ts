import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { checkServerIdentity } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';

import type { TlsMaterial } from '../credentials/credentials.js';

export interface ConnectionPoolOptions {
  readonly server: URL;
  readonly proxyUrl: URL | undefined;
  /** How long a proxy may take to connect, in milliseconds. */
  readonly proxyTimeoutMs: number;
}

/** Connections to one server that outlive their requests; all of them use the same TLS material. */
export class ConnectionPool implements Disposable {
  readonly #options: ConnectionPoolOptions;
  #current: { readonly tls: TlsMaterial; readonly agent: Promise<HttpAgent> } | undefined;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /** The same agent until the material changes; requests under way keep the former one until they end. */
  agent(tls: TlsMaterial): Promise<HttpAgent> {
    if (this.#current !== undefined && isDeepStrictEqual(this.#current.tls, tls)) return this.#current.agent;
    void this.#current?.agent.then(retire, () => undefined);
    this.#current = { tls, agent: createAgent(this.#options, tls) };
    return this.#current.agent;
  }

  /** Closes the connections of the current material, those in use too. */
  [Symbol.dispose](): void {
    void this.#current?.agent.then(
      (agent) => {
        agent.destroy();
      },
      () => undefined,
    );
    this.#current = undefined;
  }
}

/** Closes idle connections now and the others when their requests end. */
function retire(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) sockets?.forEach((socket) => socket.destroy());
}

async function createAgent(options: ConnectionPoolOptions, tls: TlsMaterial): Promise<HttpAgent> {
  const { server, proxyUrl, proxyTimeoutMs } = options;
  const { ca, cert, key, serverName, rejectUnauthorized } = tls;
  const agentOptions: AgentOptions = { keepAlive: true, ca, cert, key, servername: serverName, rejectUnauthorized };
  const isTls = server.protocol === 'https:';
  if (proxyUrl === undefined) return isTls ? new HttpsAgent(agentOptions) : new HttpAgent({ keepAlive: true });
  if (proxyUrl.protocol.startsWith('socks')) {
    const { SocksProxyAgent } = await import('socks-proxy-agent');
    const socksOptions = { ...agentOptions, checkServerIdentity: identityCheck(server, serverName) };
    return new SocksProxyAgent(proxyUrl, socksOptions);
  }
  const { HttpProxyAgent, HttpsProxyAgent } = await import('hpagent');
  const proxyOptions = { ...agentOptions, proxy: proxyUrl, timeout: proxyTimeoutMs };
  return isTls ? new HttpsProxyAgent(proxyOptions) : new HttpProxyAgent(proxyOptions);
}

/** SocksProxyAgent does not say which host it connects to when that is an IP address: TLS would look for `localhost`. */
function identityCheck(server: URL, serverName: string | undefined): typeof checkServerIdentity {
  const name = serverName ?? server.hostname.replace(/^\[|\]$/g, '');
  return (_host, certificate) => checkServerIdentity(name, certificate);
}
