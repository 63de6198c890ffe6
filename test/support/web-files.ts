/** Files for `--web.config.file`, and whether they are accepted, by `promtool check web-config` too. */
import { createPrivateKey } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { TestAuthority } from './certificates.js';

export interface WebFileCase {
  readonly name: string;
  readonly text: string;
  readonly isAccepted: boolean;
  /** By the promtool of Prometheus 3, where it differs: it accepts files that cannot serve. */
  readonly isAcceptedByPromtool?: boolean;
  /** By the promtool of Prometheus 2.42, where it differs: it knows fewer keys, and its Go has other ciphers. */
  readonly isAcceptedBy242?: boolean;
}

const tls = (lines: string): string => `tls_server_config:\n  cert_file: tls.crt\n  key_file: tls.key\n  ${lines}`;

/** Of the password `secret`, with the lowest cost. */
const secretHash = '$2y$04$eImiTXuWVxfM37uY4JANjO1mrRvb9GHbQBJgBhqIPcJ0yFM6sM3sa';

function accepted(name: string, text: string, isAcceptedBy242 = true): WebFileCase {
  return { name, text, isAccepted: true, isAcceptedBy242 };
}

function refused(name: string, text: string, isAcceptedBy242 = false): WebFileCase {
  return { name, text, isAccepted: false, isAcceptedBy242 };
}

/** Without types, what is in quotation marks is as what is not. */
function onlyHere(name: string, text: string): WebFileCase {
  return { name, text, isAccepted: true, isAcceptedByPromtool: false, isAcceptedBy242: false };
}

/** What promtool accepts and the exporter does not, as the documentation says. */
function onlyByPromtool(name: string, text: string, isAcceptedBy242 = true): WebFileCase {
  return { name, text, isAccepted: false, isAcceptedByPromtool: true, isAcceptedBy242 };
}

const pair = (cert: string, key: string): string => `tls_server_config: {cert_file: ${cert}, key_file: ${key}}`;

const only3 = false;

