import type { Credentials } from '../../cluster/credentials/credentials.js';
import { ApiClient, type ApiRequest, type ApiTransport } from '../../cluster/http/api-client.js';
import type { TlsHints } from '../../cluster/http/request-failure.js';
import { abortable, type Deadline, startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError, UserError } from '../../lib/base/errors.js';
import { escapeInvisible, joinTruncated } from '../../lib/base/text.js';

/** How long a command waits in silence. */
const silenceMs = 2_000;

/** How long the first lists may take where no limit is set. */
export const defaultSyncTimeoutMs = 30_000;

const maxNamesCount = 5;

/** The longest time of a timer of Node.js: 24 days. */
const unlimitedMs = 2 ** 31 - 1;

/** Where a person sets what verifies the API server. */
export const clusterTlsHints: TlsHints = {
  authority: 'set certificate-authority of the cluster in the kubeconfig to the CA that signed the certificate',
  serverName: 'set tls-server-name of the cluster in the kubeconfig to a name that the certificate carries',
};

export type CommandApi = ApiTransport & Disposable;

/** What a command that reads a cluster needs of the process that it runs in. */
export interface ReadingProcess {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly homeDir: string;
  readonly hostName: string;
  readonly clock: Clock;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly version: string;
  /** Files and connections that the process may have open; undefined: not known. */
  readonly openFileLimit?: number | undefined;
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly stopSignal: AbortSignal;
  /** Texts end with a newline. */
  readonly writeError: (text: string) => void;
}

export interface CommandRequestsOptions extends Pick<ReadingProcess, 'clock' | 'version' | 'writeError'> {
  /** Of a single request, up to the end of its response; 0: none. Undefined: that of the exporter. */
  readonly timeoutMs: number | undefined;
}

/** A request that is being waited for. */
interface PendingRequest {
  readonly server: URL;
  readonly what: string;
}

/** The requests of one command. A person waits for them, and learns for whom: no exporter needs that. */
export class CommandRequests {
  /** Of the first lists together, with their repetitions. */
  readonly syncTimeoutMs: number;
  readonly #options: CommandRequestsOptions;
  readonly #timedOut = new AbortController();
  readonly #pending = new Set<PendingRequest>();
  #isQuiet = false;
  #hasSaidCredentials = false;

  constructor(options: CommandRequestsOptions) {
    this.#options = options;
    const { timeoutMs } = options;
    this.syncTimeoutMs = Math.max(defaultSyncTimeoutMs, timeoutMs === undefined ? 0 : timerMs(timeoutMs));
  }

  /** Aborts with the UserError that ends the command, once a request has exceeded its limit. */
  get timedOut(): AbortSignal {
    return this.#timedOut.signal;
  }

  /** Says nothing of requests from now on: what a command shows must not be broken by lines of those that it repeats. */
  quiet(): void {
    this.#isQuiet = true;
  }

  /** For the API server. The caller disposes of it. `defaultTimeoutMs`: where no limit is set. */
  client(credentials: Credentials, defaultTimeoutMs?: number): CommandApi {
    const { clock, version, timeoutMs } = this.#options;
    const headersTimeoutMs = timeoutMs === undefined ? defaultTimeoutMs : timerMs(timeoutMs);
    const limits = headersTimeoutMs === undefined ? {} : { headersTimeoutMs };
    return this.attended(
      new ApiClient({ credentials, clock, version, tlsHints: clusterTlsHints, ...limits }),
      credentials,
    );
  }

  /**
   * Returns the API with a limit for each request but watches, and with one line on standard error when one of them has had no
   * response for 2 s, as with the credentials, for which an exec plugin may ask for a login: it has a limit of its own.
   */
  attended(api: ApiClient, credentials?: Credentials): CommandApi {
    return {
      open: async (request, signal) => {
        if (credentials !== undefined) await this.#material(credentials, signal);
        return this.#open(api, request, signal);
      },
      [Symbol.dispose]: () => {
        api[Symbol.dispose]();
      },
    };
  }

