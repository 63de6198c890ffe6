import type { StoreState } from '../watch/store-lists.js';
import { watchModes } from '../watch/next-step.js';
import { selfFamilies } from './self-families.js';
import type { ExposeFamily } from './self-family.js';
import type { CountsByResource, StoreCounts, StoresInUse } from './store-counts.js';
import type { Tally } from './tally.js';

export interface StoreFamilyInputs {
  /** Undefined before there are any. */
  readonly stores: () => StoresInUse | undefined;
  readonly counts: CountsByResource;
}

/** Exposes the families about the stores of API objects. */
export function exposeStores(expose: ExposeFamily, { stores, counts }: StoreFamilyInputs): void {
  const states = (): readonly StoreState[] => stores()?.store.lists.states() ?? [];
  const countOfStores = (read: (stores: StoresInUse) => number) => () => {
    const inUse = stores();
    return inUse === undefined ? [] : [{ labels: {}, value: read(inUse) }];
  };
  expose(
    selfFamilies.storeWatchers,
    countOfStores(({ watches }) => watches.watchCount),
  );
  expose(
    selfFamilies.storeSubscribers,
    countOfStores(({ watches }) => watches.subscriptionCount),
  );
  expose(selfFamilies.storeObjects, () =>
    states().map(({ resource, objectCount }) => ({ labels: { resource }, value: objectCount })),
  );
  expose(selfFamilies.storeSynced, () =>
    states().flatMap(({ resource, scopes }) =>
      scopes.map(({ namespace, isSynced }) => ({ labels: { resource, namespace }, value: Number(isSynced) })),
    ),
  );
  expose(selfFamilies.storeWatchConnected, () =>
    states().map(({ resource, isConnected }) => ({ labels: { resource }, value: Number(isConnected) })),
  );
  expose(selfFamilies.storeMode, () =>
    states().flatMap(({ resource, mode: current }) =>
      watchModes.map((mode) => ({ labels: { resource, mode }, value: Number(mode === current) })),
    ),
  );
  expose(selfFamilies.storeLastProgress, () =>
    states().flatMap(({ resource, lastProgress }) =>
      lastProgress === undefined ? [] : [{ labels: { resource }, value: lastProgress.wallMs / 1_000 }],
    ),
  );
  exposeCounts(expose, counts);
}

function exposeCounts(expose: ExposeFamily, counts: CountsByResource): void {
  const countOf = (read: (counts: StoreCounts) => number) => () =>
    Object.entries(counts).map(([resource, ofResource]) => ({ labels: { resource }, value: read(ofResource) }));
  expose(
    selfFamilies.storeStaleResourceVersions,
    countOf(({ staleResourceVersionCount }) => staleResourceVersionCount),
  );
  expose(
    selfFamilies.storeSuppressedUpdates,
    countOf(({ suppressedUpdateCount }) => suppressedUpdateCount),
  );
  expose(
    selfFamilies.storeDrift,
    countOf(({ driftCount }) => driftCount),
  );
  expose(
    selfFamilies.storeSubscriberErrors,
    countOf(({ subscriberErrorCount }) => subscriberErrorCount),
  );
  const tallyOf =
    <L extends string>(label: L, read: (counts: StoreCounts) => Tally<string>) =>
    () =>
      Object.entries(counts).flatMap(([resource, ofResource]) =>
        read(ofResource)
          .entries()
          .map(([key, value]) => ({ labels: { resource, [label]: key } as Record<'resource' | L, string>, value })),
      );
  expose(
    selfFamilies.storeEvents,
    tallyOf('type', ({ events }) => events),
  );
  expose(
    selfFamilies.storeLists,
    tallyOf('result', ({ lists }) => lists),
  );
  expose(
    selfFamilies.storeWatches,
    tallyOf('result', ({ watches }) => watches),
  );
  expose(
    selfFamilies.storeSkippedObjects,
    tallyOf('reason', ({ skippedObjects }) => skippedObjects),
  );
}
