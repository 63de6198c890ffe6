import type { KubeObject } from '../../support/manifests/documents.js';
import type { RealApiServer } from '../../support/real-api-server.js';

/** All kinds that the manifests and the chart can contain and a server has without CRDs. */
const builtIn = [
  'namespaces,serviceaccounts,configmaps,secrets,services,pods',
  'deployments,statefulsets,daemonsets,poddisruptionbudgets,networkpolicies',
  'roles,rolebindings,clusterroles,clusterrolebindings',
];

const partOf = 'app.kubernetes.io/part-of=ephemeral-storage-exporter';

export interface LabelledOptions {
  /** Default: the label of this project. */
  readonly selector?: string;
  /** Besides those that every server has. Default: none. */
  readonly further?: readonly string[];
}

/** Kind and name of all objects in the cluster with a label, sorted. */
export function labelledObjects(
  server: RealApiServer,
  { selector = partOf, further = [] }: LabelledOptions = {},
): readonly string[] {
  const resources = [...builtIn, ...further].join();
  const { items } = JSON.parse(server.kubectl(['get', resources, '-A', '-l', selector, '-o', 'json'])) as {
    readonly items: readonly KubeObject[];
  };
  return titlesOf(items);
}

/** Sorted. */
export function titlesOf(objects: readonly KubeObject[]): readonly string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
}
