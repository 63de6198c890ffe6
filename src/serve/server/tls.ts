import { SocketAddress } from 'node:net';
import type { PeerCertificate, SecureContextOptions, TLSSocket } from 'node:tls';

import type { WebTls } from '../../config/web/web-config.js';

/** Each context has keys of its own for session tickets: a client that is no longer accepted cannot resume its session. */
export function contextOptions(tls: WebTls): SecureContextOptions {
  const { cert, key, clientCa, minVersion, maxVersion, prefersServerCipherSuites, curves } = tls;
  return {
    cert,
    key,
    minVersion,
    maxVersion,
    honorCipherOrder: prefersServerCipherSuites,
    // An empty text would stand for the authorities that Node.js knows.
    ...(clientCa === undefined ? {} : { ca: clientCa === '' ? '\n' : clientCa }),
    ...(curves.length === 0 ? {} : { ecdhCurve: curves.join(':') }),
  };
}

/** Why the client of a completed handshake is refused; undefined when it is accepted. */
export function refusalOf({ clientAuth, clientAllowedSans }: WebTls, socket: TLSSocket): string | undefined {
  if (clientAuth === 'none') return undefined;
  const certificate = socket.getPeerCertificate() as PeerCertificate | Record<string, never>; // {} without one
  if (!('raw' in certificate)) {
    const isNeeded = clientAuth.startsWith('require') || clientAllowedSans !== undefined;
    return isNeeded ? 'no certificate' : undefined;
  }
  if (clientAuth.includes('verify') && !socket.authorized) {
    return `the certificate is not valid: ${String(socket.authorizationError)}`;
  }
  const names = alternativeNames(certificate.subjectaltname);
  const isAllowed = clientAllowedSans === undefined || names.some((name) => clientAllowedSans.includes(name));
  return isAllowed ? undefined : 'no name of the certificate is allowed';
}

const alternativeName = /(DNS|IP Address|email|URI):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/gy;

/** Of `DNS:a, IP Address:::1`, as Go writes them. https://nodejs.org/docs/latest-v20.x/api/crypto.html#x509subjectaltname */
export function alternativeNames(text = ''): readonly string[] {
  return [...text.matchAll(alternativeName)].map(([, kind, name = '']) => {
    const value = name.startsWith('"') ? (JSON.parse(name) as string) : name;
    return kind === 'IP Address' ? addressText(value) : value;
  });
}

/** The short form of an IPv6 address. */
function addressText(address: string): string {
  return address.includes(':') ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}
