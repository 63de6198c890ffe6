import type { PeerCertificate, SecureContextOptions, TLSSocket } from 'node:tls';

import type { WebTls } from '../../config/web/web-config.js';

/** Each context has keys of its own for session tickets: a client that is no longer accepted cannot resume its session. */
export function contextOptions({ cert, key, clientCa, minVersion }: WebTls): SecureContextOptions {
  return { cert, key, minVersion, honorCipherOrder: true, ...(clientCa === undefined ? {} : { ca: clientCa }) };
}

/** Why the client of a completed handshake is refused; undefined when it is accepted. */
export function refusalOf({ clientCa }: WebTls, socket: TLSSocket): string | undefined {
  if (clientCa === undefined) return undefined;
  const certificate = socket.getPeerCertificate() as PeerCertificate | Record<string, never>; // {} without one
  if (!('raw' in certificate)) return 'no certificate';
  return socket.authorized ? undefined : `the certificate is not valid: ${String(socket.authorizationError)}`;
}
