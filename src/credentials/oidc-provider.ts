import { isDeepStrictEqual } from 'node:util';

import { type Backoff, exponentialBackoff } from '../base/backoff.js';
import { type Clock, startDeadline } from '../base/clock.js';
import { messageOf, RequestError, UserError } from '../base/errors.js';
import type { AuthProviderConfig, AuthProviderFile } from './auth-provider-file.js';
import { checkCertificate, readCertificate } from './credential-files.js';
import { type IdTokenTimes, idTokenTimes } from './id-token.js';
import { IssuerRefusal, type IssuerTransport, type OidcTokens, refreshTokens } from './oidc-issuer.js';
import { loginHint, type OidcSettings, oidcSettingsOf } from './oidc-settings.js';
import { urlOf } from './url.js';

export interface OidcProviderOptions {
  readonly config: AuthProviderConfig;
  readonly file: AuthProviderFile;
  /** Begins error messages: where the provider comes from. */
  readonly description: string;
  readonly send: IssuerTransport;
  readonly proxyFor: (url: URL) => URL | undefined;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/** An ID token with its times; monotonic, as the wall clock may jump. */
interface HeldToken {
  readonly text: string;
  readonly refreshAtMs: number;
  readonly expiresAtMs: number;
}

interface Failure {
  readonly error: Error;
  readonly nextAttemptAtMs: number;
  readonly backoff: Backoff;
}

/** Tokens are refreshed this long before they expire, or in the last quarter of their life if that is less. */
const refreshMarginMs = 60_000;
const refreshTimeoutMs = 20_000;
/** A token that is valid may be refused by one server that accepts none: it is not a reason to refresh again and again. */
const refusalPauseMs = 300_000;
const firstPauseMs = 5_000;
const maxPauseMs = 300_000;
const minValidMs = 1_000;

/**
 * The ID token of `auth-provider: oidc`, refreshed before it expires. Other programs refresh the same tokens: the file is read
 * first, and what the issuer returns is written back, as kubectl does, since a refresh token may be valid only once. Where the
 * file cannot be written, the tokens are kept in memory. Calls of `token` must not overlap.
 */
export class OidcProvider {
  readonly #options: OidcProviderOptions;
  readonly #what: string;
  /** The file's last settings that were read or written. */
  #config: AuthProviderConfig;
  #settings: OidcSettings;
  #held: HeldToken | undefined;
  #unreadable: string | undefined;
  #isRefused = false;
  #refusedAtMs = -Infinity;
  #failure: Failure | undefined;
  #hasWarned = false;

  constructor(options: OidcProviderOptions) {
    this.#options = options;
    this.#what = `${options.description}: auth-provider "oidc"`;
    this.#config = options.config;
    this.#settings = oidcSettingsOf(options.config);
    this.#holdFileToken();
  }

