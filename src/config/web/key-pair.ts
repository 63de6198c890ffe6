import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

import { messageOf } from '../../lib/base/errors.js';

/** The keys of the configuration that name PEM files. */
export type PemKey = 'cert_file' | 'key_file' | 'client_ca_file';

/** What is wrong with a PEM, and with which. No text has a part of a key, as messages of OpenSSL have none. */
export class PemFault {
  readonly of: PemKey;
  readonly problem: string;
  readonly allowed: string;

  constructor(of: PemFault['of'], problem: string, allowed: string) {
    this.of = of;
    this.problem = problem;
    this.allowed = allowed;
  }
}

const certAllowed = "certificates as PEM, the server's first";
const keyAllowed = 'a private key as PEM, without a password';

/**
 * A certificate with its chain and its key. OpenSSL alone accepts pairs with which every handshake fails: none at all, a
 * certificate that is not the key's, and keys that TLS clients do not know.
 */
export function loadKeyPair(
  certText: string,
  keyText: string,
):
  | {
      /** PEM, with the chain and nothing else. */
      readonly cert: string;
      /** PEM. */
      readonly key: string;
    }
  | PemFault {
  const certs = certificatesOf(certText);
  const [first] = certs;
  const key = privateKeyOf(keyText);
  if (first === undefined) return new PemFault('cert_file', 'has no certificate', certAllowed);
  if (key === undefined) return new PemFault('key_file', 'has no private key', keyAllowed);
  const leaf = attempt(() => new X509Certificate(first));
  if (typeof leaf === 'string') return new PemFault('cert_file', `cannot be read: ${leaf}`, certAllowed);
  const privateKey = attempt(() => createPrivateKey(key));
  if (typeof privateKey === 'string') return new PemFault('key_file', `cannot be read: ${privateKey}`, keyAllowed);
  if (!leaf.checkPrivateKey(privateKey)) {
    return new PemFault('cert_file', 'begins with a certificate that is not of the key', `${certAllowed}, and its key`);
  }
  const kind = kindOf(privateKey);
  if (!kinds.has(kind)) return new PemFault('key_file', `is of the kind ${kind}`, `the kinds ${[...kinds].join(', ')}`);
  const pair = { cert: certs.join(''), key };
  const context = attempt(() => createSecureContext(pair));
  return typeof context === 'string' ? new PemFault('cert_file', `cannot be used: ${context}`, certAllowed) : pair;
}

/** The authorities of clients, as PEM. OpenSSL silently ignores those that it cannot read. */
export function loadAuthorities(text: string): string | PemFault {
  const allowed = 'certificates of authorities as PEM';
  const certs = certificatesOf(text);
  if (certs.length === 0) return new PemFault('client_ca_file', 'has no certificate', allowed);
  const read = attempt(() => certs.map((cert) => new X509Certificate(cert)));
  return typeof read === 'string' ? new PemFault('client_ca_file', `cannot be read: ${read}`, allowed) : certs.join('');
}

/** Those of both Go and common clients: no browser and no scraper knows the curve P-224. */
const kinds: ReadonlySet<string> = new Set(['rsa', 'prime256v1', 'secp384r1', 'secp521r1', 'ed25519']);

/** In the words of OpenSSL: the curve, or the algorithm. */
function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  return asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType ?? 'unknown';
}

/** The message in place of an error. */
function attempt<T extends object>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    return messageOf(error);
  }
}

/** A certificate or key in a text, as Go finds it: a byte order mark before it hides it. https://pkg.go.dev/encoding/pem#Decode */
const block = /^-----BEGIN ([A-Z0-9 ]+)-----[ \t\r]*\n(?:(?!-----)[^\n]*\n)*-----END \1-----/gm;

/** Each as PEM, in the order of the text. */
function certificatesOf(text: string): readonly string[] {
  return blocksOf(text, (label) => label === 'CERTIFICATE');
}

/** The first one, as PEM. https://pkg.go.dev/crypto/tls#X509KeyPair */
function privateKeyOf(text: string): string | undefined {
  return blocksOf(text, (label) => label === 'PRIVATE KEY' || label.endsWith(' PRIVATE KEY'))[0];
}

function blocksOf(text: string, isWanted: (label: string) => boolean): readonly string[] {
  return [...text.matchAll(block)].flatMap(([pem, label = '']) => (isWanted(label) ? [`${pem}\n`] : []));
}
