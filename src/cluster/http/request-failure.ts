import { codeOf, messageOf, RequestError } from '../../lib/base/errors.js';
import { openFileHint } from '../../lib/base/open-files.js';

/** What an operator can do about a certificate that fails verification. */
export interface TlsHints {
  readonly authority: string;
  readonly serverName: string;
}

const generalHints: TlsHints = {
  authority: 'set the CA that signed the certificate',
  serverName: 'set the server name that the certificate carries',
};

/**
 * The RequestError for whatever stopped a request before its response was complete; a RequestError stays as it is.
 * `what` names the request, such as `list of pods` or `summary of node n1`.
 */
export function requestFailure(error: unknown, what: string, hints = generalHints): RequestError {
  if (error instanceof RequestError) return error;
  const code = codeOf(error);
  const text = describe(error);
  if (isTlsFailure(error)) {
    return new RequestError('tls', `${what}: TLS verification failed: ${text}${hintFor(code, hints)}`, {
      cause: error,
    });
  }
  if (code.startsWith('Z_')) {
    return new RequestError('decode', `${what}: corrupt compressed body: ${text}`, { cause: error });
  }
  if (code === 'EMFILE' || code === 'ENFILE') {
    const problem = `no connection could be opened: ${text}; the limit of open files is too low: ${openFileHint}`;
    return new RequestError('open_files', `${what}: ${problem}`, { cause: error });
  }
  const reason = code === 'ETIMEDOUT' ? 'timeout' : 'connection';
  return new RequestError(reason, `${what}: connection failed: ${text}`, { cause: error });
}

/** Whether the certificate of one of the two sides was not accepted. */
export function isTlsFailure(error: unknown): boolean {
  return tlsCode.test(codeOf(error));
}

/**
 * Codes of Node's certificate verification and of OpenSSL's handshake.
 * https://nodejs.org/docs/latest-v20.x/api/tls.html#x509-certificate-error-codes
 */
const tlsCode =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERROR_IN_|(?:INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|EPROTO)$)/;

function hintFor(code: string, { authority, serverName }: TlsHints): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `; ${serverName}`;
  if (/^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code)) return `; ${authority}`;
  return '';
}

/** An AggregateError (one attempt per address of a name) has no message of its own. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  const text = messageOf(error);
  const code = codeOf(error);
  return code === '' || text.includes(code) ? text : `${text} (${code})`;
}
