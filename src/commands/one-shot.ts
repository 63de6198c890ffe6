import { apiNodes, resolveScope, withOwnNamespace } from '../app/resolve-scope.js';
import { UserError } from '../base/errors.js';
import type { Config } from '../config/schema.js';
import { WorkloadResolver } from '../workload/workload-resolver.js';
import { ClusterReader, type Reader } from './cluster-reader.js';
import { type CommandContext, hostOf } from './context.js';
import { evictionsReader } from './evictions/eviction-sources.js';
import type { ExporterAddress } from './evictions/exporter-address.js';
import { commandCredentials, type CredentialFlags, loadSettings, type SettingFlags } from './load-settings.js';
import { readRecordedCollection, recordedReader, type RecordingFlags } from './recorded-collection.js';
import { warnOn } from './recordings.js';

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
  /** Evictions are read, and nothing else. */
  readonly evictions?:
    | {
        /** Undefined: the Service of this project's manifests. */
        readonly exporter: ExporterAddress | undefined;
        /** Undefined: that of the context. */
        readonly namespace: string | undefined;
        readonly allNamespaces: boolean;
      }
    | undefined;
  /** See {@link ClusterReader}. */
  readonly detailsOf?: string | undefined;
  readonly podName?: string | undefined;
}

/** Reads the recordings of the flags, or the cluster, see {@link withCluster}. */
export async function withReader(
  flags: ClusterFlags,
  context: CommandContext,
  use: (session: ClusterSession) => Promise<void>,
  options: ReadOptions = {},
): Promise<void> {
  if (flags.recordings === undefined) {
    if (options.evictions === undefined) await withCluster(flags, context, use, options);
    else await withEvictions(flags, context, use, options.evictions);
    return;
  }
  const { config } = await loadSettings(flags.settings, context);
  const recorded = await readRecordedCollection(flags.recordings, {
    config,
    warn: warnOn(context),
    showsAllPods: true,
  });
  await use({ reader: recordedReader(recorded), config, namespace: undefined });
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
  const settings = await loadSettings(flags.settings, context);
  const credentials = await commandCredentials(flags, context);
  const config = withOwnNamespace(settings.config, credentials);
  const { stopSignal } = context;
  try {
    // Shards divide the work of exporters; a command shows all of them.
    const unsharded = { ...config.cluster, shard: 0, totalShards: 1 };
    const nodes = apiNodes({ credentials, clock: context.clock, version: context.version });
    const scope = await resolveScope({ settings: unsharded, host: hostOf(context), nodes }, stopSignal);
    await using reader = new ClusterReader({ config, scope, credentials, context, ...options });
    await reader.synced(stopSignal);
    await use({ reader, config, namespace: credentials.namespace ?? 'default' });
  } catch (error) {
    if (stopSignal.aborted && error === stopSignal.reason) throw new UserError('stopped before there was an answer');
    throw error;
  }
}

/** An exporter with a URL can be asked without a cluster. */
async function withEvictions(
  flags: ClusterFlags,
  context: CommandContext,
  use: (session: ClusterSession) => Promise<void>,
  { exporter, namespace, allNamespaces }: NonNullable<ReadOptions['evictions']>,
): Promise<void> {
  const { config } = await loadSettings(flags.settings, context);
  const needsCluster = exporter === undefined || !('url' in exporter);
  const credentials = await commandCredentials(flags, context).catch((error: unknown) => {
    if (needsCluster) throw error;
    return undefined;
  });
  const contextNamespace = credentials && (credentials.namespace ?? 'default');
  const { clock, version } = context;
  const reader = evictionsReader({
    exporter,
    credentials,
    namespace: allNamespaces ? undefined : (namespace ?? contextNamespace),
    resolver: new WorkloadResolver(config.workloads),
    clock,
    version,
  });
  await use({ reader, config, namespace: contextNamespace });
}
