import type { NextFunction, Request, Response } from 'express';

import { isProbe } from '../../config/served-paths.js';
import type { WebConfig } from '../../config/web/web-config.js';
import type { Clock } from '../../lib/base/clock.js';
import type { AccessControl } from '../access/access-control.js';
import type { Verdict } from '../access/verdict.js';
import { noteArrival, sendText } from './responses.js';

/** Stands before the endpoints. Probes pass always: a pod must not be restarted for what its clients do. */
export class Guard {
  readonly #clock: Clock;
  readonly #access: AccessControl;
  readonly #ownPaths: readonly string[];
  #settings: WebConfig;

  constructor({
    settings,
    access,
    ownPaths,
    clock,
  }: {
    readonly settings: WebConfig;
    readonly access: AccessControl;
    /** Each needs a permission of its own. All others need that of the page at `/`: who may read one page may read all. */
    readonly ownPaths: readonly string[];
    readonly clock: Clock;
  }) {
    this.#clock = clock;
    this.#access = access;
    this.#ownPaths = ownPaths;
    this.#settings = settings;
    access.setUsers(settings.users);
  }

  set(settings: WebConfig): void {
    this.#settings = settings;
    this.#access.setUsers(settings.users);
  }

  async check(request: Request, response: Response, next: NextFunction): Promise<void> {
    noteArrival(response, this.#clock);
    for (const [name, value] of this.#settings.headers) response.setHeader(name, value);
    if (isProbe(request)) {
      next();
      return;
    }
    const verdict = await this.#access.check({
      authorization: request.get('authorization'),
      method: request.method,
      path: this.#ownPaths.includes(request.path) ? request.path : '/',
      client: request.socket.remoteAddress ?? '',
    });
    if (response.destroyed) return; // the client has gone: nothing would tell the endpoint
    if (verdict === 'allowed') next();
    else this.#refuse(response, verdict);
  }

  /** Who is not authenticated learns no reason. */
  #refuse(response: Response, verdict: Exclude<Verdict, 'allowed'>): void {
    if (typeof verdict === 'object') {
      sendText(response, 403, `forbidden: ${verdict.forbidden}`);
      return;
    }
    switch (verdict) {
      case 'unauthenticated':
        response.setHeader('WWW-Authenticate', this.#access.challenges);
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
