import { abortable, startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { messageOf, RequestError } from '../../lib/base/errors.js';
import type { CredentialMaterial, Credentials } from './credentials.js';

/** As in client-go: bound service account tokens are renewed long before they expire. */
const maxAgeMs = 60_000;
/** How long a failure prevents another reading: requests to many nodes share these credentials. */
const failureMaxAgeMs = 5000;
const defaultReadTimeoutMs = 30_000;
/** While a CA is not replaced yet, requests to many nodes fail at once: the files are read once for all of them. */
const minRereadAgeMs = 1000;

/** What the material is read from: files or an exec plugin. */
export interface CredentialSource extends Pick<
  Credentials,
  'server' | 'proxyUrl' | 'namespace' | 'description' | 'disablesCompression'
> {
  read(signal: AbortSignal): Promise<CredentialMaterial>;
  /** The server refused the material: a source with a cache drops it. */
  forget(): void;
}

interface CredentialsReading {
  readonly material: Promise<CredentialMaterial>;
  readonly startedAtMs: number;
  /** Monotonic; infinite while the source is being read. */
  expiresAtMs: number;
}

/**
 * Reads the source again every 60 s, after `invalidate` and for `reread`; waiters share one reading. When a reading fails, the last
 * material stays in use for another 60 s (a file may be missing for a moment while it is replaced), unless the server
 * refused it.
 */
export class RotatingCredentials implements Credentials {
  readonly server: URL;
  readonly proxyUrl: URL | undefined;
  readonly namespace: string | undefined;
  readonly description: string;
  readonly disablesCompression: boolean | undefined;
  readonly #source: CredentialSource;
  readonly #clock: Clock;
  readonly #readTimeoutMs: number;
  #reading: CredentialsReading | undefined;
  #lastGood: CredentialMaterial | undefined;

  constructor({
    source,
    clock,
    readTimeoutMs = defaultReadTimeoutMs,
  }: {
    readonly source: CredentialSource;
    readonly clock: Clock;
    /** 30 s without it. */
    readonly readTimeoutMs?: number | undefined;
  }) {
    this.#source = source;
    this.#clock = clock;
    this.#readTimeoutMs = readTimeoutMs;
    this.server = source.server;
    this.proxyUrl = source.proxyUrl;
    this.namespace = source.namespace;
    this.description = source.description;
    this.disablesCompression = source.disablesCompression;
  }

  material(): Promise<CredentialMaterial> {
    if (this.#reading === undefined || this.#clock.monotonicMs() >= this.#reading.expiresAtMs) {
      this.#reading = this.#startReading();
    }
    return this.#reading.material;
  }

  /** Has no effect while the source is being read: many requests with one refused token cause one reading. */
  invalidate(): void {
    if (this.#reading?.expiresAtMs === Infinity) return;
    this.#reading = undefined;
    this.#lastGood = undefined;
    this.#source.forget();
  }

  reread(): Promise<CredentialMaterial> {
    const { expiresAtMs = 0, startedAtMs = 0 } = this.#reading ?? {};
    const mayBeOld = expiresAtMs !== Infinity && this.#clock.monotonicMs() - startedAtMs >= minRereadAgeMs;
    if (mayBeOld) this.#reading = undefined;
    return this.material();
  }

  #startReading(): CredentialsReading {
    const expireAfter = (ageMs: number): void => {
      reading.expiresAtMs = this.#clock.monotonicMs() + ageMs;
    };
    const material = this.#read().then(
      (material) => {
        expireAfter(maxAgeMs);
        this.#lastGood = material;
        return material;
      },
      (error: unknown) => {
        expireAfter(this.#lastGood === undefined ? failureMaxAgeMs : maxAgeMs);
        if (this.#lastGood !== undefined) return this.#lastGood;
        const message = `${this.description}: cannot read the credentials: ${messageOf(error)}`;
        throw new RequestError('unauthorized', message, { cause: error });
      },
    );
    const reading: CredentialsReading = { material, startedAtMs: this.#clock.monotonicMs(), expiresAtMs: Infinity };
    return reading;
  }

  async #read(): Promise<CredentialMaterial> {
    using deadline = startDeadline({
      clock: this.#clock,
      durationMs: this.#readTimeoutMs,
      error: () => new Error(`not complete after ${this.#readTimeoutMs / 1000} s`),
    });
    return await abortable(this.#source.read(deadline.signal), deadline.signal);
  }
}
