import type { RateLimit } from '../../base/rate-limiter.js';
import type { WebTls } from './web-tls.js';

/** How the listeners serve. */
export interface WebConfig {
  /** Undefined: plain HTTP. */
  readonly tls: WebTls | undefined;
  /** Of every response. */
  readonly headers: ReadonlyMap<string, string>;
  /** Hashes of bcrypt by the names of users. Empty: no passwords. */
  readonly users: ReadonlyMap<string, string>;
  readonly rateLimit: RateLimit | undefined;
}

/** Plain HTTP for everybody. */
export const plainWeb: WebConfig = { tls: undefined, headers: new Map(), users: new Map(), rateLimit: undefined };
