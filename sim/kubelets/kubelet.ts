import type { IncomingMessage, ServerResponse } from 'node:http';

import { Mutex } from 'async-mutex';

import type { Clock } from '../../src/lib/base/clock.js';
import { anonymous, type RequestAccess, type User } from '../access.js';
import type { CertificateAuthority, KeyPair } from '../certificates.js';
import { HttpsListener } from '../https-listener.js';
import type { Observation } from '../model/pod-usage.js';
import type { Fault } from '../simulated-faults.js';
import { answerConfiguration, answerSummary, answerText } from './answers.js';

export interface KubeletOptions {
  readonly nodeName: string;
  readonly authority: CertificateAuthority;
  readonly access: RequestAccess;
  readonly clock: Clock;
  /** The summary at a time, or that of a kubelet that knows no pods. */
  readonly summary: (at: Observation, known: 'all' | 'none') => object;
  /** The body of `/configz`. */
  readonly configuration: object;
}

/** Sends any response. */
export type SummaryAnswer = (response: ServerResponse) => Promise<void> | void;

/** The HTTPS endpoint of a simulated node's kubelet, on a separate port of 127.0.0.1. */
export class Kubelet implements AsyncDisposable {
  readonly #options: KubeletOptions;
  readonly #keyPair: KeyPair;
  readonly #listener: HttpsListener;
  readonly #faultChange = new Mutex();
  #fault: Fault | undefined;
  #answer: SummaryAnswer | undefined;
  #restartedAtMs: number | undefined;
  #requestCount = 0;

  private constructor(options: KubeletOptions, keyPair: KeyPair) {
    this.#options = options;
    this.#keyPair = keyPair;
    this.#listener = new HttpsListener({
      keyPair,
      clientCa: options.authority.certificate,
      handle: async (request, response) => this.#handle(request, response),
    });
  }

  static async start(options: KubeletOptions): Promise<Kubelet> {
    const kubelet = new Kubelet(options, await options.authority.issueServer([options.nodeName]));
    await kubelet.#listener.listen(0);
    return kubelet;
  }

  get port(): number {
    return this.#listener.port;
  }

  get fault(): Fault | undefined {
    return this.#fault;
  }

  /** The time of what the kubelet measures now. */
  get observation(): Observation {
    return { nowMs: this.#options.clock.nowMs(), restartedAtMs: this.#restartedAtMs };
  }

  /** All requests so far, including failed ones. */
  connectionCount(): Promise<number> {
    return this.#listener.connectionCount();
  }

  get requestCount(): number {
    return this.#requestCount;
  }

  /** Replaces its responses to authorized requests for the summary; undefined: its own again. */
  setSummaryAnswer(answer: SummaryAnswer | undefined): void {
    this.#answer = answer;
  }

  /** Resolves when the fault applies to every further request. */
  async setFault(fault: Fault | undefined): Promise<void> {
    await this.#faultChange.runExclusive(async () => {
      const before = this.#fault;
      this.#fault = fault;
      if (fault === 'restarted') this.#restartedAtMs = this.#options.clock.nowMs();
      if ((before === 'expired-certificate') !== (fault === 'expired-certificate')) {
        const { authority, nodeName } = this.#options;
        const isExpired = fault === 'expired-certificate';
        this.#listener.setKeyPair(isExpired ? await authority.issueExpiredServer([nodeName]) : this.#keyPair);
      }
      if (fault === 'down') await this.#listener.pause();
      else await this.#listener.resume();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#faultChange.runExclusive(async () => this.#listener[Symbol.asyncDispose]());
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#requestCount++;
    const user = await this.#options.access.authenticate(request);
    if (user === undefined || user === anonymous) {
      answerText(response, 401, 'Unauthorized');
      return;
    }
    const path = new URL(request.url ?? '/', 'https://kubelet').pathname;
    const refusal = await this.#refusal(user, verbOf(request), subresourcesOf(path));
    if (refusal !== undefined) answerText(response, 403, refusal);
    else if (path === '/stats/summary') await this.#answerSummary(response);
    else if (path === '/configz') answerConfiguration(response, this.#options.configuration);
    else answerText(response, 404, '404 page not found\n');
  }

  /** Undefined if the user may access one of the subresources of the node. */
  async #refusal(user: User, verb: string, subresources: readonly string[]): Promise<string | undefined> {
    const { access, nodeName } = this.#options;
    for (const subresource of subresources) {
      if (await access.isAllowed(user, { verb, resource: `nodes/${subresource}`, name: nodeName })) return undefined;
    }
    return `Forbidden (user=${user.name}, verb=${verb}, resource=nodes, subresource=${subresources.at(-1) ?? ''})`;
  }

  async #answerSummary(response: ServerResponse): Promise<void> {
    if (this.#answer !== undefined) {
      await this.#answer(response);
      return;
    }
    const { clock, summary } = this.#options;
    const disconnected = new AbortController();
    response.once('close', () => {
      disconnected.abort();
    });
    await answerSummary(response, {
      fault: this.#fault,
      summary: (known) => summary(this.observation, known),
      sleep: async (durationMs) => clock.sleep(durationMs, disconnected.signal),
    });
  }
}

const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** A kubelet has no verb for HEAD and others: only users with all permissions may send them. */
function verbOf({ method }: IncomingMessage): string {
  return verbs[method ?? ''] ?? '';
}

/**
 * Permission for any of these is sufficient.
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/#kubelet-authorization
 */
function subresourcesOf(path: string): readonly string[] {
  for (const [prefix, subresource] of [
    ['/stats', 'stats'],
    ['/metrics', 'metrics'],
    ['/logs', 'log'],
    ['/spec', 'spec'],
  ] as const) {
    if (path === prefix || path.startsWith(`${prefix}/`)) return [subresource];
  }
  return path === '/configz' ? ['configz', 'proxy'] : ['proxy'];
}
