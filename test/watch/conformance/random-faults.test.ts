import fc from 'fast-check';
import { expect, it } from 'vitest';

import type { StoreChange } from '../../../src/cluster/watch/object-store.js';
import { type RunningReflector, runReflector, type Thing } from '../scripted-reflector.js';
import { FaultyApi, type RequestFault, requestFaults, type StreamFault, streamFaults } from './faulty-api.js';

type Step =
  | { readonly type: 'set'; readonly name: string; readonly isRecreated: boolean }
  | { readonly type: 'remove'; readonly name: string }
  | { readonly type: 'request fault'; readonly fault: RequestFault }
  | { readonly type: 'stream fault'; readonly fault: StreamFault }
  | { readonly type: 'elapse'; readonly ms: number }
  | { readonly type: 'server'; readonly action: 'compact' | 'sendBookmark' | 'replay' | 'garble' }
  | { readonly type: 'relist' };

const keysOf = <K extends string>(record: Readonly<Record<K, unknown>>): K[] => Object.keys(record) as K[];

const name = fc.constantFrom('p0', 'p1', 'p2', 'p3', 'p4', 'p5');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('set'), name, isRecreated: fc.boolean() }),
  fc.record({ type: fc.constant('remove'), name }),
  fc.record({ type: fc.constant('request fault'), fault: fc.constantFrom(...keysOf(requestFaults)) }),
  fc.record({ type: fc.constant('stream fault'), fault: fc.constantFrom(...keysOf(streamFaults)) }),
  fc.record({ type: fc.constant('elapse'), ms: fc.constantFrom(0, 1, 500, 5_000, 60_000, 200_000, 700_000) }),
  fc.record({ type: fc.constant('server'), action: fc.constantFrom('compact', 'sendBookmark', 'replay', 'garble') }),
  fc.record({ type: fc.constant('relist') }),
);

async function perform(step: Step, api: FaultyApi, run: RunningReflector): Promise<void> {
  switch (step.type) {
    case 'set':
      api.set(step.name, step.isRecreated);
      return;
    case 'remove':
      api.remove(step.name);
      return;
    case 'request fault':
      api.faults.push(step.fault);
      return;
    case 'stream fault':
      api.breakStream(step.fault);
      return;
    case 'elapse':
      return run.clock.advance(step.ms);
    case 'server':
      api[step.action]();
      return;
    case 'relist':
      run.reflector.check();
  }
}

/** The objects as a subscriber sees them, from changes alone. */
class Mirror {
  readonly #objects = new Map<string, Thing>();
  /** Changes that do not follow from those before; an error within a notification would be caught. */
  readonly faults: string[] = [];

  readonly apply = ({ type, object, previous }: StoreChange<Thing>): void => {
    const known = this.#objects.get(object.name);
    const isSame = type !== 'updated' || object.uid === known?.uid;
    if (previous !== known || !isSame) this.faults.push(`${type} ${object.name}@${object.resourceVersion}`);
    if (type === 'removed') this.#objects.delete(object.name);
    else this.#objects.set(object.name, object);
  };

  get content(): readonly string[] {
    return [...this.#objects.values()]
      .map(({ name, resourceVersion, uid }) => `${name}@${resourceVersion} ${uid}`)
      .sort();
  }
}

it('after any sequence of faults, the store and its changes show the truth within 6 minutes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      async (steps, random) => {
        const api = new FaultyApi();
        const mirror = new Mirror();
        await using run = await runReflector({ api, random: () => random, onChange: mirror.apply });
        for (const step of steps) await perform(step, api, run);
        api.faults.length = 0;
        for (let minute = 0; minute < 6; minute += 1) {
          await run.clock.advance(60_000);
          api.sendBookmark();
        }
        expect(mirror.faults).toEqual([]);
        expect(mirror.content).toEqual(api.truth);
        expect([...run.content()].sort()).toEqual(api.truth.map((text) => text.split(' ')[0]));
        expect(run.logged.filter((line) => line.startsWith('error'))).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});