export const webFileCases: readonly WebFileCase[] = [
  accepted('an empty file', ''),
  accepted('an empty mapping', '{}'),
  accepted('null', 'null'),
  accepted('only comments', '# nothing\n'),
  ...['tls_server_config', 'http_server_config', 'basic_auth_users'].map((section) =>
    onlyHere(`an empty text as ${section}`, `${section}: ''`),
  ),
  onlyByPromtool('a second document', '{}\n---\n{}\n'),
  onlyByPromtool('a tag', 'basic_auth_users: !foo {}'),
  refused('a list', '- a'),
  refused('a text', 'junk'),
  refused('broken YAML', 'tls_server_config: ['),
  refused('an unknown key', 'tls: {}'),
  refused('an unknown key of TLS', tls('cert_filse: x')),
  refused('an unknown key of HTTP', 'http_server_config: {http3: true}'),
  refused('a duplicate key', 'http_server_config: {}\nhttp_server_config: {}'),
  accepted('sections without values', 'tls_server_config:\nhttp_server_config:\nbasic_auth_users:\n'),
  refused('a section that is a text', 'tls_server_config: yes'),
  accepted('an alias', `basic_auth_users: {alice: &hash ${secretHash}, bob: *hash}`),
  accepted('a merged mapping', `basic_auth_users: {<<: {alice: ${secretHash}}, bob: ${secretHash}}`),

  accepted('a certificate and its key', tls('')),
  refused('a certificate without a key', 'tls_server_config: {cert_file: tls.crt}'),
  refused('a key without a certificate', 'tls_server_config: {key_file: tls.key}'),
  refused('a certificate that does not exist', 'tls_server_config: {cert_file: none.crt, key_file: tls.key}'),
  refused('a key that does not exist', 'tls_server_config: {cert_file: tls.crt, key_file: none.key}'),
  refused("another certificate's key", 'tls_server_config: {cert_file: tls.crt, key_file: other.key}'),
  refused('a certificate that is none', 'tls_server_config: {cert_file: junk.pem, key_file: tls.key}'),
  refused('a key that is none', 'tls_server_config: {cert_file: tls.crt, key_file: junk.pem}'),
  refused('an empty certificate', pair('empty.pem', 'tls.key')),
  refused('an empty key', pair('tls.crt', 'empty.pem')),
  refused('an empty certificate and key', pair('empty.pem', 'empty.pem')),
  refused('a certificate and a key exchanged', pair('tls.key', 'tls.crt')),
  refused('an encrypted key', pair('tls.crt', 'encrypted.key')),
  refused('a byte order mark before the certificate', pair('bom.crt', 'tls.key')),
  refused('a byte order mark before the key', pair('tls.crt', 'bom.key')),
  refused('an indented certificate', pair('indented.crt', 'tls.key')),
  refused('a chain in the wrong order', pair('wrong-chain.crt', 'tls.key')),
  accepted('a chain', pair('chain.crt', 'tls.key')),
  accepted('a certificate and a key in one file', pair('both.pem', 'both.pem')),
  accepted('other text around a certificate', pair('noisy.crt', 'tls.key')),
  accepted('lines that end as on Windows', pair('crlf.crt', 'crlf.key')),
  onlyByPromtool('a chain with junk', pair('bad-chain.crt', 'tls.key')),
  ...['secp256k1', 'ed448'].map((kind) => refused(`a pair of the kind ${kind}`, pair(`${kind}.crt`, `${kind}.key`))),
  ...['secp224r1', 'rsa512'].map((kind) =>
    onlyByPromtool(`a pair of the kind ${kind}`, pair(`${kind}.crt`, `${kind}.key`)),
  ),
  ...['secp384r1', 'ed25519', 'rsa2048'].map((kind) =>
    accepted(`a pair of the kind ${kind}`, pair(`${kind}.crt`, `${kind}.key`)),
  ),
  accepted('an absolute path', 'tls_server_config: {cert_file: FOLDER/tls.crt, key_file: FOLDER/tls.key}'),
  onlyByPromtool(
    'a certificate and a key in the file',
    'tls_server_config:\n  cert: |\nINLINE(tls.crt)\n  key: |\nINLINE(tls.key)\n',
    only3,
  ),
  refused('only a client CA', 'tls_server_config: {client_ca_file: ca.crt}'),
  refused('only a type of client authentication', 'tls_server_config: {client_auth_type: NoClientCert}'),
  accepted('what does not switch TLS on', 'tls_server_config: {min_version: TLS13}'),
  accepted('empty names of files', "tls_server_config: {cert_file: '', key_file: ''}"),

  accepted('no client authentication', tls('client_auth_type: NoClientCert')),
  accepted(
    'RequireAndVerifyClientCert with a CA',
    tls('client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt'),
  ),
  onlyByPromtool('RequireAndVerifyClientCert without a CA', tls('client_auth_type: RequireAndVerifyClientCert')),
  ...['RequestClientCert', 'RequireAnyClientCert', 'RequireClientCert', 'VerifyClientCertIfGiven'].map((type) =>
    onlyByPromtool(`client_auth_type ${type}`, tls(`client_auth_type: ${type}`)),
  ),
  accepted('an empty client_auth_type', tls("client_auth_type: ''")),
  refused('an unknown client_auth_type', tls('client_auth_type: requireAndVerifyClientCert')),
  refused('a CA without client authentication', tls('client_ca_file: ca.crt')),
  refused('a CA with NoClientCert', tls('client_auth_type: NoClientCert\n  client_ca_file: ca.crt')),
  refused('a CA that does not exist', tls('client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: none.crt')),
  ...['empty.pem', 'junk.pem', 'tls.key', 'bad-chain.crt'].map((file) =>
    onlyByPromtool(`a CA of ${file}`, tls(`client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ${file}`)),
  ),
  onlyByPromtool('allowed names', tls('client_allowed_sans: []'), only3),

  ...['TLS12', 'TLS13'].map((version) => accepted(`the least version ${version}`, tls(`min_version: ${version}`))),
  ...['TLS10', 'TLS11'].map((version) =>
    onlyByPromtool(`the least version ${version}`, tls(`min_version: ${version}`)),
  ),
  onlyByPromtool('a largest version', tls('max_version: TLS13')),
  ...["''", '""', "'~'"].map((value) => onlyHere(`a version ${value}`, tls(`min_version: ${value}`))),
  ...['', '~', 'null'].map((value) => accepted(`a version ${value}`, tls(`min_version: ${value}`))),
  refused('an unknown version', tls('min_version: TLS14')),
  refused('a version in another case', tls('min_version: tls13')),
  onlyByPromtool('cipher suites', tls('cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]')),
  onlyByPromtool('no cipher suites', tls('cipher_suites: []')),
  onlyByPromtool('curves', tls('curve_preferences: [CurveP256, CurveP384, CurveP521, X25519]')),
  onlyByPromtool('an order of the client', tls('prefer_server_cipher_suites: false')),

  ...['true', 'false', '~', ''].map((word) => accepted(`http2: ${word}`, `http_server_config: {http2: ${word}}`)),
  ...['yes', 'No', 'ON', 'off', 'y', 'N', 'TRUE'].map((word) =>
    onlyByPromtool(`http2: ${word}`, `http_server_config: {http2: ${word}}`),
  ),
  ...["''", "'true'"].map((word) => onlyHere(`http2: ${word}`, `http_server_config: {http2: ${word}}`)),
  ...['1', 'maybe', 'tRUE', '"no"'].map((word) => refused(`http2: ${word}`, `http_server_config: {http2: ${word}}`)),
  accepted(
    'all headers',
    'http_server_config:\n  headers:\n    Content-Security-Policy: x\n    X-Frame-Options: deny\n    X-Content-Type-Options: nosniff\n    X-XSS-Protection: 1\n    Strict-Transport-Security: max-age=31536000\n',
  ),
  accepted('an empty policy', 'http_server_config: {headers: {Content-Security-Policy: ""}}'),
  accepted('frames of the same origin', 'http_server_config: {headers: {X-Frame-Options: sameorigin}}'),
  refused('other frames', 'http_server_config: {headers: {X-Frame-Options: DENY}}'),
  refused('a header of frames without a value', 'http_server_config: {headers: {X-Frame-Options: }}'),
  refused('another type policy', 'http_server_config: {headers: {X-Content-Type-Options: sniff}}'),
  refused('another header', 'http_server_config: {headers: {Server: x}}'),
  refused('a header in lower case', 'http_server_config: {headers: {x-frame-options: deny}}'),

  accepted('a user', `basic_auth_users: {alice: ${secretHash}}`),
  accepted('users named no and 123', `basic_auth_users: {no: ${secretHash}, 123: ${secretHash}}`),
  ...['$2a$', '$2b$', '$2$', '$1$', '$2z$'].map((version) =>
    accepted(`a hash of version ${version}`, `basic_auth_users: {alice: ${secretHash.replace('$2y$', version)}}`),
  ),
  accepted('a long hash', `basic_auth_users: {alice: ${secretHash}x}`),
  refused('a password', 'basic_auth_users: {alice: secret}'),
  refused('a user without a hash', 'basic_auth_users: {alice: }'),
  refused('a short hash', `basic_auth_users: {alice: ${secretHash.slice(0, 58)}}`),
  refused('a hash of another algorithm', `basic_auth_users: {alice: ${secretHash.replace('$2y$', '$6$')}}`),
  refused('a hash with too low a cost', `basic_auth_users: {alice: ${secretHash.replace('$04$', '$03$')}}`),
  refused('a hash with too high a cost', `basic_auth_users: {alice: ${secretHash.replace('$04$', '$32$')}}`),
  accepted('a hash with a high cost', `basic_auth_users: {alice: ${secretHash.replace('$04$', '$31$')}}`),
  refused('a list of users', `basic_auth_users: [${secretHash}]`),
  refused('a user twice', `basic_auth_users: {alice: ${secretHash}, alice: ${secretHash}}`),

  onlyByPromtool('a rate limit', 'rate_limit: {interval: 1s, burst: 20}', only3),
];

