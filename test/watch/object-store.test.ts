import { setImmediate as nextTurn } from 'node:timers/promises';

import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';

import type { StoredObject } from '../../src/cluster/kube/objects.js';
import { ObjectStore, type StoreChange } from '../../src/cluster/watch/object-store.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { ManualClock } from '../support/manual-clock.js';

interface Thing extends StoredObject {
  readonly place: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly sizes: readonly { readonly bytes: number | undefined }[];
}

const thing = (name: string, resourceVersion: string, more: Partial<Thing> = {}): Thing => ({
  uid: `uid-${name}`,
  name,
  resourceVersion,
  place: 'n1',
  labels: { version: resourceVersion },
  sizes: [],
  ...more,
});

let changes: StoreChange<Thing>[];
let store: ObjectStore<Thing>;
const lane = new Scheduler(new ManualClock()).newLane();

/** The store's content at each notification, as `name@resourceVersion`. */
let seen: string[][];

const names = (things: Iterable<Thing>): string[] =>
  [...things].map((object) => `${object.name}@${object.resourceVersion}`);

beforeEach(() => {
  changes = [];
  seen = [];
  store = new ObjectStore({
    namespaceOf: () => undefined,
    groupOf: ({ place }) => place,
    lane,
    onChanges: (step) => {
      for (const change of step) {
        changes.push(change);
        seen.push(names(store.values()).sort());
      }
    },
  });
});

const summaries = (): string[] => changes.map(({ type, object }) => `${type} ${object.name}@${object.resourceVersion}`);

it('replace removes, updates and adds, in that order, and has the whole list at each notification', async () => {
  await store.replace([thing('pod-1', '1'), thing('pod-2', '2'), thing('pod-3', '3')]);
  changes = [];
  seen = [];
  await store.replace([thing('pod-4', '6'), thing('pod-1', '4'), thing('pod-2', '5')]);
  expect(summaries()).toEqual(['removed pod-3@3', 'updated pod-1@4', 'updated pod-2@5', 'added pod-4@6']);
  expect(seen).toEqual(Array.from({ length: 4 }, () => ['pod-1@4', 'pod-2@5', 'pod-4@6']));
  expect(changes[0]?.object).toBe(changes[0]?.previous);
});

it('replace keeps objects that the list could not contain', async () => {
  await store.replace([thing('a', '1', { place: 'n1' }), thing('b', '2', { place: 'n2' })]);
  await store.replace([], { isInScope: ({ place }) => place === 'n1' });
  expect(names(store.values())).toEqual(['b@2']);
});

/** A store whose turns of the event loop end after each object. */
function slowStore(onChanges: (step: readonly StoreChange<Thing>[]) => void = () => undefined): ObjectStore<Thing> {
  let elapsedMs = 0;
  const clock = Object.assign(new ManualClock(), { monotonicMs: () => (elapsedMs += 10) });
  return new ObjectStore({
    namespaceOf: () => undefined,
    groupOf: ({ place }) => place,
    lane: new Scheduler(clock).newLane(),
    onChanges,
  });
}

