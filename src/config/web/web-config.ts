import type { SecureVersion } from 'node:tls';

/** How the listeners serve. */
export interface WebConfig {
  /** Undefined: plain HTTP. */
  readonly tls: WebTls | undefined;
  /** Of every response, unless its endpoint has a value of its own. */
  readonly headers: ReadonlyMap<string, string>;
  /** Hashes of bcrypt by the names of users. Empty: no passwords. */
  readonly users: ReadonlyMap<string, string>;
}

/** How a listener speaks TLS. */
export interface WebTls {
  /** PEM, with the chain. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  /** PEM of the authorities of clients, each of which needs a certificate of one. Undefined: no client is asked for any. */
  readonly clientCa: string | undefined;
  readonly minVersion: SecureVersion;
}

/** Plain HTTP for everybody. */
export const plainWeb: WebConfig = { tls: undefined, headers: new Map(), users: new Map() };
