import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Whether a password has a hash of bcrypt. Runs on a thread of its own, which ends with the signal. */
export async function comparePassword(password: string, hash: string, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('bcrypt-worker.js', import.meta.url), {
    workerData: { password, hash },
    resourceLimits: { maxOldGenerationSizeMb: 16 },
    execArgv: [],
  });
  try {
    const [isSame] = (await once(worker, 'message', { signal })) as [boolean];
    return isSame;
  } finally {
    await worker.terminate();
  }
}
