import type { ApiTransport } from '../../http/api-client.js';
import { readObject } from '../../http/read-object.js';
import { type JsonObject, objectOf, objectsOf, textOf } from '../../json/json.js';
import type { ServiceAddress } from './exporter-address.js';

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/ */
export const exporterLabel = 'app.kubernetes.io/name=ephemeral-storage-exporter';

/** There is one in a cluster, or a few. */
const maxServiceCount = '100';

/** A pod of an exporter. */
export interface ExporterPod {
  readonly namespace: string;
  readonly name: string;
  readonly nodeName: string | undefined;
  /** Where it listens. */
  readonly port: number;
}

/** Returns the Services with the label, by namespace and name. `namespace`: undefined for all. Throws RequestError. */
export async function listExporters(
  api: ApiTransport,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly ServiceAddress[]> {
  const folder = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const query = { labelSelector: exporterLabel, limit: maxServiceCount };
  const { items } = await readObject(api, { path: `/api/v1${folder}/services`, query }, signal);
  const found = objectsOf(items).flatMap((service): readonly ServiceAddress[] => {
    const { namespace: itsNamespace, name } = namesOf(service);
    const port = objectsOf(objectOf(service['spec'])['ports']).find((one) => one['name'] === 'metrics');
    return port === undefined || name === '' ? [] : [{ namespace: itsNamespace, service: name, port: 'metrics' }];
  });
  return found.sort((a, b) => (`${a.namespace}/${a.service}` < `${b.namespace}/${b.service}` ? -1 : 1));
}

/** Returns the ready pods behind the Service, by name. Throws RequestError. */
export async function exporterPods(
  api: ApiTransport,
  { namespace, service: name, port: portName }: ServiceAddress,
  signal: AbortSignal,
): Promise<readonly ExporterPod[]> {
  const folder = `/api/v1/namespaces/${namespace}`;
  const spec = objectOf((await readObject(api, { path: `${folder}/services/${name}` }, signal))['spec']);
  const ports = objectsOf(spec['ports']);
  const port = ports.find((one) => one['name'] === portName || String(one['port']) === portName);
  const labelSelector = Object.entries(objectOf(spec['selector'])).map(([key, value]) => `${key}=${String(value)}`);
  const query = { labelSelector: labelSelector.join(','), limit: '1000' };
  const { items } = await readObject(api, { path: `${folder}/pods`, query }, signal);
  const pods = objectsOf(items).flatMap((pod) => readyPod(pod, port?.['targetPort'] ?? port?.['port']));
  return pods.sort((a, b) => (a.name < b.name ? -1 : 1));
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
  return [{ namespace, name, nodeName: textOf(spec['nodeName']), port }];
}

function namesOf(object: JsonObject): { readonly namespace: string; readonly name: string } {
  const { namespace, name } = objectOf(object['metadata']);
  return { namespace: textOf(namespace) ?? '', name: textOf(name) ?? '' };
}
