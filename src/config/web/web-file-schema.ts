/**
 * The file of `--web.config.file`, in the format of Prometheus' exporter-toolkit.
 * https://github.com/prometheus/exporter-toolkit/blob/v0.19.0/docs/web-configuration.md
 *
 * Its values are texts, as its YAML is read without types: what a plain `no` means depends on the field, as in Go. The
 * message of an issue is the end of "allowed: …".
 */
import { z } from 'zod';

import { isBcryptHash, parseBoolean, parseGoDuration } from './go-values.js';
import { cipherSuites, clientAuthTypes, curves, tlsVersions } from './tls-names.js';

/** A key without a value counts as absent. */
function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess(
    (raw) => (raw === null || ['', '~', 'null', 'Null', 'NULL'].includes(raw as string) ? undefined : raw),
    schema.optional(),
  );
}

const text = z.string('a text');

/** A text that stands for something; `parse` returns undefined for any other. */
function parsed<T>(allowed: string, parse: (raw: string) => T | undefined) {
  return z.string(allowed).transform((raw, context) => {
    const value = parse(raw);
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', input: raw, message: allowed });
    return z.NEVER;
  });
}

/** The name of one of `values`. */
function named<T>(values: ReadonlyMap<string, T>) {
  const names = [...values.keys()].join(', ');
  return z.string(names).refine((name) => values.has(name), names);
}

/** Go refuses one in quotation marks. */
const boolean = parsed('true or false', parseBoolean);

const integer = parsed('a whole number', (raw) => (/^[-+]?\d{1,9}$/.test(raw) ? Number(raw) : undefined));

const duration = parsed('a duration such as 100ms, 1s or 1m30s', parseGoDuration);

function mapping<F extends Readonly<Record<string, z.ZodType>>>(fields: F) {
  return z.strictObject(fields, `a mapping with any of ${Object.keys(fields).join(', ')}`);
}

const tlsServerConfig = mapping({
  cert: optional(text),
  key: optional(text),
  client_ca: optional(text),
  cert_file: optional(text),
  key_file: optional(text),
  client_auth_type: optional(named(clientAuthTypes)),
  client_ca_file: optional(text),
  client_allowed_sans: optional(z.array(text, 'a list of texts')),
  min_version: optional(named(tlsVersions)),
  max_version: optional(named(tlsVersions)),
  cipher_suites: optional(z.array(named(cipherSuites), 'a list of names')),
  prefer_server_cipher_suites: optional(boolean),
  curve_preferences: optional(z.array(named(curves), 'a list of names')),
});

const httpServerConfig = mapping({
  http2: optional(boolean),
  headers: optional(
    mapping({
      'Content-Security-Policy': optional(text),
      'X-Frame-Options': z.enum(['deny', 'sameorigin'], 'deny or sameorigin').optional(),
      'X-Content-Type-Options': z.literal('nosniff', 'nosniff').optional(),
      'X-XSS-Protection': optional(text),
      'Strict-Transport-Security': optional(text),
    }),
  ),
});

const hash = parsed('a bcrypt hash, as `htpasswd -nBC 10 ""` prints it', (raw) =>
  isBcryptHash(raw) ? raw : undefined,
);

export const webFileSchema = optional(
  mapping({
    tls_server_config: optional(tlsServerConfig),
    http_server_config: optional(httpServerConfig),
    basic_auth_users: optional(z.record(z.string(), hash, 'a mapping of names to hashes')),
    rate_limit: optional(mapping({ interval: optional(duration), burst: optional(integer) })),
  }),
);

export type TlsServerConfig = z.output<typeof tlsServerConfig>;
