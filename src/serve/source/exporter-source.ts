import type { Credentials } from '../../cluster/credentials/credentials.js';
import type { ApiTransport } from '../../cluster/http/api-client.js';
import type { Clock } from '../../lib/base/clock.js';
import { type FailureReason, RequestError, UsageError, UserError } from '../../lib/base/errors.js';
import { joinTruncated } from '../../lib/base/text.js';
import type { AskedPlace } from './cluster-reader.js';
import { type CommandRequests, defaultSyncTimeoutMs } from './command-requests.js';
import {
  defaultExporter,
  type ExporterAddress,
  type ExporterFiles,
  type ExporterPod,
  proxyPath,
  type ServiceAddress,
} from './exporter-address.js';
import { exporterClient } from './exporter-client.js';
import { exporterLabel, exporterPods, isService, listExporters, nodeOfPod, unless } from './exporter-pods.js';
import { answeredViews, type ExporterConnection, exporterReader } from './exporter-views.js';
import type { ReadViews } from './view-source.js';

/**
 * Finds an exporter and how to read all of it: behind a Service there may be one, several that measure a part of the nodes each, or
 * one on each node. Throws RequestError, UserError, or the signal's reason.
 */
export async function openExporter(
  question: {
    /** Undefined: the Service with the project's label. */
    readonly address: ExporterAddress | undefined;
    /** What its listener requires, of one with a URL. */
    readonly files: ExporterFiles | undefined;
    /** Undefined without a cluster. */
    readonly credentials: Credentials | undefined;
    readonly place: AskedPlace;
    readonly clock: Clock;
    readonly version: string;
    readonly requests: CommandRequests;
  },
  signal: AbortSignal,
): Promise<{ readonly read: ReadViews; readonly exporter: string } & Disposable> {
  const { credentials, clock, version, files, requests } = question;
  const address = await findAddress(question, signal);
  const client = await exporterClient({ exporter: address, files: files ?? {}, credentials, clock, version });
  const api = requests.attended(client, 'url' in address ? undefined : credentials);
  const base = { api, clock };
  try {
    const exporters =
      'url' in address
        ? [{ name: '', connection: { ...base, prefix: '' } }]
        : await proxiedExporters(address, base, question.place, signal);
    return {
      read: answeredViews(exporters),
      exporter: 'url' in address ? address.url.origin : nameOf(address),
      [Symbol.dispose]: () => {
        api[Symbol.dispose]();
      },
    };
  } catch (error) {
    api[Symbol.dispose]();
    throw error;
  }
}

/** Through the API server's proxy. */
async function proxiedExporters(
  address: ServiceAddress,
  base: Omit<ExporterConnection, 'prefix'>,
  place: AskedPlace,
  signal: AbortSignal,
): Promise<Parameters<typeof answeredViews>[0]> {
  const { scheme, prefix, coverage } = await firstAnswer(address, base, signal);
  const { totalShards, onlyNode } = coverage;
  if (totalShards === undefined && onlyNode === undefined) return [{ name: '', connection: { ...base, prefix } }];
  const node = totalShards === undefined ? await nodeOfPlace(place, base.api, signal) : undefined;
  const pods = await exporterPods(base.api, address, signal, node);
  if (pods.length === 0) {
    throw new UserError(
      node === undefined
        ? `none of the ${totalShards ?? 0} shards of ${nameOf(address)} is ready`
        : `no ready exporter runs on node ${node}: try --from kubelets`,
    );
  }
  const asked = node === undefined ? pods : pods.slice(0, 1);
  return asked.map((pod) => ({ name: pod.name, connection: { ...base, prefix: proxyPath(pod, scheme) } }));
}

/** The node whose exporter is asked, of those that run on each. */
async function nodeOfPlace({ node: given, pod }: AskedPlace, api: ApiTransport, signal: AbortSignal): Promise<string> {
  const { namespace, name = '' } = pod ?? {};
  const node = given ?? (namespace && (await nodeOfPod(api, { namespace, name }, signal)));
  if (node === undefined) {
    throw new UserError(
      'the exporter runs on each node and measures that node alone: name one with --node, or read the whole cluster with --from kubelets',
    );
  }
  return node;
}

