/** A reflector of a scripted API server, on a manual clock. */
import { expect } from 'vitest';

import type { ApiTransport } from '../../src/cluster/http/api-client.js';
import type { StoredObject } from '../../src/cluster/kube/objects.js';
import { ObjectStore, type StoreChange } from '../../src/cluster/watch/object-store.js';
import { Reflector, type ReflectorOptions } from '../../src/cluster/watch/reflector.js';
import type { WatchedCollection } from '../../src/cluster/watch/watched-collection.js';
import { RequestError } from '../../src/lib/base/errors.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';
import { recordingObserver } from '../support/watch-observers.js';
import { type Answer, eventLine, podJson, ScriptedApi, sendsList } from './scripted-api.js';

export interface Thing extends StoredObject {
  readonly value: string;
}

function project(object: unknown): Thing {
  const { metadata, value } = object as { metadata: StoredObject; value: string | undefined };
  if (value === undefined) throw new RequestError('decode', `${metadata.name} has no value`);
  return { uid: metadata.uid, name: metadata.name, resourceVersion: metadata.resourceVersion, value };
}

/** All of them, in all namespaces. */
export const allThings: WatchedCollection<Thing> = {
  resource: 'pods',
  namespaces: [],
  labelSelector: undefined,
  fieldSelector: undefined,
  identity: 'all',
  keyOf: ({ name }) => name,
  groupOf: () => undefined,
  namespaceOf: () => undefined,
  removedIdOf: ({ uid }) => uid,
  startsWithinMs: 0,
  project,
};

export const podWithoutValue = (name: string, resourceVersion: string): object => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion },
});

export const added = (name: string, resourceVersion: string, more = {}): string =>
  eventLine('ADDED', podJson(name, resourceVersion, more));
export const modified = (name: string, resourceVersion: string, more = {}): string =>
  eventLine('MODIFIED', podJson(name, resourceVersion, more));
export const deleted = (name: string, resourceVersion: string, more = {}): string =>
  eventLine('DELETED', podJson(name, resourceVersion, more));

export interface RunningReflector<A extends ApiTransport = ApiTransport> extends AsyncDisposable {
  readonly api: A;
  readonly reflector: Reflector<Thing>;
  readonly clock: ManualClock;
  /** The calls of the observer. */
  readonly observed: string[];
  readonly logged: string[];
  /** The changes of the store. */
  readonly changes: string[];
  /** The content of the store, as `name@resourceVersion`. */
  content(): string[];
  stop(): Promise<void>;
}

interface RunOptions<A extends ApiTransport> extends Partial<
  Omit<ReflectorOptions<Thing>, 'store' | 'keyOf' | 'background'>
> {
  readonly api: A;
  readonly onChange?: (change: StoreChange<Thing>) => void;
  readonly clock?: ManualClock;
  readonly stopping?: AbortController;
}

/**
 * A running reflector, of pods unless `resource` says otherwise. With its random number, 0.5, an end at the time limit is followed by 500 ms, and back-offs are
 * 375, 750, 1500, 3000, 6000, 12000 and then 22500 ms.
 */
export async function runReflector<A extends ApiTransport>(runOptions: RunOptions<A>): Promise<RunningReflector<A>> {
  const { onChange, stopping = new AbortController(), clock = new ManualClock(), ...options } = runOptions;
  const observed: string[] = [];
  const logged: string[] = [];
  const changes: string[] = [];
  const scheduler = new Scheduler(clock);
  const store = new ObjectStore<Thing>({
    namespaceOf: () => undefined,
    groupOf: () => undefined,
    lane: scheduler.newLane(),
    onChanges: (step) => {
      for (const change of step) {
        changes.push(`${change.type} ${change.object.name}@${change.object.resourceVersion}`);
        onChange?.(change);
      }
    },
  });
  const reflector = new Reflector<Thing>({
    resource: 'pods',
    keyOf: ({ name }) => name,
    ...{ project, store, clock, background: scheduler.background },
    random: () => 0.5,
    logger: recordingLogger(logged),
    observer: recordingObserver(observed),
    ...options,
  });
  const run = reflector.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('stopped'));
    await run;
    expect(clock.sleeperCount).toBe(0);
  };
  await clock.advance(0);
  return {
    api: runOptions.api,
    reflector,
    clock,
    observed,
    logged,
    changes,
    content: () => [...store.values()].map(({ name, resourceVersion }) => `${name}@${resourceVersion}`),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The same, of an API server with these answers. */
export const runScript = (...answers: Answer[]): Promise<RunningReflector<ScriptedApi>> =>
  runReflector({ api: new ScriptedApi(...answers) });

export const listOfA = sendsList('10', [podJson('a', '1')]);
