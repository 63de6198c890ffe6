import { Registry } from 'prom-client';

import { type Clock, systemClock } from '../base/clock.js';
import { UserError } from '../base/errors.js';
import { createCollection } from '../collection.js';
import { recordPodChange } from '../eviction-recorder.js';
import { Exposition } from '../exposition/exposition.js';
import { noFilter } from '../exposition/selection.js';
import { EvictionLog } from '../history/eviction-log.js';
import type { CommandContext } from './context.js';
import { loadSettings, type SettingFlags } from './load-settings.js';
import { RecordedCluster } from './recorded-cluster.js';
import { readObjects, readSummaries } from './recordings.js';

export interface ReplayOptions {
  readonly settings: SettingFlags;
  /** File or folder. */
  readonly summaries: string;
  readonly objects: string | undefined;
}

/**
 * Prints the exposition of recorded summaries and API objects, as of the newest time in the summaries; without API objects,
 * of all pods. Files that cannot be read are reported on standard error. Throws UserError when no summary is left.
 */
export async function replay({ settings, summaries, objects }: ReplayOptions, context: CommandContext): Promise<void> {
  const { config } = await loadSettings(settings, context);
  const warn = (text: string): void => {
    context.writeError(`${text}\n`);
  };
  const recorded = await readSummaries(summaries, warn);
  if (recorded.length === 0)
    throw new UserError(`${summaries}: no kubelet summary found; expected bodies of /stats/summary in *.json files`);
  const cluster = new RecordedCluster(
    recorded,
    objects === undefined ? { nodes: [], pods: [] } : await readObjects(objects, warn),
  );
  const clock = clockAt(cluster.newestTimeMs);
  const log = new EvictionLog(config.evictions, clock);
  const collection = createCollection({
    config,
    store: cluster,
    cache: cluster,
    // A recording shows evicted pods; it counts nothing.
    evictions: { snapshot: (options) => ({ ...log.snapshot(options), workloads: [], nodes: [] }) },
    clock,
    ...(objects === undefined ? { showsAllPods: true } : {}), // without API objects no pod has a workload
  });
  for (const object of cluster.pods()) {
    const change = { object, previous: undefined, isFirstList: true };
    recordPodChange(change, { log, config, collection, nodes: cluster, histories: [] });
  }
  const signal = new AbortController().signal;
  const exposition = new Exposition({
    settings: config.metrics,
    selfMetrics: { registry: new Registry(), setSeries: () => undefined },
    observer: {
      capped: ({ families }) => {
        if (families.length > 0) warn(`left out, as they are above metrics.maxSeries: ${families.join(', ')}`);
      },
    },
    clock,
  });
  const snapshot = await collection.collector.collect(signal);
  const { chunks } = await exposition.render(snapshot, { format: 'text', filter: noFilter }, signal);
  for (const chunk of chunks) context.writeOut(chunk.toString('utf8'));
}

/** Both times stand still: a recording does not age while it is read, and gives the same text each time. */
function clockAt(nowMs: number): Clock {
  return { ...systemClock, nowMs: () => nowMs, monotonicMs: () => 0 };
}
