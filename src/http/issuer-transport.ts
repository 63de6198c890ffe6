import type { Clock } from '../base/clock.js';
import { RequestError } from '../base/errors.js';
import type { IssuerRequest, IssuerTransport } from '../credentials/oidc-issuer.js';
import { HttpClient } from './http-client.js';
import { readAtMost } from './response-body.js';

/** Discovery documents have a few kilobytes, and so have tokens. */
const maxBodyBytes = 256 * 1024;

const tlsHints = {
  authority: 'set idp-certificate-authority of the auth-provider to the CA that signed the certificate of the issuer',
  serverName: 'idp-issuer-url must have the host name that the certificate of the issuer carries',
};

/** Requests are rare: each has its own connection, which is closed after it. */
export function issuerTransport({
  clock,
  version,
}: {
  readonly clock: Clock;
  readonly version: string;
}): IssuerTransport {
  return async (request, signal) => {
    const { url, what, form, errorFromResponse } = request;
    using http = clientFor(request, { clock, version });
    const body = form && { ...form, contentType: 'application/x-www-form-urlencoded' };
    const response = await http.open({ url, what, body, errorFromResponse }, signal);
    const { bytes, isComplete } = await readAtMost(response, maxBodyBytes);
    if (!isComplete) {
      throw new RequestError('too_large', `${what}: the response is larger than ${maxBodyBytes / 1024} KiB`);
    }
    return parsed(bytes.toString(), what);
  };
}

function clientFor(
  { url, ca, proxyUrl, authorization }: IssuerRequest,
  { clock, version }: { readonly clock: Clock; readonly version: string },
): HttpClient {
  const material = {
    headers: authorization === undefined ? {} : { authorization },
    tls: { ca, rejectUnauthorized: true },
  };
  return new HttpClient({
    credentials: {
      material: () => Promise.resolve(material),
      invalidate: () => undefined,
      reread: () => Promise.resolve(material),
    },
    protocol: url.protocol,
    proxy: proxyUrl && { url: proxyUrl, serverHost: url.hostname },
    version,
    clock,
    tlsHints,
    maxKeptConnections: 0,
    renewalPauseMs: 0,
  });
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError('decode', `${what}: the response is not valid JSON`);
  }
}
