import type { Credentials } from '../../cluster/credentials/credentials.js';
import { loadCredentials, type LoadCredentialsOptions } from '../../cluster/credentials/load-credentials.js';
import { readObject } from '../../cluster/http/api-client.js';
import { loadSettings, type SettingFlags } from '../../config/load.js';
import type { Config } from '../../config/schema.js';
import { WorkloadResolver } from '../../facts/workload/workload-resolver.js';
import { messageOf, RequestError, UsageError, UserError } from '../../lib/base/errors.js';
import { Scheduler } from '../../lib/base/scheduler.js';
import { escapeInvisible, escapeLines } from '../../lib/base/text.js';
import type { JsonObject } from '../../lib/json/json.js';
import type { ClusterReading } from '../../people/query/cluster-reading.js';
import { NotFoundError } from '../../people/status/view-errors.js';
import { apiNodes, hostOf, resolveScope } from '../app/resolve-scope.js';
import type { CommandSubject, OpenAnswers } from './answer-source.js';
import { type AskedPlace, ClusterReader } from './cluster-reader.js';
import { CommandRequests, type ReadingProcess } from './command-requests.js';
import { answersFrom } from './document-answers.js';
import type { ExporterAddress, ExporterFiles, viewOrigins } from './exporter-address.js';
import { ClusterError, openExporter } from './exporter-source.js';
import { readRecording, recordedCore, type RecordingFlags } from './recorded-core.js';
import { readEvictedPods } from './status-evictions.js';
import { type ReadViews, viewsOf } from './view-source.js';
import type { FoundWorkload } from './workload-lookup.js';

/** What the command line says about the credentials. */
export type CredentialFlags = Pick<LoadCredentialsOptions, 'kubeconfigPath' | 'overrides'>;

/** Which cluster a command reads that serves nothing, and how. */
export interface ClusterFlags extends CredentialFlags {
  readonly settings: SettingFlags;
  /** See {@link CommandRequests}. */
  readonly requestTimeoutMs?: number | undefined;
  /** Read instead of a cluster. */
  readonly recordings?: RecordingFlags | undefined;
  /** Undefined: an exporter, and the kubelets where none can be read. */
  readonly from?: (typeof viewOrigins)[number] | undefined;
  /** Undefined: the Service with the project's label. */
  readonly exporter?: ExporterAddress | undefined;
  readonly exporterFiles?: ExporterFiles | undefined;
}

/** A command that reads something, while it looks for what it can read. */
interface Asking {
  readonly flags: ClusterFlags;
  readonly config: Config;
  readonly subject: CommandSubject;
  readonly requests: CommandRequests;
  readonly context: ReadingProcess;
  /** `namespace`: see {@link AnswerSession}. `access`: how kubelets are reached from here; undefined where they are not. */
  readonly use: (session: {
    readonly read: ReadViews;
    readonly namespace: string | undefined;
    readonly access?: Config['kubelet']['access'] | undefined;
  }) => Promise<void>;
}

/**
 * Reads the recordings of the flags, an exporter, or the cluster itself. What is opened throws UserError with a line for each cause when
 * nothing can be read.
 */
export function openAnswers(flags: ClusterFlags, context: ReadingProcess): OpenAnswers {
  return async (subject, use) => {
    const { config } = await loadSettings(flags.settings, context);
    const requests = new CommandRequests({ ...context, timeoutMs: flags.requestTimeoutMs });
    const found = new Map<string, FoundWorkload>();
    const useViews: Asking['use'] = ({ read, namespace, access }) =>
      use({ namespace, read: async (signal) => answersFrom(await read(signal), access, found) });
    await withViews({ flags, config, subject, requests, context, use: useViews });
  };
}

async function withViews(asking: Asking): Promise<void> {
  const { flags, context } = asking;
  const { stopSignal } = context;
  try {
    if (flags.recordings !== undefined) await withRecording(flags.recordings, asking);
    else if (flags.from === 'kubelets') await withCluster(asking);
    else await withExporter(asking);
  } catch (error) {
    if (stopSignal.aborted && error === stopSignal.reason) throw new UserError('stopped before there was an answer');
    const isToSay = error instanceof RequestError || error instanceof NotFoundError;
    throw isToSay ? new UserError(error.message, { cause: error }) : error;
  }
}

async function withRecording(recordings: RecordingFlags, { config, context, use }: Asking): Promise<void> {
  const core = await recordedCore(recordings, { config, writeError: context.writeError, showsAll: true });
  const lane = core.scheduler.newLane();
  const read = async (signal: AbortSignal) => viewsOf(await readRecording(core, signal), { config, lane });
  await use({ read, namespace: undefined });
}

/** An exporter with a URL can be read without a cluster. */
async function withExporter(asking: Asking): Promise<void> {
  const { flags, context, use } = asking;
  const needsCluster = flags.exporter === undefined || !('url' in flags.exporter);
  const credentials = await personalCredentials(flags, context).catch((error: unknown) => {
    if (needsCluster) throw error;
    return undefined;
  });
  const opened = await attempt(asking, credentials);
  if (opened instanceof Error) {
    await withKubelets(opened, asking, credentials);
    return;
  }
  using exporter = opened;
  await use({ read: exporter.read, namespace: credentials && (credentials.namespace ?? 'default') });
}

