import { Agent } from 'node:https';
import { createSecureContext } from 'node:tls';

import type { TlsMaterial } from '../credentials/credentials.js';

export interface AgentLease extends Disposable {
  readonly agent: Agent;
}

interface Generation {
  readonly agent: Agent;
  readonly tls: TlsMaterial;
  leaseCount: number;
}

/**
 * One keep-alive agent for all kubelets: a handshake costs several times as much as a request. New TLS material gets a
 * new agent; the old one's connections are closed when the requests on it are done.
 */
export class RotatingAgent implements Disposable {
  #current: Generation | undefined;

  /** Held while a request runs, its body included. */
  lease(tls: TlsMaterial): AgentLease {
    const generation = this.#generationOf(tls);
    generation.leaseCount++;
    return {
      agent: generation.agent,
      [Symbol.dispose]: () => {
        generation.leaseCount--;
        this.#closeUnlessNeeded(generation);
      },
    };
  }

  /** Closes what is idle now, and the rest as it is given back. */
  [Symbol.dispose](): void {
    this.#retireCurrent();
  }

  #generationOf(tls: TlsMaterial): Generation {
    if (this.#current !== undefined && isSameMaterial(this.#current.tls, tls)) return this.#current;
    this.#retireCurrent();
    const { ca, cert, key, rejectUnauthorized } = tls;
    const secureContext = createSecureContext({ ca, cert, key });
    const agent = new Agent({ keepAlive: true, rejectUnauthorized, secureContext });
    this.#current = { agent, tls, leaseCount: 0 };
    return this.#current;
  }

  #retireCurrent(): void {
    const retired = this.#current;
    this.#current = undefined;
    if (retired !== undefined) this.#closeUnlessNeeded(retired);
  }

  #closeUnlessNeeded(generation: Generation): void {
    if (generation.leaseCount === 0 && generation !== this.#current) generation.agent.destroy();
  }
}

/** The server name goes with each request, not with the agent. */
function isSameMaterial(one: TlsMaterial, other: TlsMaterial): boolean {
  return (
    one.ca === other.ca &&
    one.cert === other.cert &&
    one.key === other.key &&
    one.rejectUnauthorized === other.rejectUnauthorized
  );
}