async function findAddress(
  { address, credentials, requests }: Parameters<typeof openExporter>[0],
  signal: AbortSignal,
): Promise<ExporterAddress> {
  if (address !== undefined) return address;
  if (credentials === undefined) throw new RequestError('connection', 'no kubeconfig was found');
  using api = requests.client(credentials, defaultSyncTimeoutMs);
  const services = await visibleExporters(api, credentials.namespace, signal).catch(asClusterError);
  const [first, ...others] = services ?? [defaultExporter];
  if (first === undefined) {
    throw new RequestError('not_found', `no Service has the label ${exporterLabel} and a port called metrics`);
  }
  if (others.length === 0) return first;
  const names = joinTruncated([first, ...others].map(nameOf), 5);
  throw new UsageError(
    `several Services have the label ${exporterLabel}: ${names}; name the exporter with --exporter NAMESPACE/SERVICE, or read the kubelets with --from kubelets`,
  );
}

/** Without the API server there is nothing else to read: the kubelets are found there too. */
export class ClusterError extends RequestError {}

const clusterReasons: ReadonlySet<FailureReason> = new Set(['connection', 'tls', 'timeout', 'unauthorized']);

function asClusterError(error: unknown): never {
  if (!(error instanceof RequestError) || !clusterReasons.has(error.reason)) throw error;
  const { reason, message, status } = error;
  throw new ClusterError(reason, message, { cause: error, ...(status === undefined ? {} : { status }) });
}

/**
 * Returns that of the usual name alone, else those with the label that the user may list; undefined where there may be one of the usual
 * name that the user may not read. Anyone who may create Services can give one the label.
 */
async function visibleExporters(
  api: ApiTransport,
  ownNamespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly ServiceAddress[] | undefined> {
  const isUsual = ({ namespace, service }: ServiceAddress): boolean =>
    namespace === defaultExporter.namespace && service === defaultExporter.service;
  const usualExists = await unless('forbidden', isService(api, defaultExporter, signal));
  if (usualExists === true) return [defaultExporter];
  let isComplete = usualExists === false;
  for (const namespace of new Set([undefined, defaultExporter.namespace, ownNamespace])) {
    const found = await unless('forbidden', listExporters(api, namespace, signal));
    if (found === undefined) continue;
    if (namespace === undefined || found.length > 0) return found.some(isUsual) ? [defaultExporter] : found;
    isComplete ||= namespace === defaultExporter.namespace;
  }
  return isComplete ? [] : undefined;
}

function nameOf({ namespace, service }: ServiceAddress): string {
  return `${namespace}/${service}`;
}

/** Where one pod is broken, another one answers, or all are. */
const maxTriedPodCount = 3;

/** The proxy of a Service picks any of its pods: where that one fails, others are asked. */
async function firstAnswer(
  address: ServiceAddress,
  connection: Omit<ExporterConnection, 'prefix'>,
  signal: AbortSignal,
) {
  try {
    return await answerAt(address, connection, signal);
  } catch (error) {
    if (!isServerError(error)) throw error;
    // The proxy answers 503 without the Service too.
    const pods = await exporterPods(connection.api, address, signal).catch((failure: unknown) => {
      if (failure instanceof RequestError && failure.reason === 'not_found') throw failure;
      return undefined;
    });
    if (pods?.length === 0) {
      const { namespace } = address;
      const message = `the exporter is not ready: no pod of the Service ${nameOf(address)} is (kubectl get pods -n ${namespace})`;
      throw new RequestError(error.reason, message, { cause: error });
    }
    for (const pod of (pods ?? []).slice(0, maxTriedPodCount)) {
      const found = await answerAt(pod, connection, signal).catch(() => undefined);
      if (found !== undefined) return found;
    }
    throw error;
  }
}

/** An exporter that serves TLS closes the connection of a client that does not. */
async function answerAt(
  exporter: ServiceAddress | ExporterPod,
  connection: Omit<ExporterConnection, 'prefix'>,
  signal: AbortSignal,
) {
  const ask = async (scheme: 'http' | 'https') => {
    const prefix = proxyPath(exporter, scheme);
    const { coverage } = await exporterReader({ ...connection, prefix }, signal).list('nodes', {}, 1);
    return { scheme, prefix, coverage };
  };
  try {
    return await ask('http');
  } catch (error) {
    if (!isServerError(error)) throw error;
    return ask('https').catch(() => {
      throw error;
    });
  }
}

function isServerError(error: unknown): error is RequestError {
  return error instanceof RequestError && (error.status ?? 0) >= 500;
}
