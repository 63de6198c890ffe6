import { RequestError } from '../../lib/base/errors.js';
import type { Coverage } from '../../people/query/coverage.js';
import { podProxyPath, proxyPath, type ServiceAddress } from './exporter-address.js';
import { type ExporterPod, exporterPods } from './exporter-pods.js';
import { type ExporterConnection, exporterReader } from './exporter-views.js';

interface FirstAnswer {
  readonly scheme: 'http' | 'https';
  readonly prefix: string;
  readonly coverage: Coverage;
}

/** Where one pod is broken, another one answers, or all are. */
const maxTriedPodCount = 3;

/** The proxy of a Service picks any of its pods: where that one fails, others are asked. */
export async function firstAnswer(
  address: ServiceAddress,
  connection: Omit<ExporterConnection, 'prefix'>,
  signal: AbortSignal,
): Promise<FirstAnswer> {
  try {
    return await answerAt((scheme) => proxyPath(address, scheme), connection, signal);
  } catch (error) {
    if (!isServerError(error)) throw error;
    const pods = await podsBehind(address, connection, signal);
    if (pods?.length === 0) throw notReady(address, error);
    for (const pod of (pods ?? []).slice(0, maxTriedPodCount)) {
      const found = await answerAt((scheme) => podProxyPath(pod, scheme), connection, signal).catch(() => undefined);
      if (found !== undefined) return found;
    }
    throw error;
  }
}

/** Undefined where they may not be read. Throws RequestError without the Service: the proxy answers 503 then too. */
async function podsBehind(
  address: ServiceAddress,
  { api }: Pick<ExporterConnection, 'api'>,
  signal: AbortSignal,
): Promise<readonly ExporterPod[] | undefined> {
  try {
    return await exporterPods(api, address, signal);
  } catch (error) {
    if (!(error instanceof RequestError) || error.reason !== 'not_found') return undefined;
    const message = `there is no Service ${address.namespace}/${address.service}`;
    throw new RequestError('not_found', message, { cause: error });
  }
}

function notReady({ namespace, service }: ServiceAddress, cause: RequestError): RequestError {
  const message = `the exporter is not ready: no pod of the Service ${namespace}/${service} is (kubectl get pods -n ${namespace})`;
  return new RequestError(cause.reason, message, { cause });
}

/** An exporter that serves TLS closes the connection of a client that does not. */
async function answerAt(
  prefixOf: (scheme: FirstAnswer['scheme']) => string,
  connection: Omit<ExporterConnection, 'prefix'>,
  signal: AbortSignal,
): Promise<FirstAnswer> {
  const ask = async (scheme: FirstAnswer['scheme']): Promise<FirstAnswer> => {
    const prefix = prefixOf(scheme);
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
