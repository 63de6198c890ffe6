import { type ApiRequest, type ApiTransport, readObject } from '../../cluster/http/api-client.js';
import { type FailureReason, RequestError } from '../../lib/base/errors.js';
import { type JsonObject, objectOf, objectsOf, textOf } from '../../lib/json/json.js';
import type { ExporterPod, ServiceAddress } from './exporter-address.js';

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/ */
export const exporterLabel = 'app.kubernetes.io/name=ephemeral-storage-exporter';

/** Of items: a page has them whole. */
const pageLimit = '500';

/** Returns the Services with the label, by namespace and name. `namespace`: undefined for all. Throws RequestError. */
export async function listExporters(
  api: ApiTransport,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly ServiceAddress[]> {
  const folder = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const query = { labelSelector: exporterLabel };
  const services = await allItems(api, { path: `/api/v1${folder}/services`, query }, signal);
  const found = services.flatMap((service): readonly ServiceAddress[] => {
    const { namespace: itsNamespace, name } = namesOf(service);
    const port = objectsOf(objectOf(service['spec'])['ports']).find((one) => one['name'] === 'metrics');
    return port === undefined || name === '' ? [] : [{ namespace: itsNamespace, service: name, port: 'metrics' }];
  });
  return found.sort((a, b) => (`${a.namespace}/${a.service}` < `${b.namespace}/${b.service}` ? -1 : 1));
}

/** Returns whether there is a Service of the name. Throws RequestError. */
export async function isService(
  api: ApiTransport,
  { namespace, service }: ServiceAddress,
  signal: AbortSignal,
): Promise<boolean> {
  const found = readObject(api, { path: `/api/v1/namespaces/${namespace}/services/${service}` }, signal);
  return (await unless('not_found', found)) !== undefined;
}

/** Returns what was asked for; undefined when the request failed for this reason. */
export async function unless<T>(reason: FailureReason, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RequestError && error.reason === reason) return undefined;
    throw error;
  }
}

/** Returns the ready pods behind the Service, by name. `node`: those on it alone; undefined for all. Throws RequestError. */
export async function exporterPods(
  api: ApiTransport,
  { namespace, service: name, port: portName }: ServiceAddress,
  signal: AbortSignal,
  node?: string,
): Promise<readonly ExporterPod[]> {
  const folder = `/api/v1/namespaces/${namespace}`;
  const spec = objectOf((await readObject(api, { path: `${folder}/services/${name}` }, signal))['spec']);
  const ports = objectsOf(spec['ports']);
  const port = ports.find((one) => one['name'] === portName || String(one['port']) === portName);
  const labelSelector = Object.entries(objectOf(spec['selector'])).map(([key, value]) => `${key}=${String(value)}`);
  const fieldSelector = node === undefined ? {} : { fieldSelector: `spec.nodeName=${node}` };
  const query = { labelSelector: labelSelector.join(','), ...fieldSelector };
  const items = await allItems(api, { path: `${folder}/pods`, query }, signal);
  const pods = items.flatMap((pod) => readyPod(pod, port?.['targetPort'] ?? port?.['port']));
  return pods.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the items of all pages of a list. Throws RequestError. */
async function allItems(
  api: ApiTransport,
  { path, query }: ApiRequest,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for (let token: string | undefined; ;) {
    const page = { limit: pageLimit, ...(token === undefined ? {} : { continue: token }) };
    const { items, metadata } = await readObject(api, { path, query: { ...query, ...page } }, signal);
    found.push(...objectsOf(items));
    const next = textOf(objectOf(metadata)['continue']);
    if (next === undefined) return found;
    if (next === token) throw new RequestError('decode', `GET ${path}: the list does not end`);
    token = next;
  }
}

/** Returns the node of a pod; undefined for one that is not on a node. Throws RequestError. */
export async function nodeOfPod(
  api: ApiTransport,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const pod = await readObject(api, { path: `/api/v1/namespaces/${namespace}/pods/${name}` }, signal);
  return textOf(objectOf(pod['spec'])['nodeName']);
}

function readyPod(pod: JsonObject, targetPort: unknown): readonly ExporterPod[] {
  const { namespace, name } = namesOf(pod);
  const { conditions } = objectOf(pod['status']);
  const isReady = objectsOf(conditions).some(({ type, status }) => type === 'Ready' && status === 'True');
  const spec = objectOf(pod['spec']);
  const ports = objectsOf(spec['containers']).flatMap((container) => objectsOf(container['ports']));
  const port =
    typeof targetPort === 'number' ? targetPort : ports.find((one) => one['name'] === targetPort)?.['containerPort'];
  if (!isReady || typeof port !== 'number') return [];
  return [{ namespace, name, port }];
}

function namesOf(object: JsonObject): { readonly namespace: string; readonly name: string } {
  const { namespace, name } = objectOf(object['metadata']);
  return { namespace: textOf(namespace) ?? '', name: textOf(name) ?? '' };
}
