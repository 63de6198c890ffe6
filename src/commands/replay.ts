import { Registry } from 'prom-client';

import { type Clock, systemClock } from '../base/clock.js';
import { UserError } from '../base/errors.js';
import { createCollection } from '../collection.js';
import { Exposition } from '../exposition/exposition.js';
import { noFilter } from '../exposition/selection.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';
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
 * Prints the exposition that recorded summaries and API objects give, as of the newest time in the summaries. What cannot
 * be read is told on standard error; throws UserError when no summary is left.
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
  const { collector } = createCollection({ config, store: cluster, cache: cluster, clock });
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
  const snapshot = await collector.collect(signal);
  if (objects === undefined && isWithoutPods(snapshot)) warn(objectsMissing);
  const { chunks } = await exposition.render(snapshot, { format: 'text', filter: noFilter }, signal);
  for (const chunk of chunks) context.writeOut(chunk.toString('utf8'));
}

const objectsMissing =
  'only series of nodes: without --objects no pod belongs to a workload; give it, or set workloads.controllers to false to see all pods';

/** Whether there are pods in the summaries and none of them has series. */
function isWithoutPods(snapshot: ClusterSnapshot | undefined): boolean {
  const nodes = (snapshot?.nodes ?? []).flatMap((node) => (node.state === 'absent' ? [] : [node.snapshot]));
  return nodes.some(({ summary }) => summary.pods.length > 0) && nodes.every(({ pods }) => pods.length === 0);
}

/** Both times stand still: a recording does not age while it is read, and gives the same text each time. */
function clockAt(nowMs: number): Clock {
  return { ...systemClock, nowMs: () => nowMs, monotonicMs: () => 0 };
}
