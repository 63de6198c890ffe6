import { request } from 'node:https';

import type { SimulatedCluster } from '../../sim/cluster.js';
import { type ParsedSample, parseExposition } from '../../test/support/exposition-parser.js';
import { send } from '../../test/support/http-get.js';

/** By `NAMESPACE/POD on NODE`. */
type PodBytes = ReadonlyMap<string, number>;

/** As a kubelet prints it: https://github.com/kubernetes/kubelet/blob/master/pkg/apis/stats/v1alpha1/types.go */
interface SummaryBody {
  readonly pods: readonly {
    readonly podRef: { readonly namespace: string; readonly name: string };
    readonly 'ephemeral-storage'?: { readonly usedBytes?: number };
  }[];
}

/** What differs between the kubelets' own words, read by another way than the exporter's, and its exposition. */
export async function differences(cluster: SimulatedCluster, port: number): Promise<readonly string[]> {
  const served = await servedSamples(port);
  const expected = await podBytes(cluster);
  const found = new Map(
    served('pod_used_bytes').map(({ labels, value }) => [
      keyOf(labels['namespace'], labels['pod'], labels['node']),
      value,
    ]),
  );
  const absent = served('node_data_available').filter(({ value }) => value !== 1);
  return [
    ...cluster.model.nodes
      .filter(({ spec }) => !served('node_data_available').some(({ labels }) => labels['node'] === spec.name))
      .map(({ spec }) => `node ${spec.name} has no series`),
    ...absent.map(({ labels: { node = '' } }) => {
      const info = served('node_absent_info').find(({ labels }) => labels['node'] === node);
      return `node ${node} is absent: ${String(info?.labels['reason'])}`;
    }),
    ...[...expected]
      .filter(([key, bytes]) => found.get(key) !== bytes)
      .map(([key, bytes]) => {
        return `${key}: ${String(found.get(key))} served, ${bytes} used`;
      }),
    ...[...found.keys()].filter((key) => !expected.has(key)).map((key) => `${key} is served, and is gone`),
    ...totalDifferences(cluster, expected, served('workload_used_bytes')),
    ...storeDifferences(cluster, served('exporter_store_objects')),
  ];
}

/** The exporter's store of API objects has as many as there are. */
function storeDifferences({ model }: SimulatedCluster, served: readonly ParsedSample[]): readonly string[] {
  const existing = { nodes: model.nodes.length, pods: model.pods.length };
  return Object.entries(existing).flatMap(([resource, count]) => {
    const stored = served.find(({ labels }) => labels['resource'] === resource)?.value;
    return stored === count ? [] : [`${String(stored)} ${resource} are stored, and ${count} exist`];
  });
}

/** Every pod belongs to one Deployment, which its label names. */
function totalDifferences(
  { model }: SimulatedCluster,
  expected: PodBytes,
  served: readonly ParsedSample[],
): readonly string[] {
  const totals = new Map<string, number>();
  for (const { spec } of model.pods) {
    const name = spec.labels?.['app'] ?? '';
    const bytes = expected.get(keyOf(spec.namespace, spec.name, spec.nodeName)) ?? 0;
    totals.set(name, (totals.get(name) ?? 0) + bytes);
  }
  const valueOf = (name: string) => served.find(({ labels }) => labels['workload'] === name)?.value;
  return [...totals]
    .filter(([name, bytes]) => valueOf(name) !== bytes)
    .map(([name, bytes]) => `workload ${name}: ${String(valueOf(name))} served, ${bytes} used`);
}

async function servedSamples(port: number): Promise<(family: string) => readonly ParsedSample[]> {
  const { body } = await send({ port, path: '/metrics' });
  const families = parseExposition(body, 'text');
  return (family) => families.find(({ name }) => name === `ephemeral_storage_${family}`)?.samples ?? [];
}

async function podBytes(cluster: SimulatedCluster): Promise<PodBytes> {
  const bytes = new Map<string, number>();
  for (const { spec } of cluster.model.nodes) {
    const { pods } = JSON.parse(await proxied(cluster, spec.name)) as SummaryBody;
    for (const { podRef, ...pod } of pods) {
      const usedBytes = pod['ephemeral-storage']?.usedBytes;
      if (usedBytes !== undefined) bytes.set(keyOf(podRef.namespace, podRef.name, spec.name), usedBytes);
    }
  }
  return bytes;
}

/** Through the node proxy, with the administrator's token. */
function proxied({ apiUrl, caPem, token }: SimulatedCluster, nodeName: string): Promise<string> {
  const url = new URL(`/api/v1/nodes/${nodeName}/proxy/stats/summary`, apiUrl);
  return new Promise((resolve, reject) => {
    const options = { ca: caPem, headers: { authorization: `Bearer ${token}` }, agent: false };
    request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        resolve(text);
      });
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}

const keyOf = (namespace = '', pod = '', node = ''): string => `${namespace}/${pod} on ${node}`;
