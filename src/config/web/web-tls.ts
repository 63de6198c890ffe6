import { createSecureContext, type SecureVersion } from 'node:tls';

import { messageOf } from '../../base/errors.js';
import { ConfigError, describeValue, type SettingFault } from '../faults.js';
import { cipherSuites, type ClientAuth, clientAuthTypes, curves, tlsVersions } from './tls-names.js';
import type { TlsServerConfig } from './web-file-schema.js';

export interface WebTls {
  /** PEM, with the chain. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  readonly clientAuth: ClientAuth;
  /** PEM of the authorities of clients. Undefined: those that Node.js knows. */
  readonly clientCa: string | undefined;
  /** Undefined: any name. */
  readonly clientAllowedSans: readonly string[] | undefined;
  readonly minVersion: SecureVersion;
  readonly maxVersion: SecureVersion;
  /** In the words of OpenSSL, without those of TLS 1.3. Empty: the default. */
  readonly cipherSuites: readonly string[];
  readonly prefersServerCipherSuites: boolean;
  /** In the words of OpenSSL. Empty: the default. */
  readonly curves: readonly string[];
}

export type FileContent = { readonly text: string } | { readonly error: string };

type TlsKey = keyof TlsServerConfig;

export interface TlsSources {
  /** By their names in the configuration. */
  readonly files: Readonly<Record<string, FileContent>>;
  /** The place of a key. */
  readonly sourceOf: (key: TlsKey) => string;
}

/** Undefined when nothing asks for TLS. Throws ConfigError with all faults. */
export function loadTls(config: TlsServerConfig, sources: TlsSources): WebTls | undefined {
  if (!isEnabled(config)) return undefined;
  const clientAuth = clientAuthTypes.get(config.client_auth_type ?? '') ?? 'none';
  return {
    ...loadPems(config, clientAuth, sources),
    clientAuth,
    clientAllowedSans: config.client_allowed_sans,
    minVersion: tlsVersions.get(config.min_version ?? '') ?? 'TLSv1.2',
    maxVersion: tlsVersions.get(config.max_version ?? '') ?? 'TLSv1.3',
    cipherSuites: valuesOf(config.cipher_suites, cipherSuites),
    prefersServerCipherSuites: config.prefer_server_cipher_suites ?? true,
    curves: valuesOf(config.curve_preferences, curves),
  };
}

function loadPems(
  config: TlsServerConfig,
  clientAuth: ClientAuth,
  { files, sourceOf }: TlsSources,
): Pick<WebTls, 'cert' | 'key' | 'clientCa'> {
  const faults: SettingFault[] = [];
  const fault = (key: TlsKey, problem: string, allowed: string): void => {
    faults.push({ path: `tls_server_config.${key}`, problem, source: sourceOf(key), hint: `allowed: ${allowed}` });
  };
  /** A file takes precedence. */
  const pemOf = (key: 'cert' | 'key' | 'client_ca'): string | undefined => {
    const name = config[`${key}_file`] ?? '';
    const content = files[name] ?? { text: config[key] };
    if ('text' in content) return content.text;
    fault(`${key}_file`, `found ${describeValue(name)}`, `a file that can be read (${content.error})`);
    return '';
  };
  const [cert, key, clientCa] = [pemOf('cert'), pemOf('key'), pemOf('client_ca')];
  if (cert === undefined) fault('cert_file', 'found nothing', 'a file, or the certificate itself as cert');
  if (key === undefined) fault('key_file', 'found nothing', 'a file, or the key itself as key');
  if (clientCa !== undefined && clientAuth === 'none') {
    fault('client_auth_type', 'found none', `${verifyingTypes}, together with authorities of clients`);
  }
  if (cert !== undefined && key !== undefined && faults.length === 0) {
    const problem = keyPairProblem(cert, key);
    if (problem === undefined) return { cert, key, clientCa };
    fault('cert_file', problem, 'a certificate as PEM, and its key');
  }
  throw new ConfigError(faults);
}

const verifyingTypes = [...clientAuthTypes.keys()].filter((type) => type !== 'NoClientCert').join(', ');

/** As in Go: some keys alone do not switch TLS on. */
function isEnabled(config: TlsServerConfig): boolean {
  const keys = ['cert', 'cert_file', 'key', 'key_file', 'client_ca', 'client_ca_file', 'client_auth_type'] as const;
  return keys.some((key) => config[key] !== undefined);
}

/** Messages of OpenSSL have no part of the key. */
function keyPairProblem(cert: string, key: string): string | undefined {
  try {
    createSecureContext({ cert, key });
    return undefined;
  } catch (error) {
    return `cannot be used: ${messageOf(error)}`;
  }
}

function valuesOf<T>(names: readonly string[] = [], values: ReadonlyMap<string, T | undefined>): readonly T[] {
  return names.map((name) => values.get(name)).filter((value) => value !== undefined);
}
