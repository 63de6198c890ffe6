import { type ExporterConnection, exporterReader } from './exporter-views.js';
import { mergedReader } from './merged-views.js';
import { type AskedShard, chosenShards, failingReader } from './shards.js';
import { untilAnswered } from './until-answered.js';
import type { ViewSource } from './view-source.js';

/** Reads an exporter when its kubelets have responded; one shard as such. */
export function answeredSource(connection: ExporterConnection): ViewSource {
  return {
    read: async (signal) => {
      const reader = exporterReader(connection, signal);
      const coverage = await untilAnswered(reader, connection.clock, signal);
      return coverage.totalShards === undefined ? reader : mergedReader(chosenShards([{ name: '', reader, coverage }]));
    },
  };
}

/** One of several exporters that measure a part of the nodes each. */
export interface ShardSource {
  /** That of its pod. */
  readonly name: string;
  readonly connection: ExporterConnection;
}

/** Reads several exporters as one. A shard that fails when a reading begins is not waited for again in it. */
export function shardedSource(shards: readonly ShardSource[]): ViewSource {
  return {
    read: async (signal) => mergedReader(chosenShards(await Promise.all(shards.map((shard) => asked(shard, signal))))),
  };
}

async function asked({ name, connection }: ShardSource, signal: AbortSignal): Promise<AskedShard> {
  try {
    const reader = exporterReader(connection, signal);
    return { name, reader, coverage: await untilAnswered(reader, connection.clock, signal) };
  } catch (error) {
    return { name, reader: failingReader(error), coverage: undefined };
  }
}