/** Self-signed, valid for 100 years: of kinds that the Web Crypto API does not generate, and of usual ones. */
const pairs = path.resolve(import.meta.dirname, '../cases/pairs');

const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;

/** Writes a file beside its certificates. `folder` exists. */
export class WebFileFolder {
  readonly #folder: string;
  readonly #pems: ReadonlyMap<string, string>;

  private constructor(folder: string, pems: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#pems = pems;
  }

  static async create(folder: string): Promise<WebFileFolder> {
    const authority = await TestAuthority.create();
    const [server, other] = await Promise.all([authority.issueServer(), authority.issueServer()]);
    const pems = new Map([
      ['tls.crt', server.cert],
      ['tls.key', server.key],
      ['other.key', other.key],
      ['ca.crt', authority.certificate],
      ['junk.pem', 'junk\n'],
      ['empty.pem', ''],
      ['bom.crt', `\uFEFF${server.cert}`],
      ['bom.key', `\uFEFF${server.key}`],
      ['indented.crt', server.cert.replaceAll(/^/gm, '  ')],
      ['crlf.crt', server.cert.replaceAll('\n', '\r\n')],
      ['crlf.key', server.key.replaceAll('\n', '\r\n')],
      ['noisy.crt', `subject: test\n${server.cert}\nend\n`],
      ['both.pem', `${server.key}\n${server.cert}\n`],
      ['chain.crt', `${server.cert}\n${authority.certificate}\n`],
      ['wrong-chain.crt', `${authority.certificate}\n${server.cert}\n`],
      ['bad-chain.crt', `${server.cert}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`],
      [
        'encrypted.key',
        createPrivateKey(server.key)
          .export({ ...pkcs8, cipher: 'aes128', passphrase: 'x' })
          .toString(),
      ],
    ]);
    for (const name of await readdir(pairs)) pems.set(name, await readFile(path.join(pairs, name), 'utf8'));
    await mkdir(folder, { recursive: true });
    for (const [name, text] of pems) await writeFile(path.join(folder, name), text);
    return new WebFileFolder(folder, pems);
  }

  /** Its path. `FOLDER` in the text is the folder, `INLINE(name)` the indented content of a file. */
  async write(text: string): Promise<string> {
    const file = path.join(this.#folder, 'web.yml');
    const filled = text
      .replaceAll('FOLDER', this.#folder)
      .replaceAll(/INLINE\((.*)\)/g, (_match, name: string) =>
        (this.#pems.get(name) ?? '').trim().replaceAll(/^/gm, '    '),
      );
    await writeFile(file, filled);
    return file;
  }
}
