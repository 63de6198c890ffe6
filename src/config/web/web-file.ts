import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createSecureContext } from 'node:tls';

import type * as z from 'zod/mini';

import { messageOf } from '../../lib/base/errors.js';
import { ConfigError, describeValue, pathText, type SettingFault, valueAt } from '../faults.js';
import { readConfigFile, yamlFaults } from '../file-layer.js';
import { readYaml, type YamlText } from '../yaml-text.js';
import type { WebConfig, WebTls } from './web-config.js';
import { clientAuthTypes, type TlsServerConfig, tlsVersions, webFileSchema } from './web-file-schema.js';

/** Begins the line in which {@link readWebFile} adds the named files, to YAML a comment. */
const filesMark = '\n# ';

/** The content of the file and of the files that it names, as one text that {@link loadWebFile} takes. Throws UserError. */
export async function readWebFile(file: string): Promise<string> {
  const text = await readConfigFile(file);
  const tls = webFileSchema.safeParse(readWebYaml(text).value).data?.tls_server_config ?? {};
  const names = [tls.cert_file, tls.key_file, tls.client_ca_file].filter((name) => name !== undefined);
  const folder = path.dirname(file);
  const files = await Promise.all(
    names.map(async (name) => [name, await contentOf(path.resolve(folder, name))] as const),
  );
  return `${text}${filesMark}${JSON.stringify(Object.fromEntries(files) satisfies TlsSources['files'])}`;
}

async function contentOf(file: string): Promise<FileContent> {
  try {
    return { text: await readFile(file, 'utf8') };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/**
 * Throws ConfigError with all faults for what `promtool check web-config` refuses, and for what cannot serve. No message
 * has a part of a key or a hash. `file`: as messages name it.
 */
export function loadWebFile(file: string, content: string): WebConfig {
  const end = content.lastIndexOf(filesMark);
  const files = JSON.parse(content.slice(end + filesMark.length)) as TlsSources['files'];
  const yaml = readWebYaml(content.slice(0, end));
  const sourceOf = (path: readonly PropertyKey[]): string => `${file}:${yaml.positionOf(path).line}`;
  const parsed = webFileSchema.safeParse(yaml.value);
  const faults = [
    ...yamlFaults(file, yaml),
    ...(parsed.error?.issues ?? []).flatMap((issue) => faultsOf(issue, yaml.value, sourceOf)),
  ];
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  const { tls_server_config: tls, http_server_config: http, basic_auth_users: users } = parsed.data ?? {};
  return {
    tls: tls && loadTls(tls, { files, sourceOf: (key) => sourceOf(['tls_server_config', key]) }),
    headers: new Map(
      Object.entries(http?.headers ?? {}).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, headerValue(value)]],
      ),
    ),
    users: new Map(Object.entries(users ?? {})),
  };
}

/** Without types: a user may be named `no`. */
function readWebYaml(text: string): YamlText {
  return readYaml(text, { schema: 'failsafe', merge: true });
}

function faultsOf(
  issue: z.core.$ZodIssue,
  value: unknown,
  sourceOf: (path: readonly PropertyKey[]) => string,
): SettingFault[] {
  const hint = `allowed: ${issue.message}`;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return { path: pathText(path), problem: 'unknown key', source: sourceOf(path), hint };
    });
  }
  const isSecret = issue.path.length === 0 || issue.path[0] === 'basic_auth_users';
  const problem = isSecret ? 'found something else' : `found ${describeValue(valueAt(value, issue.path))}`;
  return [{ path: pathText(issue.path), problem, source: sourceOf(issue.path), hint }];
}

/** As Go sends it: in UTF-8, on one line. */
function headerValue(text: string): string {
  return Buffer.from(text.replaceAll(/\p{Cc}/gu, ' ').trim()).toString('latin1');
}

type FileContent = { readonly text: string } | { readonly error: string };

interface TlsSources {
  /** By their names in the configuration. */
  readonly files: Readonly<Record<string, FileContent>>;
  /** The place of a key. */
  readonly sourceOf: (key: keyof TlsServerConfig) => string;
}

/** What is wrong, and with which. No text has a part of a key, as messages of OpenSSL have none. */
type TlsFault = readonly [key: keyof TlsServerConfig, problem: string, allowed: string];

