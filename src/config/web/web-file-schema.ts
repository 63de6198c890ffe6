import type { SecureVersion } from 'node:tls';

import * as z from 'zod/mini';

/**
 * The file of `--web.config.file`, in the format of Prometheus' exporter-toolkit; of its keys those that are in use.
 * https://github.com/prometheus/exporter-toolkit/blob/v0.19.0/docs/web-configuration.md
 *
 * Its values are texts, as its YAML is read without types: a user may be named `no`. The message of an issue is the end of
 * "allowed: …".
 */

/** The names of Go's TLS library in the words of OpenSSL. https://pkg.go.dev/crypto/tls#pkg-constants */
export const tlsVersions: ReadonlyMap<string, SecureVersion> = new Map([
  ['TLS13', 'TLSv1.3'],
  ['TLS12', 'TLSv1.2'],
]);

/** https://pkg.go.dev/crypto/tls#ClientAuthType */
export const clientAuthTypes = ['NoClientCert', 'RequireAndVerifyClientCert'] as const;

const nullTexts: ReadonlySet<unknown> = new Set([null, '', '~', 'null']);

/** A key without a value counts as absent. */
function optional<T extends z.ZodMiniType>(schema: T) {
  return z.pipe(
    z.transform((raw: unknown) => (nullTexts.has(raw) ? undefined : raw)),
    z.optional(schema),
  );
}

const text = z.string('a text');

/** A text that stands for something; `parse` returns undefined for any other. */
function parsed<T>(allowed: string, parse: (text: string) => T | undefined) {
  const meaning = z.transform((raw: string, context) => {
    const value = parse(raw);
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', input: raw, message: allowed });
    return z.NEVER;
  });
  return z.pipe(z.string(allowed), meaning);
}

function named(names: readonly string[]) {
  return parsed(names.join(', '), (raw) => names.find((name) => name === raw));
}

const boolean = parsed('true or false', (raw) => (raw === 'true' ? true : raw === 'false' ? false : undefined));

function mapping<F extends Readonly<Record<string, z.ZodMiniType>>>(fields: F) {
  return z.strictObject(fields, `a mapping with any of ${Object.keys(fields).join(', ')}`);
}

const tlsServerConfig = mapping({
  cert_file: optional(text),
  key_file: optional(text),
  client_auth_type: optional(named(clientAuthTypes)),
  client_ca_file: optional(text),
  min_version: optional(named([...tlsVersions.keys()])),
});

const httpServerConfig = mapping({
  http2: optional(boolean),
  headers: optional(
    mapping({
      'Content-Security-Policy': optional(text),
      'X-Frame-Options': z.optional(named(['deny', 'sameorigin'])),
      'X-Content-Type-Options': z.optional(named(['nosniff'])),
      'X-XSS-Protection': optional(text),
      'Strict-Transport-Security': optional(text),
    }),
  ),
});

/**
 * Whether Go takes a text for a hash of bcrypt: `$2y$10$` and 53 characters.
 * https://pkg.go.dev/golang.org/x/crypto/bcrypt#Cost
 */
function isBcryptHash(text: string): boolean {
  const [, cost] = /^\$[ -2][^$]?\$(\d\d)/.exec(text) ?? [];
  return Buffer.byteLength(text) >= 59 && Number(cost) >= 4 && Number(cost) <= 31;
}

const hash = parsed('a bcrypt hash, as `htpasswd -nBC 10 ""` prints it', (raw) =>
  isBcryptHash(raw) ? raw : undefined,
);

export const webFileSchema = optional(
  mapping({
    tls_server_config: optional(tlsServerConfig),
    http_server_config: optional(httpServerConfig),
    basic_auth_users: optional(z.record(z.string(), hash, 'a mapping of names to hashes')),
  }),
);

export type TlsServerConfig = z.output<typeof tlsServerConfig>;
