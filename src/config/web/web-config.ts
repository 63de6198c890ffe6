import type { SecureVersion } from 'node:tls';

import type { RateLimit } from '../../lib/base/rate-limiter.js';

/** How the listeners serve. */
export interface WebConfig {
  /** Undefined: plain HTTP. */
  readonly tls: WebTls | undefined;
  /** Of every response, unless its endpoint has a value of its own. */
  readonly headers: ReadonlyMap<string, string>;
  /** Hashes of bcrypt by the names of users. Empty: no passwords. */
  readonly users: ReadonlyMap<string, string>;
  /** Of all requests but probes. Undefined: none. */
  readonly rateLimit: RateLimit | undefined;
}

/** How a listener speaks TLS. */
export interface WebTls {
  /** PEM, with the chain. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  /**
   * How clients are asked for a certificate: not at all; asked, and nothing is verified; refused without one, of any authority;
   * refused with one that no known authority has signed; both.
   */
  readonly clientAuth: 'none' | 'request' | 'require-any' | 'verify-if-given' | 'require-and-verify';
  /** PEM of the authorities of clients. Undefined: those that Node.js knows. */
  readonly clientCa: string | undefined;
  /** A certificate needs one of these names. Undefined: any. */
  readonly clientAllowedSans: readonly string[] | undefined;
  readonly minVersion: SecureVersion;
  readonly maxVersion: SecureVersion;
  readonly prefersServerCipherSuites: boolean;
  /** In the words of OpenSSL. Empty: the default. */
  readonly curves: readonly string[];
}

/** Plain HTTP for everybody. */
export const plainWeb: WebConfig = { tls: undefined, headers: new Map(), users: new Map(), rateLimit: undefined };