describe('replace with a list that takes many turns of the event loop', () => {
  const listOf = (count: number, resourceVersion: string): Thing[] =>
    Array.from({ length: count }, (_, index) => thing(`pod-${index}`, resourceVersion, { place: `n${index % 5}` }));
  const ofList = { isInScope: ({ name }: Thing) => name.startsWith('pod-') };

  it('a long list shows the content before until it shows all of the list, in one step', async () => {
    const stepSizes: number[] = [];
    const slow = slowStore((step) => {
      stepSizes.push(step.length);
      expect(names(slow.values())).toEqual(names(listOf(20, '2')));
    });
    const replaced = slow.replace(listOf(20, '2'));
    let [isDone, turnCount] = [false, 0];
    void replaced.then(() => (isDone = true));
    for (; !isDone; turnCount += 1) {
      expect([0, 20]).toContain(slow.size);
      expect(slow.group('n1')).toHaveLength(slow.size / 5);
      await nextTurn();
    }
    expect(turnCount).toBeGreaterThan(20);
    expect(stepSizes).toEqual([20]);
  });

  it('a long list keeps what happens meanwhile to objects that it could not contain', async () => {
    const told: string[] = [];
    const slow = slowStore((step) => {
      for (const { type, object } of step) told.push(`${type} ${object.name}@${object.resourceVersion}`);
    });
    for (const name of ['a', 'b', 'c']) slow.upsert(thing(name, '1', { place: 'n1' }));
    const replaced = slow.replace(listOf(10, '2'), ofList);
    for (let turn = 0; turn < 30; turn += 1) {
      if (turn % 3 === 0) slow.upsert(thing('a', `${turn}`, { place: `n${turn % 2}` }));
      if (turn === 8) slow.remove(thing('b', '2'));
      if (turn === 25) slow.upsert(thing('d', '1', { place: 'n1' }));
      await nextTurn();
    }
    await replaced;
    expect(names(slow.values()).sort()).toEqual([...names(listOf(10, '2')), 'a@27', 'c@1', 'd@1'].sort());
    expect(names(slow.group('n1')).sort()).toEqual(['a@27', 'c@1', 'd@1', 'pod-1@2', 'pod-6@2']);
    expect(told.filter((line) => line.includes(' pod-'))).toHaveLength(10);
    expect(told.filter((line) => line.startsWith('removed'))).toEqual(['removed b@2']);
  });

  it('a list is applied after another one that is being applied', async () => {
    const slow = slowStore();
    await Promise.all([slow.replace(listOf(20, '1')), slow.replace(listOf(3, '2'))]);
    expect(names(slow.values())).toEqual(names(listOf(3, '2')));
  });

  it('a list that fails changes nothing, and later ones do not wait for it', async () => {
    const slow = slowStore();
    await slow.replace(listOf(3, '1'));
    const isInScope = (): boolean => {
      throw new Error('no idea');
    };
    await expect(slow.replace([], { isInScope })).rejects.toThrow('no idea');
    slow.upsert(thing('pod-3', '2'));
    expect(names(slow.values())).toEqual([...names(listOf(3, '1')), 'pod-3@2']);
    await slow.replace(listOf(1, '3'));
    expect(names(slow.values())).toEqual(['pod-0@3']);
  });
});

const base = thing('a', '1', { labels: { app: 'cart' }, sizes: [{ bytes: 1 }, { bytes: undefined }] });

it.each<[string, Thing]>([
  ['the same state', structuredClone(base)],
  ['the same state with another resource version', { ...structuredClone(base), resourceVersion: '2' }],
])('upsert suppresses %s', (_case, object) => {
  expect(store.upsert(base)).toBe(true);
  const group = store.group('n1');
  expect(store.upsert(object)).toBe(false);
  expect(changes).toHaveLength(1);
  expect(store.get('a')).toBe(base);
  expect(store.group('n1')).toBe(group);
});

it('a group contains its objects of the store, after any sequence of steps', async () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const anyThing = fc
    .record({ name, uid: fc.constantFrom('1', '2'), place: fc.constantFrom('n1', 'n2', undefined), size: fc.nat(2) })
    .map(({ size, ...rest }) => thing(rest.name, '1', { ...rest, resourceVersion: String(size) }));
  const step = fc.oneof(
    anyThing.map((object) => () => void store.upsert(object)),
    anyThing.map((object) => () => {
      store.remove(object);
    }),
    fc.array(anyThing, { maxLength: 4 }).map((objects) => () => store.replace(objects)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await store.replace([]);
      for (const take of steps) {
        const before = ['n1', 'n2'].map((place) => store.group(place));
        await take();
        for (const [index, place] of ['n1', 'n2'].entries()) {
          const members = [...store.values()].filter((object) => object.place === place);
          expect(new Set(store.group(place))).toEqual(new Set(members));
          const isSame = names(store.group(place)).join() === names(before[index] ?? []).join();
          if (!isSame) expect(store.group(place)).not.toBe(before[index]);
        }
      }
    }),
  );
});
