import type { WebTls } from '../../src/config/web/web-config.js';
import type { KeyPair } from './certificates.js';

/** Of a listener that asks clients for no certificate. */
export function tlsSettings(pair: KeyPair, overrides: Partial<WebTls> = {}): WebTls {
  return { ...pair, clientCa: undefined, minVersion: 'TLSv1.2', ...overrides };
}
