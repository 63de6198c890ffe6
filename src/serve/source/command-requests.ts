import type { Credentials } from '../../cluster/credentials/credentials.js';
import { ApiClient, type ApiRequest, type ApiTransport } from '../../cluster/http/api-client.js';
import type { TlsHints } from '../../cluster/http/request-failure.js';
import { abortable, type Deadline, notNeeded, startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError, UserError } from '../../lib/base/errors.js';

/** How long a command waits in silence. */
const silenceMs = 2_000;

/** How long the first lists may take where no limit is set. */
export const defaultSyncTimeoutMs = 30_000;

/** The longest time of a timer of Node.js: 24 days. */
const unlimitedMs = 2 ** 31 - 1;

/** Where a person sets what verifies the API server. */
export const clusterTlsHints: TlsHints = {
  authority: 'set certificate-authority of the cluster in the kubeconfig to the CA that signed the certificate',
  serverName: 'set tls-server-name of the cluster in the kubeconfig to a name that the certificate carries',
};

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

/** The requests of one command. A person waits for them, and learns for whom: no exporter needs that. */
export class CommandRequests {
  /** Of the first lists together, with their repetitions. */
  readonly syncTimeoutMs: number;
  readonly #options;
  readonly #timedOut = new AbortController();
  #isQuiet = false;

  constructor(
    options: Pick<ReadingProcess, 'clock' | 'version' | 'writeError'> & {
      /** Of a single request, up to the end of its response; 0: none. Undefined: that of the exporter. */
      readonly timeoutMs: number | undefined;
    },
  ) {
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
  client(credentials: Credentials, defaultTimeoutMs?: number): ApiTransport & Disposable {
    const { clock, version, timeoutMs } = this.#options;
    const headersTimeoutMs = timeoutMs === undefined ? defaultTimeoutMs : timerMs(timeoutMs);
    const limits = headersTimeoutMs === undefined ? {} : { headersTimeoutMs };
    return this.attended(
      new ApiClient({ credentials, clock, version, tlsHints: clusterTlsHints, ...limits }),
      credentials,
    );
  }

  /**
   * Returns the API with a limit for each request but watches, and with one line on standard error when the first of them has had
   * no response for 2 s. An exec plugin of the credentials may ask for a login: it has a limit of its own.
   */
  attended(api: ApiClient, credentials?: Credentials): ApiTransport & Disposable {
    return {
      open: async (request, signal) => {
        if (credentials !== undefined) await abortable(credentials.material(), signal);
        return this.#open(api, request, signal);
      },
      [Symbol.dispose]: () => {
        api[Symbol.dispose]();
      },
    };
  }

  async #open(api: ApiClient, request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const { clock } = this.#options;
    const [server, what] = [api.server.origin, `GET ${request.path}`];
    const isWatch = request.query?.['watch'] !== undefined;
    const deadline = isWatch ? undefined : this.#deadlineOf(`${server}: no complete response to ${what}`, signal);
    const answered = new AbortController();
    clock.sleep(silenceMs, answered.signal).then(
      () => {
        this.#say(`Waiting for ${server}: no complete response to ${what} for ${silenceMs / 1000} s.\n`);
      },
      () => undefined, // it has its response
    );
    const end = (): void => {
      answered.abort(notNeeded);
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

  #deadlineOf(what: string, parent: AbortSignal): Deadline | undefined {
    const { clock, timeoutMs } = this.#options;
    if (timeoutMs === undefined || timeoutMs === 0) return undefined;
    const error = (): RequestError => {
      const message = `${what} within ${timeoutMs / 1000} s (--request-timeout)`;
      this.#timedOut.abort(new UserError(message));
      return new RequestError('timeout', message);
    };
    return startDeadline({ clock, durationMs: timerMs(timeoutMs), error, parent });
  }

  #say(line: string): void {
    if (!this.#isQuiet) this.#options.writeError(line);
    this.#isQuiet = true;
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