/** Undefined when nothing asks for TLS. Throws ConfigError with all faults. */
function loadTls(config: TlsServerConfig, { files, sourceOf }: TlsSources): WebTls | undefined {
  const { min_version: minVersion = '', ...switches } = config;
  if (Object.values(switches).every((value) => value === undefined)) return undefined;
  const faults = misuses(config);
  const textOf = (key: 'cert_file' | 'key_file' | 'client_ca_file'): string | undefined => {
    const name = config[key];
    const content = name === undefined ? undefined : files[name];
    if (content === undefined || 'text' in content) return content?.text;
    faults.push([key, `found ${describeValue(name)}`, `a file that can be read (${content.error})`]);
    return undefined;
  };
  const accepted = <T extends Partial<WebTls>>(loaded: T | TlsFault): T | undefined => {
    if (!isFault(loaded)) return loaded;
    const [key, problem, allowed] = loaded;
    faults.push([key, `${describeValue(config[key])} ${problem}`, allowed]);
    return undefined;
  };
  const [cert, key, ca] = [textOf('cert_file'), textOf('key_file'), textOf('client_ca_file')];
  const pair = cert === undefined || key === undefined ? undefined : accepted(keyPairOf(cert, key));
  const authorities = ca === undefined ? undefined : accepted(authoritiesOf(ca));
  if (pair === undefined || faults.length > 0) throw new ConfigError(faults.map((found) => faultOf(found, sourceOf)));
  return { ...pair, clientCa: authorities?.clientCa, minVersion: tlsVersions.get(minVersion) ?? 'TLSv1.2' };
}

function isFault(loaded: Partial<WebTls> | TlsFault): loaded is TlsFault {
  return Array.isArray(loaded);
}

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

const certAllowed = "certificates as PEM, the server's first";
const keyAllowed = 'a private key as PEM, without a password';

/**
 * A certificate with its chain and its key. OpenSSL alone accepts pairs with which every handshake fails: none at all, a
 * certificate that is not the key's, and keys that TLS clients do not know.
 */
function keyPairOf(certText: string, keyText: string): Pick<WebTls, 'cert' | 'key'> | TlsFault {
  const certs = certificatesOf(certText);
  const [first] = certs;
  const [key] = blocksOf(keyText, (label) => label === 'PRIVATE KEY' || label.endsWith(' PRIVATE KEY')); // https://pkg.go.dev/crypto/tls#X509KeyPair
  if (first === undefined) return ['cert_file', 'has no certificate', certAllowed];
  if (key === undefined) return ['key_file', 'has no private key', keyAllowed];
  const leaf = attempt(() => new X509Certificate(first));
  if (typeof leaf === 'string') return ['cert_file', `cannot be read: ${leaf}`, certAllowed];
  const privateKey = attempt(() => createPrivateKey(key));
  if (typeof privateKey === 'string') return ['key_file', `cannot be read: ${privateKey}`, keyAllowed];
  if (!leaf.checkPrivateKey(privateKey)) {
    return ['cert_file', 'begins with a certificate that is not of the key', `${certAllowed}, and its key`];
  }
  const kind = kindOf(privateKey);
  if (!kinds.has(kind)) return ['key_file', `is of the kind ${kind}`, `the kinds ${[...kinds].join(', ')}`];
  const pair = { cert: certs.join(''), key };
  const context = attempt(() => createSecureContext(pair));
  return typeof context === 'string' ? ['cert_file', `cannot be used: ${context}`, certAllowed] : pair;
}

/** The authorities of clients, as PEM. OpenSSL silently ignores those that it cannot read. */
function authoritiesOf(text: string): Pick<WebTls, 'clientCa'> | TlsFault {
  const allowed = 'certificates of authorities as PEM';
  const certs = certificatesOf(text);
  if (certs.length === 0) return ['client_ca_file', 'has no certificate', allowed];
  const read = attempt(() => certs.map((cert) => new X509Certificate(cert)));
  if (typeof read === 'string') return ['client_ca_file', `cannot be read: ${read}`, allowed];
  return { clientCa: certs.join('') };
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

function blocksOf(text: string, isWanted: (label: string) => boolean): readonly string[] {
  return [...text.matchAll(block)].flatMap(([pem, label = '']) => (isWanted(label) ? [`${pem}\n`] : []));
}
