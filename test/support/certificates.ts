/** A certificate authority for tests of TLS clients: certificates with and without the right names and dates. */
import '../../sim/reflect-metadata.js';

import { webcrypto } from 'node:crypto';

import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface ServerCertificate {
  readonly dnsNames?: readonly string[];
  /** Default: 127.0.0.1. */
  readonly ipAddresses?: readonly string[];
  readonly isExpired?: boolean;
}

export interface ClientCertificate {
  readonly names?: readonly JsonGeneralName[];
  readonly isExpired?: boolean;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const hourMs = 60 * 60 * 1000;

export class TestAuthority {
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #name: string;
  /** PEM. */
  readonly certificate: string;

  private constructor(name: string, keys: webcrypto.CryptoKeyPair, certificate: string) {
    this.#name = name;
    this.#keys = keys;
    this.certificate = certificate;
  }

  static async create(commonName = 'test-ca'): Promise<TestAuthority> {
    const name = `CN=${commonName}`;
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name,
      keys,
      ...validity(false),
      signingAlgorithm: algorithm,
      extensions: [new BasicConstraintsExtension(true, 0, true)],
    });
    return new TestAuthority(name, keys, certificate.toString('pem'));
  }

  async issueServer({ dnsNames = [], ipAddresses = ['127.0.0.1'], isExpired = false }: ServerCertificate = {}) {
    const names: JsonGeneralName[] = [
      ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
      ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
    ];
    return this.#issue('CN=server', validity(isExpired), [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names),
    ]);
  }

  async issueClient(commonName: string, { names = [], isExpired = false }: ClientCertificate = {}): Promise<KeyPair> {
    return this.#issue(`CN=${commonName}`, validity(isExpired), [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
      ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension([...names])]),
    ]);
  }

  async #issue(subject: string, dates: Validity, extensions: Extension[]): Promise<KeyPair> {
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.create({
      subject,
      issuer: this.#name,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithm,
      ...dates,
      extensions,
    });
    const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { cert: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') };
  }
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

function validity(isExpired: boolean): Validity {
  const nowMs = Date.now();
  return { notBefore: new Date(nowMs - 2 * hourMs), notAfter: new Date(nowMs + (isExpired ? -hourMs : hourMs)) };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}
