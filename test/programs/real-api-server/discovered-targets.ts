import { at, isObject, type Json, type KubeObject, listAt } from '../../support/manifests/documents.js';
import type { RealApiServer } from '../../support/real-api-server.js';

/** Of `static_configs`. */
export interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * What Prometheus would find by an entry of `kubernetes_sd_configs`, with those labels that the operator uses. By this
 * code: the Prometheus of Debian is built without that discovery, and so is the one of `modules`.
 * https://prometheus.io/docs/prometheus/latest/configuration/configuration/#kubernetes_sd_config
 */
export async function discoveredTargets(server: RealApiServer, discovery: Json): Promise<readonly TargetGroup[]> {
  const namespaces = at(discovery, 'namespaces', 'names') as readonly string[];
  const found = await Promise.all(
    namespaces.map(async (namespace) => {
      const list = async (path: string): Promise<readonly KubeObject[]> => {
        const [group = '', resource = ''] = path.split(' ');
        const { items } = await server.request(`${group}/namespaces/${namespace}/${resource}`);
        return items as readonly KubeObject[];
      };
      const pods = await list('/api/v1 pods');
      if (discovery['role'] === 'pod') return pods.flatMap(targetsOfPod);
      if (discovery['role'] !== 'endpointslice') throw new Error(`no discovery by ${String(discovery['role'])}`);
      const services = await list('/api/v1 services');
      const slices = await list('/apis/discovery.k8s.io/v1 endpointslices');
      return slices.flatMap((slice) => targetsOfSlice(slice, services, pods));
    }),
  );
  return found.flat();
}

const named = (objects: readonly KubeObject[], name: unknown): KubeObject | undefined =>
  objects.find(({ metadata }) => metadata.name === name);

/** Such as `__meta_kubernetes_pod_label_app`. */
function labelsOf(object: KubeObject | undefined, prefix: string): Readonly<Record<string, string>> {
  const labels = object?.metadata['labels'];
  const entries = Object.entries(isObject(labels) ? labels : {}).flatMap(([key, value]) => {
    const name = key.replaceAll(/\W/g, '_');
    return [
      [`${prefix}_label_${name}`, String(value)],
      [`${prefix}_labelpresent_${name}`, 'true'],
    ];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}

const metaOfPod = (pod: KubeObject | undefined): Readonly<Record<string, string>> =>
  pod === undefined
    ? {}
    : {
        ...labelsOf(pod, '__meta_kubernetes_pod'),
        __meta_kubernetes_namespace: String(pod.metadata['namespace']),
        __meta_kubernetes_pod_name: pod.metadata.name,
        __meta_kubernetes_pod_phase: String(at(pod, 'status', 'phase')),
      };

function targetsOfPod(pod: KubeObject): readonly TargetGroup[] {
  return listAt(pod, 'spec', 'containers').flatMap((container) =>
    listAt(container, 'ports').map((port) => ({
      targets: [`${String(at(pod, 'status', 'podIP'))}:${String(port['containerPort'])}`],
      labels: {
        ...metaOfPod(pod),
        __meta_kubernetes_pod_container_name: String(container['name']),
        __meta_kubernetes_pod_container_port_name: String(port['name']),
      },
    })),
  );
}

function targetsOfSlice(
  slice: KubeObject,
  services: readonly KubeObject[],
  pods: readonly KubeObject[],
): readonly TargetGroup[] {
  const service = named(services, at(slice, 'metadata', 'labels', 'kubernetes.io/service-name'));
  return listAt(slice, 'endpoints').flatMap((endpoint) => {
    const pod = named(pods, at(endpoint, 'targetRef', 'name'));
    return listAt(slice, 'ports').map(({ name, port }) => ({
      targets: [`${String((endpoint['addresses'] as readonly string[])[0])}:${String(port)}`],
      labels: {
        ...labelsOf(service, '__meta_kubernetes_service'),
        ...metaOfPod(pod),
        __meta_kubernetes_service_name: service?.metadata.name ?? '',
        __meta_kubernetes_endpointslice_port_name: String(name),
        __meta_kubernetes_endpointslice_address_target_kind: String(at(endpoint, 'targetRef', 'kind')),
        __meta_kubernetes_endpointslice_address_target_name: String(at(endpoint, 'targetRef', 'name')),
        __meta_kubernetes_pod_container_name: String(listAt(pod, 'spec', 'containers')[0]?.['name']),
      },
    }));
  });
}
