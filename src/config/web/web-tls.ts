import { ConfigError, describeValue, type SettingFault } from '../faults.js';
import { loadAuthorities, loadKeyPair, PemFault, type PemKey } from './key-pair.js';
import type { WebTls } from './web-config.js';
import { clientAuthTypes, type TlsServerConfig, tlsVersions } from './web-file-schema.js';

export type FileContent = { readonly text: string } | { readonly error: string };

type TlsKey = keyof TlsServerConfig;

export interface TlsSources {
  /** By their names in the configuration. */
  readonly files: Readonly<Record<string, FileContent>>;
  /** The place of a key. */
  readonly sourceOf: (key: TlsKey) => string;
}

/** Undefined when nothing asks for TLS. Throws ConfigError with all faults. */
export function loadTls(config: TlsServerConfig, { files, sourceOf }: TlsSources): WebTls | undefined {
  const { min_version: minVersion = '', ...switches } = config;
  if (Object.values(switches).every((value) => value === undefined)) return undefined;
  const faults = misuses(config);
  const fault = (key: TlsKey, problem: string, allowed: string): void => {
    faults.push([key, problem, allowed]);
  };
  const textOf = (key: PemKey): string | undefined => {
    const name = config[key];
    const content = name === undefined ? undefined : files[name];
    if (content === undefined) return undefined;
    if ('text' in content) return content.text;
    fault(key, `found ${describeValue(name)}`, `a file that can be read (${content.error})`);
    return undefined;
  };
  const checked = <T>(loaded: T | PemFault): T | undefined => {
    if (!(loaded instanceof PemFault)) return loaded;
    fault(loaded.of, `${describeValue(config[loaded.of])} ${loaded.problem}`, loaded.allowed);
    return undefined;
  };
  const [cert, key, ca] = [textOf('cert_file'), textOf('key_file'), textOf('client_ca_file')];
  const pair = cert === undefined || key === undefined ? undefined : checked(loadKeyPair(cert, key));
  const clientCa = ca === undefined ? undefined : checked(loadAuthorities(ca));
  if (pair === undefined || faults.length > 0) throw new ConfigError(faults.map((found) => faultOf(found, sourceOf)));
  return { ...pair, clientCa, minVersion: tlsVersions.get(minVersion) ?? 'TLSv1.2' };
}

type TlsFault = readonly [key: TlsKey, problem: string, allowed: string];

/** Returns what lacks the key that it needs beside it. */
function misuses({ cert_file, key_file, client_ca_file, client_auth_type }: TlsServerConfig): TlsFault[] {
  const [, verifying] = clientAuthTypes;
  const isVerifying = client_auth_type === verifying;
  const faults: readonly (readonly [isWrong: boolean, ...fault: TlsFault])[] = [
    [cert_file === undefined, 'cert_file', 'found nothing', 'a file'],
    [key_file === undefined, 'key_file', 'found nothing', 'a file'],
    [
      client_ca_file !== undefined && !isVerifying,
      'client_auth_type',
      'found none',
      `${verifying}, together with authorities of clients`,
    ],
    [
      client_ca_file === undefined && isVerifying,
      'client_ca_file',
      'found nothing',
      `a file, together with ${verifying}`,
    ],
  ];
  return faults.flatMap(([isWrong, ...fault]) => (isWrong ? [fault] : []));
}

function faultOf([key, problem, allowed]: TlsFault, sourceOf: TlsSources['sourceOf']): SettingFault {
  return { path: `tls_server_config.${key}`, problem, source: sourceOf(key), hint: `allowed: ${allowed}` };
}
