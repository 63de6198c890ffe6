import { ConfigError, describeValue, type SettingFault } from '../faults.js';
import { loadAuthorities, loadKeyPair, PemFault } from './key-pair.js';
import type { WebTls } from './web-config.js';
import { clientAuthTypes, curves, type TlsServerConfig, tlsVersions } from './web-file-schema.js';

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
    prefersServerCipherSuites: config.prefer_server_cipher_suites ?? true,
    curves: (config.curve_preferences ?? []).flatMap((name) => curves.get(name) ?? []),
  };
}

function loadPems(
  config: TlsServerConfig,
  clientAuth: WebTls['clientAuth'],
  sources: TlsSources,
): Pick<WebTls, 'cert' | 'key' | 'clientCa'> {
  const pems = new PemSources(config, sources);
  const [certText, keyText, clientCaText] = [pems.textOf('cert'), pems.textOf('key'), pems.textOf('client_ca')];
  if (!pems.has('cert')) pems.fault('cert_file', 'found nothing', 'a file, or the certificate itself as cert');
  if (!pems.has('key')) pems.fault('key_file', 'found nothing', 'a file, or the key itself as key');
  if (pems.has('client_ca') && clientAuth === 'none') {
    pems.fault('client_auth_type', 'found none', `${verifyingTypes}, together with authorities of clients`);
  }
  const hasPair = certText !== undefined && keyText !== undefined;
  const pair = hasPair ? pems.checked(loadKeyPair(certText, keyText)) : undefined;
  const clientCa = clientCaText === undefined ? undefined : pems.checked(loadAuthorities(clientCaText));
  if (pair === undefined || pems.faults.length > 0) throw new ConfigError(pems.faults);
  return { ...pair, clientCa };
}

/** The certificates and keys, each from a file or from the configuration, and what is wrong with them. */
class PemSources {
  readonly faults: SettingFault[] = [];
  readonly #config: TlsServerConfig;
  readonly #sources: TlsSources;

  constructor(config: TlsServerConfig, sources: TlsSources) {
    this.#config = config;
    this.#sources = sources;
  }

  has(of: PemFault['of']): boolean {
    return (this.#config[`${of}_file`] ?? this.#config[of]) !== undefined;
  }

  /** A file takes precedence. Undefined when there is none, or it cannot be read, which is a fault. */
  textOf(of: PemFault['of']): string | undefined {
    const name = this.#config[`${of}_file`];
    const content = name === undefined ? { text: this.#config[of] } : this.#sources.files[name];
    if (content !== undefined && 'text' in content) return content.text;
    this.fault(
      `${of}_file`,
      `found ${describeValue(name)}`,
      `a file that can be read (${content?.error ?? 'not read'})`,
    );
    return undefined;
  }

  /** Undefined for a fault, which is added. */
  checked<T>(loaded: T | PemFault): T | undefined {
    if (!(loaded instanceof PemFault)) return loaded;
    const { of, problem, allowed } = loaded;
    const name = this.#config[`${of}_file`];
    if (name === undefined) this.fault(of, problem, allowed);
    else this.fault(`${of}_file`, `${describeValue(name)} ${problem}`, allowed);
    return undefined;
  }

  fault(key: TlsKey, problem: string, allowed: string): void {
    const source = this.#sources.sourceOf(key);
    this.faults.push({ path: `tls_server_config.${key}`, problem, source, hint: `allowed: ${allowed}` });
  }
}

const verifyingTypes = [...clientAuthTypes.keys()].filter((type) => type !== 'NoClientCert').join(', ');

/** As in Go: some keys alone do not switch TLS on. */
function isEnabled(config: TlsServerConfig): boolean {
  const keys = ['cert', 'cert_file', 'key', 'key_file', 'client_ca', 'client_ca_file', 'client_auth_type'] as const;
  return keys.some((key) => config[key] !== undefined);
}
