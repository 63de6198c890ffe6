import { isDeepStrictEqual } from 'node:util';

import type { NextFunction, Request, Response } from 'express';

import type { Clock } from '../base/clock.js';
import { isProbe } from './probes.js';
import { type RateLimit, RateLimiter } from './rate-limiter.js';
import { sendText } from './responses.js';

export interface GuardSettings {
  /** Of every response, unless its endpoint has a value of its own. */
  readonly headers: ReadonlyMap<string, string>;
  /** Of all requests but probes. Undefined: none. */
  readonly rateLimit: RateLimit | undefined;
}

/** Stands before the endpoints. Probes pass always: a pod must not be restarted for what its clients do. */
export class Guard {
  readonly #clock: Clock;
  #settings: GuardSettings;
  #limiter: RateLimiter | undefined;

  constructor(settings: GuardSettings, clock: Clock) {
    this.#clock = clock;
    this.#settings = settings;
    this.#limiter = this.#limiterOf(settings);
  }

  /** The limit starts again only when it has changed. */
  set(settings: GuardSettings): void {
    if (!isDeepStrictEqual(settings.rateLimit, this.#settings.rateLimit)) this.#limiter = this.#limiterOf(settings);
    this.#settings = settings;
  }

  check(request: Request, response: Response, next: NextFunction): void {
    for (const [name, value] of this.#settings.headers) response.setHeader(name, value);
    if (isProbe(request)) next();
    else if (this.#limiter?.allows() === false) sendText(response, 429, 'too many requests');
    else next();
  }

  #limiterOf({ rateLimit }: GuardSettings): RateLimiter | undefined {
    return rateLimit && new RateLimiter(rateLimit, this.#clock);
  }
}
