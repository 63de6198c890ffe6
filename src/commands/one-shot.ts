import { UserError } from '../base/errors.js';
import type { Config } from '../config/schema.js';
import { apiNodes, resolveScope } from '../resolve-scope.js';
import { ClusterReader, type Reader } from './cluster-reader.js';
import { commandCredentials, type CredentialFlags } from './command-credentials.js';
import type { CommandContext } from './context.js';
import { hostOf } from './host.js';
import { loadSettings, type SettingFlags } from './load-settings.js';
import { readRecordedCollection, type RecordingFlags } from './recorded-collection.js';
import { RecordedReader } from './recorded-reader.js';

/** Which cluster a command reads that serves nothing. */
export interface ClusterFlags extends CredentialFlags {
  readonly settings: SettingFlags;
  /** Read instead of a cluster. */
  readonly recordings?: RecordingFlags | undefined;
}

/** A cluster that is being read. */
export interface ClusterSession {
  readonly reader: Reader;
  readonly config: Config;
  /** That of the context; undefined, all, for recordings. */
  readonly namespace: string | undefined;
}

interface ReadOptions {
  /** Whether nodes have the list of their images. */
  readonly keepsImages?: boolean;
}

/** Reads the recordings of the flags, or the cluster, see {@link withCluster}. */
export async function withReader(
  flags: ClusterFlags,
  context: CommandContext,
  use: (session: ClusterSession) => Promise<void>,
  options: ReadOptions = {},
): Promise<void> {
  if (flags.recordings === undefined) {
    await withCluster(flags, context, use, options);
    return;
  }
  const { config } = await loadSettings(flags.settings, context);
  const warn = (text: string): void => {
    context.writeError(`${text}\n`);
  };
  const recorded = await readRecordedCollection(flags.recordings, { config, warn, showsAllPods: true });
  await use({ reader: new RecordedReader(recorded), config, namespace: undefined });
}

/**
 * Reads the cluster of the flags: lists it, has `use` work with it, and leaves nothing open. Throws UserError with a line
 * per cause when it cannot be listed.
 */
async function withCluster(
  flags: ClusterFlags,
  context: CommandContext,
  use: (session: ClusterSession) => Promise<void>,
  options: ReadOptions,
): Promise<void> {
  const { config } = await loadSettings(flags.settings, context);
  const credentials = await commandCredentials(flags, context);
  const { stopSignal } = context;
  try {
    // Shards divide the work of exporters; a command shows all of them.
    const settings = { ...config.cluster, shard: 0, totalShards: 1 };
    const nodes = apiNodes({ credentials, clock: context.clock, version: context.version });
    const scope = await resolveScope({ settings, host: hostOf(context), nodes }, stopSignal);
    await using reader = new ClusterReader({ config, scope, credentials, context, ...options });
    await reader.synced(stopSignal);
    await use({ reader, config, namespace: credentials.namespace ?? 'default' });
  } catch (error) {
    if (stopSignal.aborted && error === stopSignal.reason) throw new UserError('stopped before there was an answer');
    throw error;
  }
}
