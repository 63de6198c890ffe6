import { Registry } from 'prom-client';

import { Exposition } from '../exposition/exposition.js';
import { noFilter } from '../exposition/selection.js';
import type { CommandContext } from './context.js';
import { loadSettings, type SettingFlags } from './load-settings.js';
import { readRecordedCollection, type RecordingFlags } from './recorded-collection.js';
import { warnOn } from './recordings.js';

/**
 * Prints the exposition of recorded summaries and API objects, as of the newest time in the summaries; without API objects,
 * of all pods. Files that cannot be read are reported on standard error. Throws UserError when no summary is left.
 */
export async function replay(
  { settings, ...recordings }: RecordingFlags & { readonly settings: SettingFlags },
  context: CommandContext,
): Promise<void> {
  const { config } = await loadSettings(settings, context);
  const warn = warnOn(context);
  const { collection, scheduler, clock } = await readRecordedCollection(recordings, {
    config,
    warn,
    showsAllPods: false,
  });
  const signal = new AbortController().signal;
  const exposition = new Exposition({
    settings: config.metrics,
    selfMetrics: { registry: new Registry(), setSeries: () => undefined },
    observer: {
      capped: ({ families }) => {
        if (families.length > 0) warn(`left out, as they are above metrics.maxSeries: ${families.join(', ')}`);
      },
    },
    lane: scheduler.newLane(),
    clock,
  });
  const snapshot = await collection.collector.collect(signal);
  const { chunks } = await exposition.render(snapshot, { format: 'text', filter: noFilter }, signal);
  for (const chunk of chunks) context.writeOut(chunk.toString('utf8'));
}
