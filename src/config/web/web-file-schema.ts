import type { SecureVersion } from 'node:tls';

import * as z from 'zod/mini';

import {
  isBcryptHash,
  isScalarText,
  parseBoolean,
  parseGoDuration,
  parseGoInteger,
  PlainText,
  type ScalarText,
  textOf,
} from './go-values.js';
import type { WebTls } from './web-config.js';

/**
 * The file of `--web.config.file`, in the format of Prometheus' exporter-toolkit.
 * https://github.com/prometheus/exporter-toolkit/blob/v0.19.0/docs/web-configuration.md
 *
 * Its values are texts, as its YAML is read without types: what a plain `no` means depends on the field, as in Go. The
 * message of an issue is the end of "allowed: …".
 */

/** The names of Go's TLS library in the words of OpenSSL. https://pkg.go.dev/crypto/tls#pkg-constants */
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

/** https://pkg.go.dev/crypto/tls#ClientAuthType */
export const clientAuthTypes: ReadonlyMap<string, WebTls['clientAuth']> = new Map([
  ['NoClientCert', 'none'],
  ['RequestClientCert', 'request'],
  ['RequireAnyClientCert', 'require-any'],
  ['RequireClientCert', 'require-any'],
  ['VerifyClientCertIfGiven', 'verify-if-given'],
  ['RequireAndVerifyClientCert', 'require-and-verify'],
]);

const nullTexts: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL']);

/** What `prepare` makes of a value is checked by the schema. */
function prepared<T extends z.ZodMiniType>(prepare: (raw: unknown) => unknown, schema: T) {
  return z.pipe(z.transform(prepare), schema);
}

/** A key without a value counts as absent. */
function optional<T extends z.ZodMiniType>(schema: T) {
  return prepared(
    (raw) => (raw === null || (raw instanceof PlainText && nullTexts.has(raw.text)) ? undefined : raw),
    z.optional(schema),
  );
}

/** An empty text counts as absent, too. */
function optionalText<T extends z.ZodMiniType>(schema: T) {
  return prepared((raw) => (raw === '' ? null : raw), optional(schema));
}

/** A value that stands for something; `parse` returns undefined for any other. */
function parsed<T>(allowed: string, parse: (raw: ScalarText) => T | undefined) {
  const meaning = z.transform((raw: ScalarText, context) => {
    const value = parse(raw);
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', input: raw, message: allowed });
    return z.NEVER;
  });
  return z.pipe(z.custom<ScalarText>(isScalarText, allowed), meaning);
}

/** As {@link parsed}, of a value without quotation marks. */
function parsedPlain<T>(allowed: string, parse: (text: string) => T | undefined) {
  return parsed(`${allowed}, without quotation marks`, (raw) =>
    raw instanceof PlainText ? parse(raw.text) : undefined,
  );
}

const text = parsed('a text', textOf);

function named(names: readonly string[]) {
  return parsed(names.join(', '), (raw) => names.find((name) => name === textOf(raw)));
}

const boolean = parsedPlain('true or false', parseBoolean);

const integer = parsedPlain('a whole number', parseGoInteger);

/** A number without a unit is nanoseconds. */
const duration = parsed('a duration such as 100ms, 1s or 1m30s', (raw) => {
  const integerNs = raw instanceof PlainText ? parseGoInteger(raw.text) : undefined;
  return integerNs === undefined ? parseGoDuration(textOf(raw)) : integerNs / 1e6;
});

function mapping<F extends Readonly<Record<string, z.ZodMiniType>>>(fields: F) {
  const schema = z.strictObject(fields, `a mapping with any of ${Object.keys(fields).join(', ')}`);
  return prepared((raw) => (isScalarText(raw) ? textOf(raw) : raw), schema);
}

const tlsServerConfig = mapping({
  cert: optionalText(text),
  key: optionalText(text),
  client_ca: optionalText(text),
  cert_file: optionalText(text),
  key_file: optionalText(text),
  client_auth_type: optionalText(named([...clientAuthTypes.keys()])),
  client_ca_file: optionalText(text),
  client_allowed_sans: optional(z.array(text, 'a list of texts')),
  min_version: optional(named([...tlsVersions.keys()])),
  max_version: optional(named([...tlsVersions.keys()])),
  cipher_suites: optional(z.array(named([...cipherSuites.keys()]), 'a list of names')),
  prefer_server_cipher_suites: optional(boolean),
  curve_preferences: optional(z.array(named([...curves.keys()]), 'a list of names')),
});

const httpServerConfig = mapping({
  http2: optional(boolean),
  headers: optional(
    mapping({
      'Content-Security-Policy': optionalText(text),
      'X-Frame-Options': z.optional(named(['deny', 'sameorigin'])),
      'X-Content-Type-Options': z.optional(named(['nosniff'])),
      'X-XSS-Protection': optionalText(text),
      'Strict-Transport-Security': optionalText(text),
    }),
  ),
});

const hash = parsed('a bcrypt hash, as `htpasswd -nBC 10 ""` prints it', (raw) =>
  isBcryptHash(textOf(raw)) ? textOf(raw) : undefined,
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
