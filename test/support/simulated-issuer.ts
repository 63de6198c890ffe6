import type { IncomingMessage, RequestListener } from 'node:http';

import { LoopbackServer, replyWith } from '../http/loopback-server.js';
import type { TestAuthority } from './certificates.js';
import type { ManualClock } from './manual-clock.js';

/** A JWT that nobody has signed. */
export function idTokenOf(claims: object): string {
  return ['{"alg":"none"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
}

interface TokenRequest {
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
}

const discoveryPath = '/realm/.well-known/openid-configuration';

/** An OpenID Connect issuer on loopback: discovery and a token endpoint for refresh tokens. */
export class SimulatedIssuer implements AsyncDisposable {
  readonly #clock: ManualClock;
  readonly server: LoopbackServer;
  /** Those of the token endpoint. */
  readonly tokenRequests: TokenRequest[] = [];
  discoveryCount = 0;
  refreshToken = 'refresh-0';
  lifetimeMs = 600_000;
  rotates = false;
  acceptsHeader = true;
  /** In place of the issuer's own replies. */
  discoveryAnswer: RequestListener | undefined;
  tokenAnswer: RequestListener | undefined;
  /** Added to the reply of the token endpoint; undefined leaves a property out. */
  tokenReply: Readonly<Record<string, unknown>> = {};

  private constructor(server: LoopbackServer, clock: ManualClock) {
    this.server = server;
    this.#clock = clock;
    server.answer = (request, response) => {
      if (request.url === discoveryPath) {
        this.discoveryCount += 1;
        const body = JSON.stringify({ token_endpoint: new URL('/token', server.url).href });
        (this.discoveryAnswer ?? replyWith({ body }))(request, response);
      } else if (request.url === '/token' && request.method === 'POST') {
        void readForm(request).then((form) => {
          this.tokenRequests.push({ authorization: request.headers.authorization, form });
          (this.tokenAnswer ?? this.#tokenReply(request, form))(request, response);
        });
      } else replyWith({ status: 404 })(request, response);
    };
  }

  static async listen(authority: TestAuthority, clock: ManualClock): Promise<SimulatedIssuer> {
    return new SimulatedIssuer(await LoopbackServer.listenTls(await authority.issueServer()), clock);
  }

  /** Without the slash that ends `url`. */
  get issuerUrl(): string {
    return new URL('/realm', this.server.url).href;
  }

  /** One more for each refresh: `nth` 1 is the first one that is issued. */
  idToken(nth: number): string {
    const issuedAt = this.#clock.nowMs() / 1000;
    return idTokenOf({ sub: `ann-${nth}`, iat: issuedAt, exp: issuedAt + this.lifetimeMs / 1000 });
  }

  #tokenReply(request: IncomingMessage, form: TokenRequest['form']): RequestListener {
    const isAuthenticated = this.acceptsHeader ? request.headers.authorization !== undefined : 'client_id' in form;
    if (!isAuthenticated) return replyWith({ status: 401, body: JSON.stringify({ error: 'invalid_client' }) });
    if (form['refresh_token'] !== this.refreshToken) {
      return replyWith({ status: 400, body: JSON.stringify({ error: 'invalid_grant' }) });
    }
    const nth = this.tokenRequests.length;
    if (this.rotates) this.refreshToken = `refresh-${nth}`;
    const reply = {
      access_token: `access-${nth}`,
      token_type: 'Bearer',
      id_token: this.idToken(nth),
      refresh_token: this.refreshToken,
      ...this.tokenReply,
    };
    return replyWith({ body: JSON.stringify(reply) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}

async function readForm(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks = (await request.toArray()) as Buffer[];
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  form.sort();
  return Object.fromEntries(form);
}
