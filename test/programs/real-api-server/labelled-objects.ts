import type { KubeObject } from '../../support/manifests/documents.js';
import type { RealApiServer } from '../../support/real-api-server.js';

/** All kinds that the manifests and the chart can contain and a server has without CRDs. */
const resources = [
  'namespaces,serviceaccounts,configmaps,secrets,services,pods',
  'deployments,statefulsets,daemonsets,poddisruptionbudgets,networkpolicies',
  'roles,rolebindings,clusterroles,clusterrolebindings',
].join();

const partOf = 'app.kubernetes.io/part-of=ephemeral-storage-exporter';

/** Kind and name of all objects in the cluster with the label of this project, sorted. */
export function labelledObjects(server: RealApiServer, selector = partOf): readonly string[] {
  const { items } = JSON.parse(server.kubectl(['get', resources, '-A', '-l', selector, '-o', 'json'])) as {
    readonly items: readonly KubeObject[];
  };
  return titlesOf(items);
}

/** Sorted. */
export function titlesOf(objects: readonly KubeObject[]): readonly string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
}