/** Reads the kubelets instead, which is said. A reader of the exporter, who may not read them, need not know why. */
async function withKubelets(cause: Error, asking: Asking, credentials: Credentials | undefined): Promise<void> {
  const reason = escapeInvisible(messageOf(cause));
  const progress = { hasBegun: false };
  const use: Asking['use'] = (session) => {
    progress.hasBegun = true;
    asking.context.writeError(`No exporter was read, but the kubelets: ${reason}\n`);
    return asking.use(session);
  };
  try {
    await withCluster({ ...asking, use }, credentials);
  } catch (error) {
    if (progress.hasBegun || !(error instanceof UserError || error instanceof RequestError)) throw error;
    const hasNoExporter = cause instanceof RequestError && cause.reason === 'not_found';
    const lines = !hasNoExporter && isForbidden(error) ? [reason] : [`No exporter was read: ${reason}`, error.message];
    throw new UserError(lines.join('\n'), { cause: error });
  }
}

/** Of one request, or of all lists. */
function isForbidden({ message }: Error): boolean {
  return message.split('\n').every((line) => line.includes('the API server answered 403'));
}

/** Returns the reason where the kubelets are to be read instead. Throws UserError where that is not wanted. */
async function attempt({ flags, subject, requests, context }: Asking, credentials: Credentials | undefined) {
  const { clock, version, stopSignal } = context;
  const { exporter: address, exporterFiles: files } = flags;
  const place = placeOf(subject, credentials);
  try {
    return await openExporter({ address, files, credentials, place, clock, version, requests }, stopSignal);
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof UserError)) throw error;
    if (isFinal(error, flags, requests)) {
      throw new UserError(`${error.message}${finalHint(error, flags, requests)}`, { cause: error });
    }
    return error;
  }
}

/** Where the API server cannot be reached, the kubelets cannot be found; where a flag is missing, a person decides. */
function isFinal(error: Error, flags: ClusterFlags, { timedOut }: CommandRequests): boolean {
  const isOfServer = error instanceof RequestError && ['connection', 'tls'].includes(error.reason);
  const isKnown = isOfServer || error instanceof ClusterError || error instanceof UsageError;
  return isKnown || isRequired(flags) || timedOut.aborted;
}

function isRequired({ from, exporter }: ClusterFlags): boolean {
  return from === 'exporter' || exporter !== undefined;
}

/** An exporter that does not answer takes all the time that there is: the kubelets may. */
function finalHint(error: Error, flags: ClusterFlags, { timedOut }: CommandRequests): string {
  const isOfExporter = timedOut.aborted && !(error instanceof ClusterError);
  return isOfExporter && !isRequired(flags) ? '; --from kubelets reads the kubelets instead' : '';
}

function placeOf({ node, podName: name, namespaceOf }: CommandSubject, credentials?: Credentials): AskedPlace {
  const namespace = namespaceOf(credentials?.namespace ?? 'default');
  return { node, pod: name === undefined ? undefined : { namespace, name } };
}

/** Lists the cluster and scrapes its kubelets. `loaded`: the credentials, which an exec plugin need not provide again. */
async function withCluster(
  { flags, config, subject, requests, context, use }: Asking,
  loaded?: Credentials,
): Promise<void> {
  const credentials = loaded ?? (await personalCredentials(flags, context));
  const { clock, stopSignal } = context;
  const contextNamespace = credentials.namespace ?? 'default';
  const namespace = subject.namespaceOf(contextNamespace);
  const lane = new Scheduler(clock).newLane();
  const useReadings = (readCluster: (signal: AbortSignal) => Promise<ClusterReading>): Promise<void> => {
    const read = async (signal: AbortSignal) => viewsOf(await readCluster(signal), { config, lane });
    return use({ namespace: contextNamespace, access: config.kubelet.access, read });
  };
  if (subject.isOfEvictions === true) {
    const resolver = new WorkloadResolver(config.workloads);
    await useReadings((signal) => readEvictedPods({ credentials, namespace, resolver, clock, requests }, signal));
    return;
  }
  // Shards divide the work of exporters; a command shows all of them.
  const settings = { ...config.cluster, shard: 0, totalShards: 1 };
  const nodes = apiNodes(clock, () => requests.client(credentials));
  const scope = await resolveScope({ settings, host: hostOf(context), nodes }, stopSignal);
  const place = placeOf(subject, credentials);
  await using reader = new ClusterReader({ config, scope, credentials, requests, context, place });
  await reader.synced(stopSignal);
  requests.quiet();
  await useReadings((signal) => reader.read(signal));
}

/** A person may have to log in, in a browser or on another device. */
const loginTimeoutMs = 300_000;

/**
 * Returns the credentials of a command that a person waits for, who sees what an exec plugin writes. The limit of requests is also
 * that of the plugin. Throws UserError when there are none.
 */
function personalCredentials(
  { kubeconfigPath, overrides = {}, requestTimeoutMs = 0 }: Parameters<typeof readPod>[0],
  { environment, homeDir, clock, writeError }: ReadingProcess,
): Promise<Credentials> {
  return loadCredentials({
    ...{ kubeconfigPath, overrides, environment, homeDir, clock },
    readTimeoutMs: requestTimeoutMs > 0 ? requestTimeoutMs : loginTimeoutMs,
    onPluginOutput: (text) => {
      writeError(escapeLines(text));
    },
  });
}

/** Reads a pod as the API server has it; without a namespace, in that of the context. Throws UserError or RequestError. */
export async function readPod(
  flags: CredentialFlags & Pick<ClusterFlags, 'requestTimeoutMs'>,
  context: ReadingProcess,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): Promise<JsonObject> {
  const credentials = await personalCredentials(flags, context);
  const path = `/api/v1/namespaces/${namespace ?? credentials.namespace ?? 'default'}/pods/${name}`;
  using api = new CommandRequests({ ...context, timeoutMs: flags.requestTimeoutMs }).client(credentials);
  return await readObject(api, { path }, context.stopSignal);
}
