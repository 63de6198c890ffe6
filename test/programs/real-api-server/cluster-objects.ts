import type { Labels } from '../../../src/cluster/kube/objects.js';
import type { RealApiServer } from '../../support/real-api-server.js';

/** `UID NAME LABELS` of each node and `UID NAMESPACE/NAME NODE LABELS` of each pod, sorted. */
export interface ClusterObjects {
  readonly nodes: readonly string[];
  readonly pods: readonly string[];
}

interface ComparedObject {
  readonly uid: string;
  readonly name: string;
  readonly labels: Labels;
}

interface ComparedPod extends ComparedObject {
  readonly namespace: string;
  readonly nodeName: string | undefined;
}

export function comparable(objects: {
  readonly nodes: Iterable<ComparedObject>;
  readonly pods: Iterable<ComparedPod>;
}): ClusterObjects {
  return {
    nodes: Array.from(objects.nodes, ({ uid, name, labels }) => `${uid} ${name} ${textOf(labels)}`).sort(),
    pods: Array.from(
      objects.pods,
      ({ uid, namespace, name, nodeName, labels }) =>
        `${uid} ${namespace}/${name} ${nodeName ?? '-'} ${textOf(labels)}`,
    ).sort(),
  };
}

function textOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort());
}

/** As kubectl prints them, from a list of its own in pages. */
export function objectsOfKubectl(server: RealApiServer): ClusterObjects {
  const fields = ['uid', 'namespace', 'name', 'labels'].map((field) => `{.metadata.${field}}`);
  const output = `jsonpath={range .items[*]}${[...fields, '{.spec.nodeName}'].join('{"\\t"}')}{"\\n"}{end}`;
  const listed = (...args: readonly string[]): readonly ComparedPod[] =>
    server
      .kubectl(['get', ...args, '-o', output])
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [uid = '', namespace = '', name = '', labels = '', nodeName = ''] = line.split('\t');
        return {
          uid,
          namespace,
          name,
          labels: JSON.parse(labels === '' ? '{}' : labels) as Labels,
          nodeName: nodeName === '' ? undefined : nodeName,
        };
      });
  return comparable({ nodes: listed('nodes'), pods: listed('pods', '--all-namespaces') });
}

export const node = (name: string, labels: Labels = {}): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
});

export const pod = (name: string, nodeName: string | undefined, labels: Labels = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { nodeName, containers: [{ name: 'main', image: 'registry.example/main:1' }] },
});

export const namespace = (name: string): object => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** Creates pods in the namespace `shop`, and others in the cluster. */
export async function createAll(
  server: RealApiServer,
  resource: 'namespaces' | 'nodes' | 'pods',
  objects: readonly object[],
): Promise<void> {
  const path = resource === 'pods' ? '/api/v1/namespaces/shop/pods' : `/api/v1/${resource}`;
  await inParallel(objects, (body) => server.request(path, { method: 'POST', body }));
}

/** At most 16 at once. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

export async function deletePod(server: RealApiServer, name: string): Promise<void> {
  await server.request(`/api/v1/namespaces/shop/pods/${name}?gracePeriodSeconds=0`, { method: 'DELETE' });
}

/** Sets labels; null removes one. */
export async function relabel(
  server: RealApiServer,
  path: string,
  labels: Readonly<Record<string, string | null>>,
): Promise<void> {
  await server.request(path, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/merge-patch+json' },
    body: { metadata: { labels } },
  });
}
