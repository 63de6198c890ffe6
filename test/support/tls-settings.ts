import type { WebTls } from '../../src/config/web/web-config.js';
import type { KeyPair } from './certificates.js';

/** Of a listener that asks clients for no certificate. */
export function tlsSettings(pair: KeyPair, overrides: Partial<WebTls> = {}): WebTls {
  return {
    ...pair,
    clientAuth: 'none',
    clientCa: undefined,
    clientAllowedSans: undefined,
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    prefersServerCipherSuites: true,
    curves: [],
    ...overrides,
  };
}
