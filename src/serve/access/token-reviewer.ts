import { createHash } from 'node:crypto';

import type { ApiTransport } from '../../cluster/http/api-client.js';
import { readAtMost } from '../../cluster/http/response-body.js';
import { abortable, startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { messageOf, RequestError } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { oneLine } from '../../lib/base/text.js';
import { type JsonObject, objectOf, parseJson, textOf } from '../../lib/json/json.js';
import { FairQueue, QueueFullError } from './fair-queue.js';
import { ExpiringCache, KeptAnswers } from './kept-answers.js';
import type { Verdict } from './verdict.js';

/**
 * As kube-apiserver keeps those of its webhooks, by and large. While the API server does not answer, what it said lets
 * Prometheus in for a while: outages are when metrics are needed, and nobody can revoke a token during one.
 */
const keepMissing = { keepFailingMs: 600_000, keepFailureMs: 10_000 } as const;
const keep = {
  user: { ...keepMissing, keepMs: 60_000, keepNoneMs: 10_000 },
  permission: { ...keepMissing, keepMs: 300_000, keepNoneMs: 30_000 },
} as const;
const maxKeptCount = 1_000;

/** For how long a client that was let in is not taken for a new one. */
const rememberMs = 3_600_000;

/** After a review that let nobody in: at most four of them are sent in a second for all that were never let in. */
const restMs = 1_000;

/** Of one review. */
const reviewTimeoutMs = 3_000;

/** Both reviews with their turns: what a scrape of Prometheus, 10 s by default, may lose at the door. */
const checkTimeoutMs = 3_000;
const maxReviewBytes = 1_048_576;

/** Who sends a token, and what else the API server wants to know of that user: a part of a SubjectAccessReview. */
interface User extends Pick<JsonObject, 'uid' | 'groups' | 'extra'> {
  readonly user: string;
}

/** The attributes of a request that is not for an object of the API server. */
interface Permission {
  readonly verb: string;
  readonly path: string;
}

/**
 * Asks the API server who a token belongs to, and whether that user may send the request.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export class TokenReviewer implements Disposable {
  readonly #options;
  /** By the address of the client. */
  readonly #newClients: FairQueue;
  /** By the key of the token. No flood of others delays them. */
  readonly #knownClients: FairQueue;
  readonly #users: KeptAnswers<User>;
  readonly #permissions: KeptAnswers<true>;
  /** Keys of tokens that were let in. */
  readonly #known: ExpiringCache<true>;
  readonly #stopping = new AbortController();

  constructor(options: {
    /** Disposed of with the reviewer. */
    readonly api: ApiTransport & Disposable;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    const { clock } = options;
    const shared = { maxRunningCount: 4, clock, signal: this.#stopping.signal };
    this.#options = options;
    this.#newClients = new FairQueue({ ...shared, maxWaitingCount: 64, maxWaitingCountPerKey: 8 });
    this.#knownClients = new FairQueue({ ...shared, maxWaitingCount: 256, maxWaitingCountPerKey: 4 });
    this.#users = new KeptAnswers({ clock, maxCount: maxKeptCount, ...keep.user });
    this.#permissions = new KeptAnswers({ clock, maxCount: maxKeptCount, ...keep.permission });
    this.#known = new ExpiringCache(clock, maxKeptCount);
  }

  /** Never rejects. A review that takes too long for this attempt goes on: the next one finds its answer. */
  async check(attempt: {
    readonly token: string;
    /** Of HTTP. */
    readonly method: string;
    /** Without the query. */
    readonly path: string;
    /** The address of the client: clients take turns. */
    readonly client: string;
  }): Promise<Verdict> {
    const { clock } = this.#options;
    const error = (): Error => new Error(`no verdict within ${checkTimeoutMs / 1_000} s`);
    using deadline = startDeadline({ clock, durationMs: checkTimeoutMs, error });
    try {
      return await abortable(this.#verdict(attempt), deadline.signal);
    } catch (failure) {
      return failure instanceof QueueFullError ? 'busy' : 'unavailable';
    }
  }

  /** Ends the reviews that are running. */
  [Symbol.dispose](): void {
    this.#stopping.abort(new Error('stopped'));
    this.#options.api[Symbol.dispose]();
  }

  /** A user that is kept is not waited for: then both reviews, as far as they are due, run side by side. */
  async #verdict({ token, method, path, client }: Parameters<TokenReviewer['check']>[0]): Promise<Verdict> {
    const key = hashOf(token);
    const permission = {
      verb: method === 'HEAD' ? 'get' : method.toLowerCase(),
      path: discoveryPath.test(path) ? '/' : path,
    };
    const user = await this.#users.get(key, () => this.#inTurn(key, client, () => this.#userOf(token)));
    if (user === undefined) return 'unauthenticated';
    const permissionKey = hashOf(JSON.stringify([key, user, permission])); // other groups are another question
    const isAllowed = await this.#permissions.get(permissionKey, () =>
      this.#inTurn(key, client, () => this.#permissionOf(user, permission)),
    );
    if (isAllowed !== true) return { forbidden: denialText(user, permission) };
    this.#known.set(key, true, rememberMs);
    return 'allowed';
  }

  #inTurn<T>(key: string, client: string, review: () => Promise<T | undefined>): Promise<T | undefined> {
    const [queue, turnKey] = this.#known.get(key) === true ? [this.#knownClients, key] : [this.#newClients, client];
    return queue.run(turnKey, review, (answer) => (answer === undefined ? restMs : 0));
  }

  async #userOf(token: string): Promise<User | undefined> {
    const spec = { token }; // without audiences, it must be for those of the API server
    const status = await this.#review('authentication.k8s.io', 'TokenReview', spec, token);
    const { username, uid, groups, extra } = objectOf(status['user']);
    const user = textOf(username);
    if (status['authenticated'] !== true || user === undefined) return undefined;
    return { user, uid, groups, extra };
  }

  /** Who lacks a permission is in the log: Prometheus shows the status of a response only. */
  async #permissionOf(user: User, permission: Permission): Promise<true | undefined> {
    const spec = { ...user, nonResourceAttributes: permission };
    const status = await this.#review('authorization.k8s.io', 'SubjectAccessReview', spec, '');
    if (status['allowed'] === true && status['denied'] !== true) return true;
    this.#options.logger.warn('a user was refused', { error: denialText(user, permission) });
    return undefined;
  }

  /** The status that the API server adds. Failures are logged. */
  async #review(
    group: string,
    kind: 'TokenReview' | 'SubjectAccessReview',
    spec: object,
    secret: string,
  ): Promise<JsonObject> {
    const { clock, logger, api } = this.#options;
    const parent = this.#stopping.signal;
    const what = `${kind}: no answer within ${reviewTimeoutMs / 1_000} s`;
    const error = (): RequestError => new RequestError('timeout', what);
    using deadline = startDeadline({ clock, durationMs: reviewTimeoutMs, parent, error });
    try {
      const path = `/apis/${group}/v1/${kind.toLowerCase()}s`;
      const text = JSON.stringify({ apiVersion: `${group}/v1`, kind, spec });
      const body = await api.open({ path, body: { text, secrets: [secret] } }, deadline.signal);
      const { bytes, isComplete } = await readAtMost(body, maxReviewBytes);
      const review = isComplete ? parseJson(bytes.toString()) : undefined;
      if (review === undefined) throw new RequestError('decode', `POST ${path}: the answer is no ${kind}`);
      return objectOf(objectOf(review)['status']);
    } catch (failure) {
      if (!parent.aborted) logger.error('a token could not be reviewed', { error: messageOf(failure) });
      throw failure;
    }
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/**
 * Below these paths the API server itself serves what every user of a cluster may get, by the ClusterRoles
 * system:discovery and system:public-info-viewer. https://kubernetes.io/docs/reference/access-authn-authz/rbac/#discovery-roles
 */
const discoveryPath = /^\/(?:apis?|openapi|version|healthz|livez|readyz)(?:\/|$)/;

/** As the API server says it, with the rule that allows the request. */
function denialText({ user }: User, { verb, path }: Permission): string {
  const name = JSON.stringify(oneLine(user));
  const url = JSON.stringify(oneLine(path));
  return `User ${name} cannot ${verb} path ${url}; grant it with the RBAC rule {nonResourceURLs: [${url}], verbs: ["${verb}"]} in a ClusterRole`;
}
