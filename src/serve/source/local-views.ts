import type { Config } from '../../config/schema.js';
import type { Lane } from '../../lib/base/lane.js';
import { coverageOf } from '../../people/query/coverage.js';
import { viewOf } from '../../people/status/views.js';
import type { Reader } from './cluster-reader.js';
import { pagedReader } from './paged-reader.js';
import type { ViewSource } from './view-source.js';

/** Makes views of what the reader reads, as an exporter would that was started a moment ago. */
export function localViews({
  reader,
  config,
  lane,
}: {
  readonly reader: Reader;
  readonly config: Config;
  readonly lane: Lane;
}): ViewSource {
  const status = { problems: [], clusterName: config.web.clusterName ?? '' };
  return {
    read: async (signal) => {
      const reading = await reader.read(signal);
      const facts = { coverage: coverageOf(reading), generatedAtMs: reading.readAtMs, notes: reading.notes };
      return pagedReader(() => async (address) => {
        const { data } = await viewOf(address, { status, reading, settings: config, lane });
        return { ...facts, data };
      });
    },
  };
}
