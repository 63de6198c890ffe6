import type { NextFunction, Request, Response } from 'express';

import { isProbe } from '../../config/served-paths.js';
import type { WebConfig } from '../../config/web/web-config.js';
import type { Clock } from '../../lib/base/clock.js';
import type { PasswordChecker } from '../access/password-checker.js';
import type { TokenReviewer } from '../access/token-reviewer.js';
import type { Verdict } from '../access/verdict.js';
import { noteArrival, sendText } from './responses.js';

const realm = 'realm="ephemeral-storage-exporter"';

/**
 * Stands before the endpoints: without users and tokens everybody may pass, otherwise those with a password or a token. Probes pass
 * always: a pod must not be restarted for what its clients do.
 */
export class Guard implements Disposable {
  readonly #options;
  #settings: WebConfig;

  constructor(options: {
    readonly settings: WebConfig;
    readonly passwords: PasswordChecker;
    /** Undefined: no tokens. */
    readonly tokens: TokenReviewer | undefined;
    /** Each needs a permission of its own. All others need that of the page at `/`: who may read one page may read all. */
    readonly ownPaths: readonly string[];
    readonly clock: Clock;
  }) {
    this.#options = options;
    this.#settings = options.settings;
  }

  set(settings: WebConfig): void {
    this.#settings = settings;
  }

  /** Of the header WWW-Authenticate; none when everybody may pass. https://www.rfc-editor.org/rfc/rfc9110#name-www-authenticate */
  get challenges(): readonly string[] {
    return [
      ...(this.#settings.users.size > 0 ? [`Basic ${realm}, charset="UTF-8"`] : []),
      ...(this.#options.tokens === undefined ? [] : [`Bearer ${realm}`]),
    ];
  }

  /** Calls `next` when the request may pass, and responds otherwise. */
  async check(request: Request, response: Response, next: NextFunction): Promise<void> {
    noteArrival(response, this.#options.clock);
    for (const [name, value] of this.#settings.headers) response.setHeader(name, value);
    if (isProbe(request) || this.challenges.length === 0) {
      next();
      return;
    }
    const verdict = await this.#verdict(request);
    if (response.destroyed) return; // the client has gone: nothing would tell the endpoint
    if (verdict === 'allowed') next();
    else this.#refuse(response, verdict);
  }

  /** Ends the checks that are running. */
  [Symbol.dispose](): void {
    this.#options.passwords[Symbol.dispose]();
    this.#options.tokens?.[Symbol.dispose]();
  }

  async #verdict(request: Request): Promise<Verdict> {
    const { tokens, ownPaths } = this.#options;
    const [, scheme = '', credentials = ''] = /^(\S+) +(\S+) *$/.exec(request.get('authorization') ?? '') ?? [];
    const client = request.socket.remoteAddress ?? '';
    const isOf = (name: string): boolean => scheme.toLowerCase() === name;
    if (isOf('basic')) return this.#checkPassword(credentials, client);
    if (!isOf('bearer') || tokens === undefined) return 'unauthenticated';
    const path = ownPaths.includes(request.path) ? request.path : '/';
    return tokens.check({ token: credentials, method: request.method, path, client });
  }

  /** https://www.rfc-editor.org/rfc/rfc7617#section-2 */
  async #checkPassword(credentials: string, client: string): Promise<Verdict> {
    const text = Buffer.from(credentials, 'base64').toString();
    const end = text.indexOf(':');
    const { users } = this.#settings;
    if (end < 0 || users.size === 0) return 'unauthenticated';
    const attempt = { user: text.slice(0, end), password: text.slice(end + 1), client };
    return this.#options.passwords.check(attempt, users);
  }

  /** Who is not authenticated learns no reason. */
  #refuse(response: Response, verdict: Exclude<Verdict, 'allowed'>): void {
    if (typeof verdict === 'object') {
      sendText(response, 403, `forbidden: ${verdict.forbidden}`);
      return;
    }
    switch (verdict) {
      case 'unauthenticated':
        response.setHeader('WWW-Authenticate', this.challenges);
        sendText(response, 401, 'unauthorized');
        break;
      case 'busy':
        response.setHeader('Retry-After', '1');
        sendText(response, 429, 'too many attempts');
        break;
      case 'unavailable':
        sendText(response, 503, 'the credentials could not be checked: see the log');
    }
  }
}
