/** The exporter in a process of its own, for `MeasuredExporter`: its memory and its event loop are nobody else's. */
import { openSync, readSync } from 'node:fs';
import process from 'node:process';

import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { loadConfig } from '../../src/config/load.js';
import { systemClock } from '../../src/lib/base/clock.js';
import { startApp } from './started-app.js';

export interface ChildOptions {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
  /** Settings file. */
  readonly settings: string;
}

/**
 * Nanoseconds that the main thread has run. Unlike wall time, what other programs of a loaded machine take is not in it.
 * https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
 */
const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const line = Buffer.alloc(64);

function ranNs(): number {
  const length = readSync(schedstat, line, 0, line.length, 0);
  return Number(line.toString('latin1', 0, length).split(' ')[0]);
}

/** Since the last reset: the longest time that the main thread ran between two turns of the event loop. */
let longestNs = 0;
let lastNs = ranNs();

function turned(): void {
  const nowNs = ranNs();
  longestNs = Math.max(longestNs, nowNs - lastNs);
  lastNs = nowNs;
}

async function start({ server, ca, token, settings }: ChildOptions): Promise<number> {
  const environment = { EPHEMERAL_STORAGE_EXPORTER_WEB_LISTEN_ADDRESSES: '127.0.0.1:0' };
  const app = await startApp({
    config: loadConfig({ file: { path: 'measured', text: settings }, environment, flags: {} }),
    credentials: staticCredentials({ server: new URL(server), ca, token }),
  });
  while (!app.hasSynced) await systemClock.sleep(10);
  return app.ports[0] ?? 0;
}

/** What is in use after two collections: the first one may leave what finalizers hold. */
function usedBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** `{ start }` → the port; `used` → bytes of memory in use; `block` → 0, and the event loop never turns again; `reset`, `measure` → the longest time since the last reset in which the event loop did not turn, in ms. */
process.on('message', (message: { readonly start: ChildOptions } | 'reset' | 'measure' | 'block' | 'used') => {
  if (message === 'block') {
    process.send?.(0, () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
    return;
  }
  if (message === 'used') {
    process.send?.(usedBytes());
    return;
  }
  if (message === 'reset' || message === 'measure') {
    turned();
    if (message === 'reset') {
      globalThis.gc?.();
      lastNs = ranNs();
      longestNs = 0;
    }
    process.send?.(longestNs / 1e6);
    return;
  }
  setInterval(turned, 1);
  start(message.start).then(
    (port) => process.send?.(port),
    (error: unknown) => {
      throw error;
    },
  );
});
