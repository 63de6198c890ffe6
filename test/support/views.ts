import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { nodeExplanation } from '../../src/people/query/node-explanation.js';
import { explainPods, type PodExplanation } from '../../src/people/query/pod-explanation.js';
import { type ViewReader, viewsOf as localViews } from '../../src/serve/source/view-source.js';
import { settingsOf } from './exporter.js';
import { atOnce } from './lanes.js';

/** Reads the views of a reading, as commands make them without an exporter. `settings`: of a settings file. */
export function viewsOf(reading: ClusterReading, settings = ''): Promise<ViewReader> {
  return Promise.resolve(localViews(reading, { config: settingsOf(settings), lane: atOnce }));
}

/** Explains node-1. */
export function explanationOf(reading: ClusterReading) {
  const view = reading.snapshot.nodes.find(({ nodeName }) => nodeName === 'node-1');
  return view && nodeExplanation(view, reading);
}

/** Explains every pod of the name. */
export async function podsOf(
  reading: ClusterReading,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<readonly PodExplanation[]> {
  return explainPods(reading, { namespace, name, mode: 'measured' }, atOnce);
}
