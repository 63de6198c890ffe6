import { expect, it } from 'vitest';

import { requestFailure } from '../../src/cluster/http/request-failure.js';
import { RequestError } from '../../src/lib/base/errors.js';

const systemError = (code: string, message = 'it broke'): Error => Object.assign(new Error(message), { code });

it('a RequestError is left as it is', () => {
  const error = new RequestError('too_large', 'summary of node n1: more than 10 bytes');
  expect(requestFailure(error, 'summary of node n1')).toBe(error);
});

const codes = {
  tls: 'ERR_TLS_CERT_ALTNAME_INVALID CERT_HAS_EXPIRED CERT_NOT_YET_VALID UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY SELF_SIGNED_CERT_IN_CHAIN DEPTH_ZERO_SELF_SIGNED_CERT INVALID_CA HOSTNAME_MISMATCH ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED ERR_OSSL_PEM_NO_START_LINE EPROTO',
  connection: 'ECONNREFUSED ECONNRESET EPIPE ENOTFOUND EHOSTUNREACH ERR_STREAM_PREMATURE_CLOSE HPE_INVALID_CONSTANT',
  timeout: 'ETIMEDOUT',
  open_files: 'EMFILE ENFILE',
  decode: 'Z_DATA_ERROR Z_BUF_ERROR',
};
it.each(Object.entries(codes).flatMap(([reason, names]) => names.split(' ').map((code) => [code, reason] as const)))(
  'the code %s has the reason %s',
  (code, reason) => {
    expect(requestFailure(systemError(code), 'list of pods').reason).toBe(reason);
  },
);

it('a failure has the fix when no connection can be opened', () => {
  const { message } = requestFailure(systemError('EMFILE', 'connect EMFILE 10.0.0.1:10250'), 'summary of node n1');
  expect(message).toBe(
    'summary of node n1: no connection could be opened: connect EMFILE 10.0.0.1:10250; ' +
      'the limit of open files is too low: raise it with ulimit -n, or LimitNOFILE of systemd or containerd',
  );
});

it('a failure names the request, the cause, its code and the hint', () => {
  const cause = systemError('ERR_TLS_CERT_ALTNAME_INVALID', 'IP: 10.0.0.1 is not\nin the list');
  const failure = requestFailure(cause, 'summary of node n1');
  expect(failure.message).toBe(
    'summary of node n1: TLS verification failed: IP: 10.0.0.1 is not in the list (ERR_TLS_CERT_ALTNAME_INVALID); ' +
      'set the server name that the certificate carries',
  );
  expect(failure.cause).toBe(cause);
  expect(requestFailure(systemError('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'x').message).toContain('set the CA');
});

it('a failure lists the errors of all addresses of a name', () => {
  const error = Object.assign(new AggregateError([new Error('connect A'), new Error('connect B')]), {
    code: 'ECONNREFUSED',
  });
  const failure = requestFailure(error, 'list of pods');
  expect(failure.reason).toBe('connection');
  expect(failure.message).toBe('list of pods: connection failed: connect A; connect B');
});

it('a failure can be anything thrown', () => {
  expect(requestFailure('gone', 'list of pods').message).toBe('list of pods: connection failed: gone');
});
