import type { StoredObject } from '../api-server/versioned-objects.js';
import { humanDuration, timestamp } from './object-format.js';
import type { ServiceSpec } from './specs.js';

export interface SimulatedService {
  readonly spec: ServiceSpec;
  readonly uid: string;
  readonly createdAtMs: number;
}

/** The headless Service as the API server returns it. */
export function serviceObject({ spec, uid, createdAtMs }: SimulatedService): StoredObject {
  const { namespace, name, labels, selector, ports } = spec;
  return {
    resource: 'services',
    object: {
      metadata: {
        name,
        namespace,
        uid,
        resourceVersion: '',
        creationTimestamp: timestamp(createdAtMs),
        ...(labels !== undefined && { labels }),
      },
      spec: {
        ports: ports.map((port) => ({ ...port, protocol: 'TCP' })),
        selector,
        clusterIP: 'None',
        clusterIPs: ['None'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
    fields: {
      'metadata.name': name,
      'metadata.namespace': namespace,
      'spec.clusterIP': 'None',
      'spec.type': 'ClusterIP',
    },
    cells: (nowMs) => [
      name,
      'ClusterIP',
      'None',
      '<none>',
      ports.map(({ port }) => `${port}/TCP`).join(','),
      humanDuration(nowMs - createdAtMs),
      Object.entries(selector)
        .map(([label, value]) => `${label}=${value}`)
        .join(','),
    ],
  };
}
