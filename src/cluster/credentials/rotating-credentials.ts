import { abortable, startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { messageOf, RequestError } from '../../lib/base/errors.js';
import type { Authentication, CredentialMaterial, Credentials } from './credentials.js';

/** As in client-go: bound service account tokens are renewed long before they expire. */
const maxAgeMs = 60_000;
/** How long a failure prevents another reading: requests to many nodes share these credentials. */
const failureMaxAgeMs = 5000;
const defaultReadTimeoutMs = 30_000;
/** While a CA is not replaced yet, requests to many nodes fail at once: the files are read once for all of them. */
const minRereadAgeMs = 1000;

/** What the material is read from: files or an exec plugin. */
export interface CredentialSource extends Omit<Credentials, keyof Authentication> {
  readonly read: (signal: AbortSignal) => Promise<CredentialMaterial>;
  /** The server refused the material: a source with a cache drops it. */
  readonly forget?: () => void;
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
export function rotating(
  { description, read, forget }: Pick<CredentialSource, 'description' | 'read' | 'forget'>,
  clock: Clock,
  readTimeoutMs = defaultReadTimeoutMs,
): Authentication {
  let reading: CredentialsReading | undefined;
  let lastGood: CredentialMaterial | undefined;
  const readInTime = async (): Promise<CredentialMaterial> => {
    const error = (): Error => new Error(`not complete after ${readTimeoutMs / 1000} s`);
    using deadline = startDeadline({ clock, durationMs: readTimeoutMs, error });
    return await abortable(read(deadline.signal), deadline.signal);
  };
  const startReading = (): CredentialsReading => {
    const material = readInTime().then(
      (material) => {
        started.expiresAtMs = clock.monotonicMs() + maxAgeMs;
        lastGood = material;
        return material;
      },
      (error: unknown) => {
        started.expiresAtMs = clock.monotonicMs() + (lastGood === undefined ? failureMaxAgeMs : maxAgeMs);
        if (lastGood !== undefined) return lastGood;
        const message = `${description}: cannot read the credentials: ${messageOf(error)}`;
        throw new RequestError('unauthorized', message, { cause: error });
      },
    );
    const started: CredentialsReading = { material, startedAtMs: clock.monotonicMs(), expiresAtMs: Infinity };
    return started;
  };
  const material = (): Promise<CredentialMaterial> => {
    if (reading === undefined || clock.monotonicMs() >= reading.expiresAtMs) reading = startReading();
    return reading.material;
  };
  return {
    material,
    // Not while the source is being read: many requests with one refused token cause one reading.
    invalidate: () => {
      if (reading?.expiresAtMs === Infinity) return;
      reading = undefined;
      lastGood = undefined;
      forget?.();
    },
    reread: () => {
      const { expiresAtMs = 0, startedAtMs = 0 } = reading ?? {};
      const mayBeOld = expiresAtMs !== Infinity && clock.monotonicMs() - startedAtMs >= minRereadAgeMs;
      if (mayBeOld) reading = undefined;
      return material();
    },
  };
}
