import { describe, expect, it } from 'vitest';

import type { ClusterStore } from '../../src/cluster/watch/cluster-store.js';
import { RequestError } from '../../src/lib/base/errors.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';
import { startStore } from '../support/running-store.js';
import { silentObserver } from '../support/watch-observers.js';
import { answers, failsWith, neverAnswers, ScriptedApi, sendsList } from './scripted-api.js';

const namespaces = Array.from({ length: 11 }, (_, index) => `team-${index}`);
const refused = failsWith(new RequestError('connection', 'connect ECONNREFUSED'));

interface Running extends AsyncDisposable {
  readonly store: ClusterStore;
  readonly clock: ManualClock;
  readonly logged: string[];
  readonly listed: string[];
  /** The request for one pod. */
  readonly probes: ScriptedApi;
  readonly scopes: () => readonly string[];
}

/** A store of 11 namespaces; requests for pods in all namespaces get the answers, all others none. */
async function start(...probeAnswers: ConstructorParameters<typeof ScriptedApi>): Promise<Running> {
  const clock = new ManualClock();
  const [probes, others] = [new ScriptedApi(...probeAnswers), new ScriptedApi()];
  const api = {
    open: (...request: Parameters<ScriptedApi['open']>) =>
      (request[0].query?.['limit'] === '1' ? probes : others).open(...request),
  };
  const [logged, listed]: [string[], string[]] = [[], []];
  const logger = recordingLogger(logged);
  const observer = {
    ...silentObserver,
    listFinished: (resource: string, result: string) => listed.push(`${resource} ${result}`),
  };
  const { store, ...running } = startStore({ api, clock, namespaces, logger, observer });
  await clock.advance(0);
  const scopes = () => store.lists.states().flatMap((state) => state.scopes.map(({ name }) => name));
  const dispose = async (): Promise<void> => {
    await running[Symbol.asyncDispose]();
    expect(clock.sleeperCount).toBe(0);
  };
  return { store, clock, logged, listed, probes, scopes, [Symbol.asyncDispose]: dispose };
}

const [atOnce, oneByOne] = [
  ['nodes', 'pods'],
  ['nodes', ...[...namespaces].sort().map((name) => `pods in ${name}`)],
];
const allowed = sendsList('10', []);

it.each([401, 403, 404])('a refusal with %i has namespaces watched one by one', async (status) => {
  await using running = await start(answers(status));
  await running.clock.advance(120_000);
  expect(running.scopes()).toEqual(oneByOne);
  expect(running.probes.requests).toHaveLength(1);
});

it.each([
  ['503', answers(503)],
  ['a refused connection', refused],
  ['a timeout', neverAnswers],
])('all namespaces are watched at once where that is allowed, even after %s', async (_case, answer) => {
  await using running = await start(answer, allowed);
  expect(running.scopes()).toEqual(oneByOne);
  await running.clock.advance(11_000);
  expect(running.scopes()).toEqual(atOnce);
  expect(running.probes.requests).toHaveLength(2);
});

it('namespaces are watched one by one when the refusal comes after a failure', async () => {
  await using running = await start(answers(503), answers(403));
  await running.clock.advance(2_000);
  expect(running.scopes()).toEqual(oneByOne);
  expect(running.store.lists.unsynced().map(({ message }) => message)).toEqual(
    oneByOne.map(() => 'the first list is under way'),
  );
});

describe('the request for the pods of all namespaces', () => {
  it('the request for all namespaces is repeated with growing pauses, and each failure is counted', async () => {
    await using running = await start();
    running.probes.thenAlways(refused);
    await running.clock.advance(10_000);
    const before = running.probes.requests.length;
    await running.clock.advance(600_000);
    const count = running.probes.requests.length;
    expect(count - before).toBeGreaterThan(20);
    expect(count - before).toBeLessThan(35);
    expect(running.listed.filter((line) => line.startsWith('pods'))).toHaveLength(count);
  });

  it('the lists show why it is not known whether all namespaces may be listed, and the log does once', async () => {
    await using running = await start(refused, refused, refused);
    await running.clock.advance(1_000);
    const pods = running.store.lists.unsynced().filter(({ resource }) => resource === 'pods');
    expect(pods).toHaveLength(11);
    for (const { reason, message } of pods) expect([reason, message]).toEqual(['connection', 'connect ECONNREFUSED']);
    expect(running.logged.filter((line) => line.startsWith('warn'))).toEqual([
      'warn: not known yet whether pods may be listed in all namespaces {"resource":"pods","reason":"connection",' +
        '"retryInMs":375,"attempt":1,"error":"connect ECONNREFUSED"}',
    ]);
  });

  it('a caller whose wait would be in vain learns at once that the API server cannot be reached', async () => {
    const clock = new ManualClock();
    const api = new ScriptedApi().thenAlways(refused);
    await using running = startStore({ api, clock, namespaces });
    await running.store.lists.settled();
    expect(clock.monotonicMs()).toBe(new ManualClock().monotonicMs());
    expect(running.store.lists.unsynced()).toHaveLength(12);
  });

  it.each([414, 431])('a request that is too long, %d, ends the wait at once', async (status) => {
    const clock = new ManualClock();
    const api = new ScriptedApi().thenAlways(answers(status));
    await using running = startStore({ api, clock, namespaces });
    await running.store.lists.settled();
    expect(running.store.lists.unsynced().map(({ reason }) => reason)).toEqual(Array(12).fill('http_status'));
    await clock.advance(29_999);
    expect(api.requests).toHaveLength(2);
  });

  it('a stop during the pause of the request for all namespaces leaves no timer', async () => {
    const running = await start(refused);
    await running.clock.advance(100);
    expect(running.probes.requests).toHaveLength(1);
    await running[Symbol.asyncDispose]();
    await running.clock.advance(60_000);
    expect(running.probes.requests).toHaveLength(1);
  });
});
