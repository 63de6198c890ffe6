import { abortable } from '../base/abortable.js';
import { type Clock, startDeadline } from '../base/clock.js';
import { messageOf, RequestError } from '../base/errors.js';
import type { Credentials, TlsMaterial } from './credentials.js';

/** As client-go does it: bound service account tokens are renewed long before they expire. */
const maxAgeMs = 60_000;
/** How long a failure keeps from trying again: many nodes are asked at once, each with these credentials. */
const failureMaxAgeMs = 5000;
const readTimeoutMs = 30_000;

/** What one reading of the sources gives. */
export interface CredentialMaterial {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

/** Files, plugins: whatever the material is read from. */
export interface CredentialSource extends Pick<Credentials, 'server' | 'proxyUrl' | 'namespace' | 'description'> {
  read(signal: AbortSignal): Promise<CredentialMaterial>;
  /** The server refused what was read: a source that caches starts anew. */
  forget(): void;
}

interface Reading {
  readonly material: Promise<CredentialMaterial>;
  /** Monotonic; infinite while the sources are being read. */
  expiresAtMs: number;
}

/**
 * Reads the source again every 60 s and after `invalidate`, once for all who wait. A reading that fails leaves what was
 * known in use for another 60 s (a file may be missing for a moment while it is replaced), unless the server refused it.
 */
export class RotatingCredentials implements Credentials {
  readonly server: URL;
  readonly proxyUrl: URL | undefined;
  readonly namespace: string | undefined;
  readonly description: string;
  readonly #source: CredentialSource;
  readonly #clock: Clock;
  #reading: Reading | undefined;
  #lastGood: CredentialMaterial | undefined;

  constructor({ source, clock }: { readonly source: CredentialSource; readonly clock: Clock }) {
    this.#source = source;
    this.#clock = clock;
    this.server = source.server;
    this.proxyUrl = source.proxyUrl;
    this.namespace = source.namespace;
    this.description = source.description;
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    return (await this.#material()).headers;
  }

  async tls(): Promise<TlsMaterial> {
    return (await this.#material()).tls;
  }

  /** Without effect while the source is being read: of many requests with one refused token, one reading comes. */
  invalidate(): void {
    if (this.#reading?.expiresAtMs === Infinity) return;
    this.#reading = undefined;
    this.#lastGood = undefined;
    this.#source.forget();
  }

  #material(): Promise<CredentialMaterial> {
    if (this.#reading === undefined || this.#clock.monotonicMs() >= this.#reading.expiresAtMs) {
      this.#reading = this.#startReading();
    }
    return this.#reading.material;
  }

  #startReading(): Reading {
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
    const reading: Reading = { material, expiresAtMs: Infinity };
    return reading;
  }

  async #read(): Promise<CredentialMaterial> {
    using deadline = startDeadline({
      clock: this.#clock,
      durationMs: readTimeoutMs,
      error: () => new Error(`no answer within ${readTimeoutMs / 1000} s`),
    });
    return await abortable(this.#source.read(deadline.signal), deadline.signal);
  }
}
