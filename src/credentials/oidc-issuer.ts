import { RequestError } from '../base/errors.js';
import { oneLine } from '../base/text.js';
import { objectOf, textOf } from '../kube/json.js';
import { urlOf } from './url.js';

export interface IssuerRequest {
  readonly url: URL;
  /** Begins error messages. */
  readonly what: string;
  /** PEM; the system's authorities without it. */
  readonly ca: string | undefined;
  readonly proxyUrl: URL | undefined;
  readonly authorization?: string | undefined;
  /** Makes it a POST. No message repeats the secrets. */
  readonly form?: { readonly text: string; readonly secrets: readonly string[] } | undefined;
  readonly errorFromResponse: (response: { readonly status: number; readonly text: string }) => RequestError;
}

/** Resolves with the parsed JSON of a response with status 200. Verifies TLS, limits the body, follows no redirects. */
export type IssuerTransport = (request: IssuerRequest, signal: AbortSignal) => Promise<unknown>;

export interface OidcClient {
  /** Of `https:`. */
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** PEM. */
  readonly ca: string | undefined;
  readonly proxyFor: (url: URL) => URL | undefined;
  readonly send: IssuerTransport;
}

export interface OidcTokens {
  readonly idToken: string;
  /** Undefined when the issuer has not replaced it. */
  readonly refreshToken: string | undefined;
}

/** The issuer refuses the client or its refresh token: the same request fails again. */
export class IssuerRefusal extends RequestError {
  /** `error` of the response, such as `invalid_grant`. https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
  readonly code: string;

  constructor(message: string, { code, status }: { readonly code: string; readonly status: number }) {
    super('unauthorized', message, { status });
    this.code = code;
  }
}

/**
 * New tokens for a refresh token. https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokens
 * Throws RequestError or UserError, without a token or a secret in its message.
 */
export async function refreshTokens(
  client: OidcClient,
  refreshToken: string,
  signal: AbortSignal,
): Promise<OidcTokens> {
  const url = await tokenEndpoint(client, signal);
  const response = objectOf(await postGrant({ client, url, refreshToken }, signal));
  const idToken = textOf(response['id_token']);
  if (idToken === undefined) {
    throw new RequestError(
      'decode',
      `${nameOf('POST', url)}: the response has no id_token: the login was without the scope openid, or the issuer does not refresh ID tokens`,
    );
  }
  return { idToken, refreshToken: textOf(response['refresh_token']) };
}

/** https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig */
async function tokenEndpoint({ issuer, ca, proxyFor, send }: OidcClient, signal: AbortSignal): Promise<URL> {
  const url = new URL(issuer);
  url.pathname = `${issuer.pathname.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const what = nameOf('GET', url);
  const errorFromResponse = ({ status }: { readonly status: number }): RequestError =>
    new RequestError('http_status', `${what}: the issuer answered ${status}; check idp-issuer-url`, { status });
  const request = { url, what, ca, proxyUrl: proxyFor(url), errorFromResponse };
  const endpoint = textOf(objectOf(await send(request, signal))['token_endpoint']);
  if (endpoint === undefined) {
    throw new RequestError('decode', `${what}: the response has no token_endpoint; check idp-issuer-url`);
  }
  return urlOf(endpoint, 'token_endpoint of the issuer', ['https:']);
}

interface Grant {
  readonly client: OidcClient;
  readonly url: URL;
  readonly refreshToken: string;
}

/**
 * As in kubectl: a client with a secret authenticates by header, and by the form when the issuer refuses that. An issuer
 * that refuses the refresh token has accepted the client. https://pkg.go.dev/golang.org/x/oauth2#AuthStyle
 */
async function postGrant(grant: Grant, signal: AbortSignal): Promise<unknown> {
  if (grant.client.clientSecret === undefined) return await post(grant, 'form', signal);
  try {
    return await post(grant, 'header', signal);
  } catch (error) {
    if (!(error instanceof IssuerRefusal) || error.code === 'invalid_grant') throw error;
    return await post(grant, 'form', signal);
  }
}

function post(
  { client, url, refreshToken }: Grant,
  authentication: 'header' | 'form',
  signal: AbortSignal,
): Promise<unknown> {
  const { clientId, clientSecret = '', ca, proxyFor, send } = client;
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
  if (authentication === 'form') {
    form.set('client_id', clientId);
    if (clientSecret !== '') form.set('client_secret', clientSecret);
  }
  const what = nameOf('POST', url);
  const secrets = [refreshToken, clientSecret].filter((secret) => secret !== '');
  return send(
    {
      url,
      what,
      ca,
      proxyUrl: proxyFor(url),
      authorization: authentication === 'header' ? basicOf(clientId, clientSecret) : undefined,
      form: { text: form.toString(), secrets: [...secrets, ...secrets.map(formEncoded)] },
      errorFromResponse: ({ status, text }) => errorOf({ what, status, text, secrets }),
    },
    signal,
  );
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
function basicOf(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

interface ErrorText {
  readonly what: string;
  readonly status: number;
  readonly text: string;
  readonly secrets: readonly string[];
}

function errorOf({ what, status, text, secrets }: ErrorText): RequestError {
  const { error, error_description: description } = objectOf(parsed(text));
  const quote = [textOf(error) ?? [], textOf(description) ?? []].flat().join(': ');
  const redacted = secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), quote);
  const message = `${what}: the issuer answered ${status}${redacted === '' ? '' : `: ${oneLine(redacted)}`}`;
  if (status !== 400 && status !== 401 && status !== 403) return new RequestError('http_status', message, { status });
  return new IssuerRefusal(message, { code: textOf(error) ?? '', status });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without user, password and query. */
function nameOf(method: string, { origin, pathname }: URL): string {
  return `${method} ${origin}${pathname}`;
}
