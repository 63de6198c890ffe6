/** What happens in a random history. */
import fc from 'fast-check';

import type { RequestFault } from '../../watch/conformance/faulty-api.js';
import { type HistorySettings, podScopes, workloadKinds } from './history-settings.js';
import {
  type App,
  evictionEndings,
  type NodeName,
  nodeNames,
  otherEndings,
  type Place,
  places,
  type PodEnding,
  type TimePlace,
  timePlaces,
} from './simulated-pods.js';

/** How the changes of a pod that ends reach the watches. */
export const endingWays = [
  'update',
  'lost update',
  'update and deletion',
  'lost update and deletion',
  'deletion alone',
  'update, deletion and another pod',
  'new pod and update',
  'new pod, update and deletion',
] as const;

export const watchFaults = ['ended', 'reset', 'expired', 'silent', 'replayed', 'bookmarks'] as const;

/** Of requests for pods. */
export const listFaults = [
  'refused',
  'unauthorized',
  'forbidden',
  'invalid',
  'throttled',
  'unavailable',
  'expired',
  'hanging',
  'empty',
  'truncated',
] as const satisfies readonly RequestFault[];

/** A change of pods. */
export type ChangeStep =
  | { readonly type: 'add'; readonly place: Place; readonly nodeName: NodeName; readonly app: App }
  | {
      readonly type: 'end';
      readonly pick: number;
      readonly ending: PodEnding;
      readonly way: (typeof endingWays)[number];
      readonly timePlace: TimePlace;
    }
  | { readonly type: 'touch' | 'relabel' | 'delete' | 'replace'; readonly pick: number };

/** What happens after everything has settled. */
export type OtherStep =
  | { readonly type: 'watch fault'; readonly fault: (typeof watchFaults)[number] }
  /** Changes that no watch shows: only a list can, as their versions are forgotten. */
  | { readonly type: 'gap'; readonly meanwhile: readonly ChangeStep[] }
  | { readonly type: 'request faults'; readonly faults: readonly (typeof listFaults)[number][] }
  | { readonly type: 'slow lists' | 'relist' | 'scrape' | 'restart' }
  | { readonly type: 'elapse'; readonly ms: number }
  | { readonly type: 'reload'; readonly settings: Partial<HistorySettings> };

type Step = ChangeStep | OtherStep;

const changeTypes: ReadonlySet<string> = new Set<ChangeStep['type']>([
  'add',
  'end',
  'touch',
  'relabel',
  'delete',
  'replace',
]);

export function isChange(step: Step): step is ChangeStep {
  return changeTypes.has(step.type);
}

/** `isAtOnce`: the next step follows in the same turn of the event loop. */
export type TimedStep = Step & { readonly isAtOnce: boolean };

const kind = <T extends string>(...types: T[]) => fc.constantFrom(...types);
const pick = fc.nat(8);

export const settings: fc.Arbitrary<HistorySettings> = fc.record({
  pods: kind(...(Object.keys(podScopes) as (keyof typeof podScopes)[])),
  role: fc.constantFrom(undefined, undefined, 'front' as const),
  workloads: kind(...workloadKinds),
  ttlSeconds: fc.constantFrom(30, 55),
});

/** One section at a time, or two. */
const newSettings = settings.chain((all) =>
  fc
    .subarray(['pods', 'role', 'workloads', 'ttlSeconds'] as const, { minLength: 1, maxLength: 2 })
    .map((keys) => Object.fromEntries(keys.map((key) => [key, all[key]])) as Partial<HistorySettings>),
);

const changeStep: fc.Arbitrary<ChangeStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: kind('add'),
      place: fc.constantFrom(...places),
      nodeName: kind(...nodeNames),
      app: kind('cart', 'web'),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      type: kind('end'),
      pick,
      ending: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...evictionEndings) },
        { weight: 1, arbitrary: fc.constantFrom(...otherEndings) },
      ),
      way: kind(...endingWays),
      timePlace: kind(...timePlaces),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: kind('touch', 'relabel', 'delete', 'replace'), pick }) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 15, arbitrary: changeStep },
  { weight: 3, arbitrary: fc.record({ type: kind('watch fault'), fault: kind(...watchFaults) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: kind('gap'), meanwhile: fc.array(changeStep, { minLength: 1, maxLength: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: kind('request faults'),
      faults: fc.array(kind(...listFaults), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: kind('slow lists', 'relist', 'scrape') }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: kind('elapse'), ms: fc.constantFrom(1, 1_000, 40_000, 200_000, 700_000) }),
  },
  { weight: 4, arbitrary: fc.record({ type: kind('reload'), settings: newSettings }) },
  { weight: 1, arbitrary: fc.record({ type: kind('restart') }) },
);

export const timedStep: fc.Arbitrary<TimedStep> = fc
  .tuple(step, fc.boolean())
  .map(([what, isAtOnce]) => ({ ...what, isAtOnce }));
