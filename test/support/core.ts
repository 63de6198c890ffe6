import { Registry } from 'prom-client';

import { wholeCluster } from '../../src/cluster/kube/scope.js';
import { EvictionLog } from '../../src/facts/history/eviction-log.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { Core, type CoreOptions, type CorePlace } from '../../src/serve/app/core.js';
import { settingsOf } from './exporter.js';

type Unasked = Pick<CorePlace['store'], 'lists' | 'pods' | 'findNode' | 'mayBeGone'>;

/** A core of default settings. Collections ask nothing else of its store. */
export function aCore({
  store,
  cache,
  setNearNodes = () => undefined,
  ...options
}: Partial<CoreOptions<CorePlace>> &
  Pick<CoreOptions<CorePlace>, 'clock'> & {
    readonly store: Omit<CorePlace['store'], keyof Unasked>;
    readonly cache: CorePlace['cache'];
    readonly setNearNodes?: CorePlace['setNearNodes'];
  }): Core {
  const config = settingsOf('');
  const unasked: Unasked = {
    lists: { nodesSeenAtMs: -Infinity, isServerAway: false },
    pods: () => [],
    findNode: () => undefined,
    mayBeGone: () => false,
  };
  return new Core({
    ...{ config, scope: wholeCluster, scheduler: new Scheduler(options.clock) },
    place: { store: Object.assign(store, unasked), cache, setNearNodes },
    evictions: new EvictionLog(config.evictions, options.clock),
    selfMetrics: { registry: new Registry(), setSeries: () => undefined },
    observer: { capped: () => undefined },
    ...options,
  });
}
