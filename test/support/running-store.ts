import type { ApiTransport } from '../../src/cluster/http/api-client.js';
import { wholeCluster } from '../../src/cluster/kube/scope.js';
import { ClusterStore } from '../../src/cluster/watch/cluster-store.js';
import { ClusterWatches } from '../../src/cluster/watch/cluster-watches.js';
import type { WatchObserver } from '../../src/cluster/watch/watch-observer.js';
import { type Logger, silentLogger } from '../../src/lib/base/logger.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import type { ManualClock } from './manual-clock.js';
import { mustNotEnd, silentObserver } from './watch-observers.js';

interface RunningStoreOptions extends Partial<
  Omit<ConstructorParameters<typeof ClusterStore>[0], 'watches' | 'clock'>
> {
  readonly logger?: Logger;
  readonly random?: () => number;
  readonly api: ApiTransport;
  readonly clock: ManualClock;
  readonly observer?: WatchObserver;
}

interface RunningStore extends AsyncDisposable {
  readonly store: ClusterStore;
  readonly watches: ClusterWatches;
}

/** The store of everything unless the options say otherwise, whose watches run until its disposal. */
export function startStore({ observer = silentObserver, ...options }: RunningStoreOptions): RunningStore {
  const scheduler = new Scheduler(options.clock);
  const quiet = { scheduler, random: () => 0.5, logger: silentLogger, ...options };
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
