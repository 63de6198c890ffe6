import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { podsWithOutlook, type PodWithOutlook } from '../../src/people/query/pod-outlook.js';
import { localViews } from '../../src/serve/source/local-views.js';
import type { ViewReader } from '../../src/serve/source/view-source.js';
import { settingsOf } from './exporter.js';
import { atOnce } from './lanes.js';
import { never } from './signals.js';

/** Reads the views of a reading, as commands make them without an exporter. `settings`: of a settings file. */
export async function viewsOf(reading: ClusterReading, settings = ''): Promise<ViewReader> {
  const reader = { read: () => Promise.resolve(reading) };
  return localViews({ reader, config: settingsOf(settings), lane: atOnce }).read(never);
}

/** Explains every pod of the name. */
export async function podsOf(
  reading: ClusterReading,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<readonly PodWithOutlook[]> {
  return podsWithOutlook(reading, { namespace, name, mode: 'measured' }, atOnce);
}
