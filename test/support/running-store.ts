import { silentLogger } from '../../src/base/logger.js';
import type { ApiTransport } from '../../src/http/api-client.js';
import { wholeCluster } from '../../src/kube/scope.js';
import { ClusterStore, type ClusterStoreOptions } from '../../src/watch/cluster-store.js';
import { ClusterWatches } from '../../src/watch/cluster-watches.js';
import type { SharedWatchObserver } from '../../src/watch/shared-watch.js';
import type { ManualClock } from './manual-clock.js';
import { mustNotEnd, silentObserver } from './watch-observers.js';

interface RunningStoreOptions extends Partial<Omit<ClusterStoreOptions, 'watches' | 'clock'>> {
  readonly api: ApiTransport;
  readonly clock: ManualClock;
  readonly observer?: SharedWatchObserver;
}

interface RunningStore extends AsyncDisposable {
  readonly store: ClusterStore;
  readonly watches: ClusterWatches;
}

/** The store of everything unless the options say otherwise, whose watches run until its disposal. */
export function startStore({ observer = silentObserver, ...options }: RunningStoreOptions): RunningStore {
  const quiet = { random: () => 0.5, logger: silentLogger, ...options };
  const watches = new ClusterWatches({ ...quiet, observer, onUnexpectedEnd: mustNotEnd });
  const store = new ClusterStore({
    scope: wholeCluster,
    namespaces: [],
    podSelector: [],
    nodeSelector: [],
    rememberDeletedMs: 100_000,
    ...quiet,
    watches,
  });
  return {
    store,
    watches,
    [Symbol.asyncDispose]: async () => {
      store[Symbol.dispose]();
      await watches[Symbol.asyncDispose]();
    },
  };
}
