import type { Credentials } from '../../cluster/credentials/credentials.js';
import { loadCredentials, type LoadCredentialsOptions } from '../../cluster/credentials/load-credentials.js';
import { loadSettings, type SettingFlags } from '../../config/load.js';
import type { Config } from '../../config/schema.js';
import { WorkloadResolver } from '../../facts/workload/workload-resolver.js';
import { messageOf, RequestError, UsageError, UserError } from '../../lib/base/errors.js';
import { Scheduler } from '../../lib/base/scheduler.js';
import { escapeInvisible, escapeLines } from '../../lib/base/text.js';
import type { ClusterReading } from '../../people/query/cluster-reading.js';
import { apiNodes, hostOf, resolveScope } from '../app/resolve-scope.js';
import type { CommandSubject, OpenAnswers } from './answer-source.js';
import { type AskedPlace, ClusterReader } from './cluster-reader.js';
import { CommandRequests, type ReadingProcess } from './command-requests.js';
import { answersFrom } from './document-answers.js';
import type { ExporterAddress, ExporterFiles, viewOrigins } from './exporter-address.js';
import { ClusterError, openExporter } from './exporter-source.js';
import { versionHint } from './exporter-views.js';
import { readRecording, recordedCore, type RecordingFlags } from './recorded-core.js';
import { readEvictedPods } from './status-evictions.js';
import { type ReadViews, viewsOf } from './view-source.js';

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
}

/**
 * What can be read. `namespace`: see {@link AnswerSession}. `access`: how kubelets are reached from here; undefined where they are not.
 * `exporter`: as messages name the one that is read.
 */
type OpenViews = (Disposable | AsyncDisposable) & {
  readonly read: ReadViews;
  readonly namespace: string | undefined;
  readonly access?: Config['kubelet']['access'];
  readonly exporter?: string;
};

/**
 * Reads the recordings of the flags, an exporter, or the cluster itself. What is opened throws UserError with a line for each cause when
 * nothing can be read.
 */
export function openAnswers(flags: ClusterFlags, context: ReadingProcess): OpenAnswers {
  const { stopSignal } = context;
  return async (subject, use) => {
    const { config } = await loadSettings(flags.settings, context);
    const requests = new CommandRequests({ ...context, timeoutMs: flags.requestTimeoutMs });
    try {
      await using views = await openViews({ flags, config, subject, requests, context });
      const read = async (signal: AbortSignal) => answersFrom(await views.read(signal), views.access);
      await use({ namespace: views.namespace, read }).catch((error: unknown) => {
        throw namingExporter(error, views.exporter);
      });
    } catch (error) {
      if (stopSignal.aborted && error === stopSignal.reason) throw new UserError('stopped before there was an answer');
      throw error instanceof RequestError ? new UserError(error.message, { cause: error }) : error;
    }
  };
}

/** Blames the exporter for an error of a value: of its answers the outline, names and numbers alone are checked. */
function namingExporter(error: unknown, exporter: string | undefined): unknown {
  const isOfValue = error instanceof TypeError || error instanceof RangeError;
  if (exporter === undefined) return error;
  if (error instanceof RequestError && error.reason === 'decode')
    return new UserError(`${exporter}: ${error.message}`, { cause: error });
  if (!isOfValue) return error;
  const what = `the answer of ${exporter} is not as this version expects (${messageOf(error)})`;
  return new UserError(`${what}; ${versionHint}`, { cause: error });
}

function openViews(asking: Asking): Promise<OpenViews> {
  const { recordings, from } = asking.flags;
  if (recordings !== undefined) return openRecording(recordings, asking);
  return from === 'kubelets' ? openCluster(asking) : openExporterViews(asking);
}

async function openRecording(recordings: RecordingFlags, { config, context }: Asking): Promise<OpenViews> {
  const core = await recordedCore(recordings, { config, writeError: context.writeError, showsAll: true });
  const lane = core.scheduler.newLane();
  const read = async (signal: AbortSignal) => viewsOf(await readRecording(core, signal), { config, lane });
  return { read, namespace: undefined, [Symbol.dispose]: nothingIsOpen };
}

const nothingIsOpen = (): void => undefined;

/** An exporter with a URL can be read without a cluster. Throws UserError where there is none, and kubelets are not to be read instead. */
async function openExporterViews(asking: Asking): Promise<OpenViews> {
  const { flags, subject, requests, context } = asking;
  const { exporter: address, exporterFiles: files } = flags;
  const { clock, version, stopSignal } = context;
  const credentials = await personalCredentials(flags, context).catch((error: unknown) => {
    if (address === undefined || !('url' in address)) throw error;
    return undefined;
  });
  const place = placeOf(subject, credentials);
  try {
    const question = { address, files, credentials, place, clock, version, requests };
    const exporter = await openExporter(question, stopSignal);
    return { ...exporter, namespace: credentials && (credentials.namespace ?? 'default') };
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof UserError)) throw error;
    const hint = finalHint(error, flags, requests);
    if (hint !== undefined) throw new UserError(`${error.message}${hint}`, { cause: error });
    return openInstead(error, asking, credentials);
  }
}

