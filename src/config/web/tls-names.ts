/** The names of Go's TLS library in the words of OpenSSL. */
import type { SecureVersion } from 'node:tls';

/** https://pkg.go.dev/crypto/tls#pkg-constants */
export const tlsVersions: ReadonlyMap<string, SecureVersion> = new Map([
  ['TLS13', 'TLSv1.3'],
  ['TLS12', 'TLSv1.2'],
  ['TLS11', 'TLSv1.1'],
  ['TLS10', 'TLSv1'],
]);

/**
 * https://pkg.go.dev/crypto/tls#CipherSuites. Those of TLS 1.3 cannot be chosen: they are all offered, as in Go.
 */
export const cipherSuites: ReadonlyMap<string, string | undefined> = new Map([
  ['TLS_AES_128_GCM_SHA256', undefined],
  ['TLS_AES_256_GCM_SHA384', undefined],
  ['TLS_CHACHA20_POLY1305_SHA256', undefined],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
]);

/** https://pkg.go.dev/crypto/tls#CurveID */
export const curves: ReadonlyMap<string, string> = new Map([
  ['CurveP256', 'P-256'],
  ['CurveP384', 'P-384'],
  ['CurveP521', 'P-521'],
  ['X25519', 'X25519'],
]);

/**
 * How clients are asked for a certificate: not at all; asked; asked and refused without one; refused with one that no
 * known authority has signed; both. https://pkg.go.dev/crypto/tls#ClientAuthType
 */
export type ClientAuth = 'none' | 'request' | 'require-any' | 'verify-if-given' | 'require-and-verify';

export const clientAuthTypes: ReadonlyMap<string, ClientAuth> = new Map([
  ['NoClientCert', 'none'],
  ['RequestClientCert', 'request'],
  ['RequireAnyClientCert', 'require-any'],
  ['RequireClientCert', 'require-any'],
  ['VerifyClientCertIfGiven', 'verify-if-given'],
  ['RequireAndVerifyClientCert', 'require-and-verify'],
]);
