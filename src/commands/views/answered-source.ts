import { type ExporterConnection, exporterReader } from './exporter-views.js';
import { mergedReader } from './merged-views.js';
import { failingReader } from './shards.js';
import { untilAnswered } from './until-answered.js';
import type { ViewSource } from './view-source.js';

/** Reads an exporter when its kubelets have responded. */
export function answeredSource(connection: ExporterConnection): ViewSource {
  return {
    read: async (signal) => {
      const reader = exporterReader(connection, signal);
      await untilAnswered(reader, connection.clock, signal);
      return reader;
    },
  };
}

/** One of several exporters that measure a part of the nodes each. */
export interface ShardSource {
  /** That of its pod. */
  readonly name: string;
  readonly source: ViewSource;
}

/** Reads several exporters as one. `totalCount`: with those that are not ready. A shard that fails when a reading begins is not waited for again in it. */
export function shardedSource(shards: readonly ShardSource[], totalCount: number): ViewSource {
  return {
    read: async (signal) => {
      const readers = shards.map(async ({ name, source }) => {
        return { name, reader: await source.read(signal).catch(failingReader) };
      });
      return mergedReader({ ready: await Promise.all(readers), totalCount });
    },
  };
}
