/** An API server on loopback that a test answers for, and a reflector of its pods on a manual clock. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from 'vitest';

import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import type { Pod } from '../../src/cluster/kube/objects.js';
import { projectPod } from '../../src/cluster/kube/projection.js';
import type { Reflector } from '../../src/cluster/watch/reflector.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';
import { recordingObserver } from '../support/watch-observers.js';
import { reflectorOf } from './scripted-reflector.js';

interface LoopbackRequest {
  readonly isWatch: boolean;
  readonly query: URLSearchParams;
  /** Of the manual clock, since the start. */
  readonly atMs: number;
}

/** Answers one request: at once, later or never. */
export type LoopbackHandler = (request: LoopbackRequest, response: ServerResponse) => void;

export interface LoopbackReflector extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly reflector: Reflector<Pod>;
  /** The oldest first. */
  readonly requests: readonly LoopbackRequest[];
  readonly lists: () => readonly LoopbackRequest[];
  /** The calls of the observer, apart from progress. */
  readonly observed: readonly string[];
  readonly logged: readonly string[];
  /** Of the store. */
  readonly changes: readonly string[];
  /** The names of the pods in the store. */
  readonly names: () => readonly string[];
  readonly pod: (name: string) => Pod | undefined;
  /** Lets time pass while the reflector pauses or watches: all other requests take no time. */
  readonly elapse: (durationMs: number) => Promise<void>;
  /** Waits until the reflector pauses, lets the pause pass, and resolves when a request has followed. */
  readonly nextAttempt: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** With the shortest of random pauses, unless `random` says otherwise. */
export async function startReflector(
  handler: LoopbackHandler,
  { random = () => 0 }: { readonly random?: () => number } = {},
): Promise<LoopbackReflector> {
  const clock = new ManualClock();
  const startMs = clock.monotonicMs();
  const requests: LoopbackRequest[] = [];
  let lastWatch: ServerResponse | undefined;
  const server = createServer((incoming, response) => {
    const { searchParams: query } = new URL(incoming.url ?? '', 'http://localhost');
    const request = { isWatch: query.get('watch') === 'true', query, atMs: clock.monotonicMs() - startMs };
    requests.push(request);
    if (request.isWatch) lastWatch = response;
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const api = new ApiClient({
    credentials: staticCredentials({ server: new URL(`http://127.0.0.1:${port}`) }),
    clock,
    version: '0',
  });
  const observed: string[] = [];
  const logged: string[] = [];
  const changes: string[] = [];
  const { store, reflector } = reflectorOf<Pod>({
    api,
    project: (object) => projectPod(object, (text) => text),
    clock,
    random,
    logger: recordingLogger(logged),
    observer: recordingObserver(observed),
    onChange: ({ type, object }) => {
      changes.push(`${type} ${object.name}`);
    },
  });
  const stopping = new AbortController();
  const run = reflector.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('stopped'));
    await run;
  };
  /** A request has time limits of its own, and an idle connection has none. */
  const isPaused = (): boolean => clock.sleeperCount === 1;
  const isWatching = (): boolean => {
    const isOpen = lastWatch?.headersSent === true && !lastWatch.writableEnded && !lastWatch.destroyed;
    return isOpen && reflector.isConnected;
  };
  const paused = async (): Promise<void> => {
    await expect.poll(isPaused, { interval: 1 }).toBe(true);
  };
  return {
    clock,
    reflector,
    requests,
    lists: () => requests.filter(({ isWatch }) => !isWatch),
    observed,
    logged,
    changes,
    names: () => Array.from(store.values(), ({ name }) => name),
    pod: (name) => store.get(name),
    elapse: async (durationMs) => {
      const endMs = clock.monotonicMs() + durationMs;
      while (clock.monotonicMs() < endMs) {
        await expect.poll(() => isPaused() || isWatching(), { interval: 1 }).toBe(true);
        await clock.advance(Math.min(clock.nextDueMs, endMs - clock.monotonicMs()));
      }
    },
    nextAttempt: async () => {
      await paused();
      const requestCount = requests.length;
      await clock.advance(clock.nextDueMs);
      await expect.poll(() => requests.length, { interval: 1 }).toBeGreaterThan(requestCount);
    },
    stop,
    async [Symbol.asyncDispose](): Promise<void> {
      await stop();
      api[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const headers = { 'content-type': 'application/json' };

export function podOf(name: string, resourceVersion = '1', more: object = {}): object {
  return {
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion },
    spec: { nodeName: 'n1', containers: [{ name: 'main' }] },
    status: { phase: 'Running' },
    ...more,
  };
}

export function sendList(response: ServerResponse, resourceVersion: string, pods: readonly object[]): void {
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion }, items: pods };
  response.writeHead(200, headers).end(JSON.stringify(list));
}

/** The first lines of a watch, which stays open. */
export function sendLines(response: ServerResponse, ...lines: string[]): ServerResponse {
  response.writeHead(200, headers).flushHeaders();
  for (const line of lines) response.write(line);
  return response;
}

export function sendStatus(response: ServerResponse, code: number, more: object = {}): void {
  response.writeHead(code, headers).end(JSON.stringify({ kind: 'Status', status: 'Failure', code, ...more }));
}