  /** Until it is disposed of: when 2 s are over, says which kubelets have not responded. `namesOf`: of their nodes. */
  waitForKubelets(namesOf: () => readonly string[]): Disposable {
    return this.#afterSilence(() => {
      const names = joinTruncated(namesOf().map(escapeInvisible), maxNamesCount);
      if (names !== '') this.#options.writeError(`Waiting for kubelets: no response from ${names} yet.\n`);
    });
  }

  async #open(api: ApiClient, request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const pending = { server: api.server, what: `GET ${request.path}` };
    const isWatch = request.query?.['watch'] !== undefined;
    const deadline = isWatch ? undefined : this.#deadlineOf(pending, signal);
    const waiting = this.#waitFor(pending);
    const end = (): void => {
      waiting[Symbol.dispose]();
      deadline?.[Symbol.dispose]();
    };
    try {
      const body = await api.open(request, deadline?.signal ?? signal);
      if (!isWatch) return untilEnd(body, end);
      end();
      return body;
    } catch (error) {
      end();
      throw error;
    }
  }

  async #material(credentials: Credentials, signal: AbortSignal): Promise<void> {
    const waiting = this.#afterSilence(() => {
      if (this.#isQuiet || this.#hasSaidCredentials) return;
      this.#hasSaidCredentials = true;
      const name = escapeInvisible(credentials.description);
      this.#options.writeError(`Waiting for the credentials of ${name} for ${silenceMs / 1000} s.\n`);
    });
    try {
      await abortable(credentials.material(), signal);
    } finally {
      waiting[Symbol.dispose]();
    }
  }

  #deadlineOf(pending: PendingRequest, parent: AbortSignal): Deadline | undefined {
    const { clock, timeoutMs } = this.#options;
    if (timeoutMs === undefined || timeoutMs === 0) return undefined;
    return startDeadline({
      clock,
      durationMs: timerMs(timeoutMs),
      error: () => this.#timeOut(pending, timeoutMs),
      parent,
    });
  }

  #waitFor(pending: PendingRequest): Disposable {
    this.#pending.add(pending);
    const silence = this.#afterSilence(() => {
      this.#say(pending);
    });
    return {
      [Symbol.dispose]: () => {
        this.#pending.delete(pending);
        silence[Symbol.dispose]();
      },
    };
  }

  #afterSilence(say: () => void): Disposable {
    const ended = new AbortController();
    this.#options.clock.sleep(silenceMs, ended.signal).then(say, () => undefined); // what was waited for is there
    return {
      [Symbol.dispose]: () => {
        ended.abort();
      },
    };
  }

  #say({ server }: PendingRequest): void {
    if (this.#isQuiet) return;
    this.quiet();
    const requests = [...this.#pending].filter((pending) => pending.server.origin === server.origin);
    const [first, second, ...others] = requests.map(({ what }) => what);
    const names = [first, second, ...(others.length === 0 ? [] : [`${others.length} more`])];
    const waitedFor = names.filter((name) => name !== undefined).join(', ');
    this.#options.writeError(
      `Waiting for ${server.origin}: no complete response to ${waitedFor} for ${silenceMs / 1000} s.\n`,
    );
  }

  #timeOut({ server, what }: PendingRequest, timeoutMs: number): RequestError {
    const message = `${server.origin}: no complete response to ${what} within ${timeoutMs / 1000} s (--request-timeout)`;
    this.#timedOut.abort(new UserError(message));
    return new RequestError('timeout', message);
  }
}

/** 0 is no limit. */
function timerMs(timeoutMs: number): number {
  return timeoutMs === 0 ? unlimitedMs : Math.min(timeoutMs, unlimitedMs);
}

async function* untilEnd(body: AsyncIterable<Buffer>, end: () => void): AsyncIterable<Buffer> {
  try {
    yield* body;
  } finally {
    end();
  }
}
