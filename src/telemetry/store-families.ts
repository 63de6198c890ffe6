import { type ExposeFamily, selfFamilies } from './self-families.js';
import type { StoreCounts, StoreState } from './store-metrics.js';
import type { Tally } from './tally.js';

export interface StoreFamilyInputs {
  /** Of the stores in use. */
  readonly states: () => readonly StoreState[];
  /** By resource. */
  readonly counts: ReadonlyMap<string, StoreCounts>;
}

/** Exposes the families about the stores of API objects. */
export function exposeStores(expose: ExposeFamily, { states, counts }: StoreFamilyInputs): void {
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
  expose(selfFamilies.storeLastProgress, () =>
    states().flatMap(({ resource, lastProgress }) =>
      lastProgress === undefined ? [] : [{ labels: { resource }, value: lastProgress.wallMs / 1_000 }],
    ),
  );
  const countOf = (read: (counts: StoreCounts) => number) => () =>
    Array.from(counts, ([resource, ofResource]) => ({ labels: { resource }, value: read(ofResource) }));
  expose(
    selfFamilies.storeStaleResourceVersions,
    countOf(({ staleResourceVersionCount }) => staleResourceVersionCount),
  );
  expose(
    selfFamilies.storeSuppressedUpdates,
    countOf(({ suppressedUpdateCount }) => suppressedUpdateCount),
  );
  const tallyOf =
    <L extends string>(label: L, read: (counts: StoreCounts) => Tally<string>) =>
    () =>
      Array.from(counts, ([resource, ofResource]) =>
        read(ofResource)
          .entries()
          .map(([key, value]) => ({ labels: { resource, [label]: key } as Record<'resource' | L, string>, value })),
      ).flat();
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
