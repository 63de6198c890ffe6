import './reflect-metadata.js';

import { webcrypto } from 'node:crypto';

import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

import { systemClock } from '../src/lib/base/clock.js';

/** A certificate and its private key, both PEM, for a TLS server or client. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface ClientName {
  /** Becomes the user name. */
  readonly commonName: string;
  /** Become the user's groups. */
  readonly organizations?: readonly string[];
}

interface Request {
  readonly subject: string;
  readonly extensions: Extension[];
  readonly validUntilMs: number;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 60 * 60 * 1000;

/**
 * The certificate authority of a simulated cluster: ECDSA P-256, created at start, never written to disk. Validity
 * follows the machine's clock, not the simulated one, as TLS peers use the machine's.
 */
export class CertificateAuthority {
  readonly #keys: webcrypto.CryptoKeyPair;
  /** The authority's own certificate, PEM. */
  readonly certificate: string;

  private constructor(keys: webcrypto.CryptoKeyPair, certificate: string) {
    this.#keys = keys;
    this.certificate = certificate;
  }

  static async create(): Promise<CertificateAuthority> {
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: issuer,
      keys,
      notBefore: new Date(systemClock.nowMs() - dayMs),
      notAfter: new Date(systemClock.nowMs() + 365 * dayMs),
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    });
    return new CertificateAuthority(keys, certificate.toString('pem'));
  }

  /** A serving certificate for 127.0.0.1 and the given DNS names, valid from yesterday for a year. */
  async issueServer(dnsNames: readonly string[]): Promise<KeyPair> {
    return this.#issueServer(dnsNames, systemClock.nowMs() + 365 * dayMs);
  }

  /** As {@link issueServer}, but expired an hour ago. */
  async issueExpiredServer(dnsNames: readonly string[]): Promise<KeyPair> {
    return this.#issueServer(dnsNames, systemClock.nowMs() - dayMs / 24);
  }

  async issueClient({ commonName, organizations = [] }: ClientName): Promise<KeyPair> {
    const names = [...organizations.map((organization) => `O=${organization}`), `CN=${commonName}`];
    return this.#issue({
      subject: names.join(', '),
      extensions: [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])],
      validUntilMs: systemClock.nowMs() + 365 * dayMs,
    });
  }

  async #issueServer(dnsNames: readonly string[], validUntilMs: number): Promise<KeyPair> {
    const alternativeNames: JsonGeneralName[] = [
      { type: 'ip', value: '127.0.0.1' },
      ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ];
    return this.#issue({
      subject: `CN=${dnsNames[0] ?? '127.0.0.1'}`,
      extensions: [
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(alternativeNames),
      ],
      validUntilMs,
    });
  }

  async #issue({ subject, extensions, validUntilMs }: Request): Promise<KeyPair> {
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.create({
      subject,
      issuer,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      notBefore: new Date(systemClock.nowMs() - dayMs),
      notAfter: new Date(validUntilMs),
      signingAlgorithm: algorithm,
      extensions: [new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true), ...extensions],
    });
    const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { cert: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') };
  }
}

const issuer = 'CN=simulated-cluster-ca';

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}