  /** Throws RequestError or UserError when there is no valid token. */
  async token(signal: AbortSignal): Promise<string> {
    if (this.#isDue()) await this.#readFile();
    if (this.#isDue() && !this.#isBackingOff()) await this.#tryRefresh(signal);
    const { clock } = this.#options;
    if (this.#held !== undefined && clock.monotonicMs() < this.#held.expiresAtMs) return this.#held.text;
    throw this.#failure?.error ?? this.#expired();
  }

  /** Until the token should be refreshed, or the next attempt to. */
  validForMs(): number {
    const { refreshAtMs = 0, expiresAtMs = 0 } = this.#held ?? {};
    const untilMs = this.#failure === undefined ? refreshAtMs : Math.min(expiresAtMs, this.#failure.nextAttemptAtMs);
    return Math.max(minValidMs, untilMs - this.#options.clock.monotonicMs());
  }

  /** A server has refused the token: its issuer may have replaced its keys. */
  forget(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#refusedAtMs < refusalPauseMs) return;
    this.#refusedAtMs = nowMs;
    this.#isRefused = true;
  }

  #isDue(): boolean {
    return this.#isRefused || this.#options.clock.monotonicMs() >= (this.#held?.refreshAtMs ?? -Infinity);
  }

  #isBackingOff(): boolean {
    return this.#options.clock.monotonicMs() < (this.#failure?.nextAttemptAtMs ?? -Infinity);
  }

  /** A login or another program's refresh replaces what is held, and ends the back-off. */
  async #readFile(): Promise<void> {
    const config = await this.#options.file.read();
    if (config === undefined || isDeepStrictEqual(config, this.#config)) return;
    this.#config = config;
    this.#settings = oidcSettingsOf(config);
    this.#failure = undefined;
    this.#isRefused = false;
    this.#holdFileToken();
  }

  #holdFileToken(): void {
    const { idToken } = this.#settings;
    try {
      this.#held = idToken === undefined ? undefined : this.#hold(idToken, this.#options.clock.nowMs());
      this.#unreadable = undefined;
    } catch (error) {
      this.#held = undefined;
      this.#unreadable = messageOf(error);
    }
  }

  /** The life that is left is counted from `nowMs`: wall time, or the issuer's for a token that it has just issued. */
  #hold(text: string, nowMs: number): HeldToken {
    const { expiresAtMs, issuedAtMs = nowMs } = idTokenTimes(text);
    const marginMs = Math.max(0, Math.min(refreshMarginMs, (expiresAtMs - issuedAtMs) / 4));
    const expiresMs = this.#options.clock.monotonicMs() + expiresAtMs - nowMs;
    return { text, expiresAtMs: expiresMs, refreshAtMs: expiresMs - marginMs };
  }

  async #tryRefresh(signal: AbortSignal): Promise<void> {
    this.#isRefused = false;
    if (this.#settings.refreshToken === undefined) return;
    try {
      await this.#refresh(this.#settings.refreshToken, signal);
      this.#failure = undefined;
    } catch (error) {
      this.#fail(error);
    }
  }

  async #refresh(refreshToken: string, parent: AbortSignal): Promise<void> {
    const { clock, send, proxyFor } = this.#options;
    const { issuerUrl, clientId, clientSecret } = this.#settings;
    if (issuerUrl === undefined) throw new UserError('idp-issuer-url is missing');
    if (clientId === undefined) throw new UserError('client-id is missing');
    const issuer = urlOf(issuerUrl, 'idp-issuer-url', ['https:']);
    const late = `no complete response from the issuer ${issuer.host} within ${refreshTimeoutMs / 1000} s`;
    const ca = await caOf(this.#settings);
    using deadline = startDeadline({
      clock,
      durationMs: refreshTimeoutMs,
      parent,
      error: () => new RequestError('timeout', late),
    });
    const client = { issuer, clientId, clientSecret, ca, proxyFor, send };
    const tokens = await refreshTokens(client, refreshToken, deadline.signal);
    this.#settings = { ...this.#settings, ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
    await this.#persist(tokens, refreshToken);
    this.#held = this.#hold(tokens.idToken, issuersNowMs(tokens.idToken, clock.nowMs()));
    this.#unreadable = undefined;
  }

  async #persist({ idToken, refreshToken }: OidcTokens, former: string): Promise<void> {
    const { file, warn } = this.#options;
    const rotated = refreshToken !== undefined && refreshToken !== former ? refreshToken : undefined;
    const values = { 'id-token': idToken, ...(rotated === undefined ? {} : { 'refresh-token': rotated }) };
    try {
      const isWritten = await file.replace(this.#config, values);
      if (isWritten) this.#config = (await file.read()) ?? this.#config;
    } catch (error) {
      if (rotated === undefined || this.#hasWarned) return;
      this.#hasWarned = true;
      warn(
        `${this.#what}: the issuer has replaced the refresh token, but ${file.path} cannot be written: ${messageOf(error)}; ` +
          'the exporter keeps the token until it stops; others that use this file, such as kubectl, must log in again',
      );
    }
  }

  #fail(cause: unknown): void {
    const backoff = this.#failure?.backoff.next() ?? exponentialBackoff({ baseMs: firstPauseMs, maxMs: maxPauseMs });
    const isFinal = cause instanceof IssuerRefusal;
    const nextAttemptAtMs = this.#options.clock.monotonicMs() + (isFinal ? maxPauseMs : backoff.delayMs);
    const message = `${this.#what}: its id-token has expired and cannot be refreshed: ${messageOf(cause)}`;
    const error = new RequestError('unauthorized', isFinal ? `${message}; ${loginHint}` : message, { cause });
    this.#failure = { error, nextAttemptAtMs, backoff };
  }

  #expired(): UserError {
    const state = this.#unreadable === undefined ? 'has expired' : `cannot be read: ${this.#unreadable}`;
    return new UserError(`${this.#what}: its id-token ${state}, and it has no refresh-token; ${loginHint}`);
  }
}

/** A token that was just issued has not expired: where it has by our clock, the issuer's counts. */
function issuersNowMs(idToken: string, nowMs: number): number {
  const { expiresAtMs, issuedAtMs = nowMs } = newTokenTimes(idToken);
  const issuersMs = nowMs < expiresAtMs ? Math.max(nowMs, issuedAtMs) : issuedAtMs;
  if (issuersMs < expiresAtMs) return issuersMs;
  const expiry = new Date(expiresAtMs).toISOString();
  throw new RequestError('decode', `the id_token of the issuer has expired at ${expiry}; check the clocks of both`);
}

function newTokenTimes(idToken: string): IdTokenTimes {
  try {
    return idTokenTimes(idToken);
  } catch (error) {
    throw new RequestError('decode', `the id_token of the issuer cannot be read: ${messageOf(error)}`);
  }
}

async function caOf({ caFile, caData }: OidcSettings): Promise<string | undefined> {
  if (caData !== undefined) {
    const pem = Buffer.from(caData, 'base64').toString();
    checkCertificate(pem, 'idp-certificate-authority-data');
    return pem;
  }
  return caFile === undefined ? undefined : await readCertificate(caFile, 'idp-certificate-authority');
}