/** Reads the kubelets instead, which is said. A reader of the exporter, who may not read them, need not know why. */
async function openInstead(cause: Error, asking: Asking, credentials: Credentials | undefined): Promise<OpenViews> {
  const reason = escapeInvisible(messageOf(cause));
  try {
    const views = await openCluster(asking, credentials);
    asking.context.writeError(`No exporter was read, but the kubelets: ${reason}\n`);
    return views;
  } catch (error) {
    if (!(error instanceof UserError || error instanceof RequestError)) throw error;
    const hasNoExporter = cause instanceof RequestError && cause.reason === 'not_found';
    const lines = !hasNoExporter && isForbidden(error) ? [reason] : [`No exporter was read: ${reason}`, error.message];
    throw new UserError(lines.join('\n'), { cause: error });
  }
}

/** Of one request, or of all lists. */
function isForbidden({ message }: Error): boolean {
  return message.split('\n').every((line) => line.includes('the API server answered 403'));
}

/**
 * Returns what ends the message of an error after which the kubelets are not read instead: where the API server cannot be reached, they
 * cannot be found; where a flag is missing, a person decides. Undefined for other errors.
 */
function finalHint(error: Error, { from, exporter }: ClusterFlags, { timedOut }: CommandRequests): string | undefined {
  const isFailedRequest = error instanceof RequestError && ['connection', 'tls'].includes(error.reason);
  const isOfServer = error instanceof ClusterError || isFailedRequest;
  const isRequired = from === 'exporter' || exporter !== undefined;
  if (isOfServer || isRequired || error instanceof UsageError) return '';
  // An exporter that does not answer takes all the time that there is: the kubelets may.
  return timedOut.aborted ? '; --from kubelets reads the kubelets instead' : undefined;
}

function placeOf({ node, podName: name, namespaceOf }: CommandSubject, credentials?: Credentials): AskedPlace {
  const namespace = namespaceOf(credentials?.namespace ?? 'default');
  return { node, pod: name === undefined ? undefined : { namespace, name } };
}

/** Lists the cluster and scrapes its kubelets. `loaded`: the credentials, which an exec plugin need not provide again. */
async function openCluster(asking: Asking, loaded?: Credentials): Promise<OpenViews> {
  const { flags, config, subject, requests, context } = asking;
  const credentials = loaded ?? (await personalCredentials(flags, context));
  const { clock, stopSignal } = context;
  const contextNamespace = credentials.namespace ?? 'default';
  const lane = new Scheduler(clock).newLane();
  const viewsFrom = (readCluster: (signal: AbortSignal) => Promise<ClusterReading>) => ({
    read: async (signal: AbortSignal) => viewsOf(await readCluster(signal), { config, lane }),
    namespace: contextNamespace,
    access: config.kubelet.access,
  });
  if (subject.isOfEvictions === true) {
    const resolver = new WorkloadResolver(config.workloads);
    const question = { credentials, namespace: subject.namespaceOf(contextNamespace), resolver, clock, requests };
    return { ...viewsFrom((signal) => readEvictedPods(question, signal)), [Symbol.dispose]: nothingIsOpen };
  }
  // Shards divide the work of exporters; a command shows all of them.
  const settings = { ...config.cluster, shard: 0, totalShards: 1 };
  const nodes = apiNodes(() => requests.client(credentials));
  const scope = await resolveScope({ settings, host: hostOf(context), nodes }, stopSignal);
  const place = placeOf(subject, credentials);
  const reader = new ClusterReader({ config, scope, credentials, requests, context, place });
  const close = (): Promise<void> => reader[Symbol.asyncDispose]();
  try {
    await reader.synced(stopSignal);
  } catch (error) {
    await close();
    throw error;
  }
  requests.quiet();
  return { ...viewsFrom((signal) => reader.read(signal)), [Symbol.asyncDispose]: close };
}

/** A person may have to log in, in a browser or on another device. */
const loginTimeoutMs = 300_000;

/**
 * Returns the credentials of a command that a person waits for, who sees what an exec plugin writes. The limit of requests is also
 * that of the plugin. Throws UserError when there are none.
 */
function personalCredentials(
  { kubeconfigPath, overrides = {}, requestTimeoutMs = 0 }: CredentialFlags & Pick<ClusterFlags, 'requestTimeoutMs'>,
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
