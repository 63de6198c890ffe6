import { SocketAddress } from 'node:net';
import {
  DEFAULT_CIPHERS,
  type PeerCertificate,
  type SecureContextOptions,
  type SecureVersion,
  type TLSSocket,
} from 'node:tls';

import type { WebTls } from '../config/web/web-config.js';

/** Each context has keys of its own for session tickets: a client that is no longer accepted cannot resume its session. */
export function contextOptions(tls: WebTls): SecureContextOptions {
  const { cert, key, clientCa, minVersion, maxVersion, cipherSuites, prefersServerCipherSuites, curves } = tls;
  return {
    cert,
    key,
    minVersion,
    maxVersion,
    ciphers: ciphersOf(cipherSuites, minVersion),
    honorCipherOrder: prefersServerCipherSuites,
    // An empty text would stand for the authorities that Node.js knows.
    ...(clientCa === undefined ? {} : { ca: clientCa === '' ? '\n' : clientCa }),
    ...(curves.length === 0 ? {} : { ecdhCurve: curves.join(':') }),
  };
}

/** Those of TLS 1.3 cannot be chosen. OpenSSL has TLS 1.0 and 1.1 only at the lowest level of security. */
function ciphersOf(cipherSuites: readonly string[], minVersion: SecureVersion): string {
  const ofTls13 = DEFAULT_CIPHERS.split(':').filter((name) => name.startsWith('TLS_'));
  const names = cipherSuites.length === 0 ? [DEFAULT_CIPHERS] : [...ofTls13, ...cipherSuites];
  const isOld = minVersion === 'TLSv1' || minVersion === 'TLSv1.1';
  return [...names, ...(isOld ? ['@SECLEVEL=0'] : [])].join(':');
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
