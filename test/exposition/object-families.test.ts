import { describe, expect, it } from 'vitest';

import type { Labels, Node } from '../../src/cluster/kube/objects.js';
import type { NodeObjects } from '../../src/facts/node/node-view.js';
import { chunkIds, FamilyRenderer } from '../../src/metrics/exposition/incremental-text.js';
import { objectGroups } from '../../src/metrics/exposition/object-families.js';
import { objectDivision } from '../../src/metrics/exposition/pod-on-node.js';
import { aContainer, aMount, aNode, aPod, aVolume } from '../support/builders.js';
import { aBoundPod, aDeployment, aWorkload, someNodeObjects } from '../support/snapshot-builders.js';

/** The lines of one family. */
function linesOf(family: string, objects: NodeObjects, nodeLabels: readonly string[] = []): readonly string[] {
  const renderer = new FamilyRenderer(objectGroups({ nodeLabels }), objectDivision, chunkIds());
  const index = renderer.families.findIndex(({ name }) => name === `ephemeral_storage_${family}`);
  const text = renderer.make('node-1', objects, undefined).pieces[index]?.chunk.toString() ?? 'no such family';
  return text.replaceAll('ephemeral_storage_', '').split('\n').slice(0, -1);
}

describe('objectGroups: a pod that no summary has', () => {
  const workloads = [aWorkload({ name: 'a' }), aDeployment('b')];
  const mounts = ['cache', 'memory', 'unlimited', 'config'].map((name) => aMount(name));
  const pod = aPod({
    containers: [
      aContainer({ name: 'app', limitBytes: 3, requestBytes: 1 }),
      aContainer({ name: 'setup', kind: 'init', limitBytes: 9, requestBytes: 9, mounts }),
    ],
    volumes: [
      aVolume({ name: 'cache', sizeLimitBytes: 7 }),
      aVolume({ name: 'memory', medium: 'Memory', sizeLimitBytes: 8 }),
      aVolume({ name: 'unlimited' }),
      aVolume({ name: 'unmounted', sizeLimitBytes: 9 }),
      aVolume({ name: 'config', type: 'configmap' }),
    ],
  });
  const objects = someNodeObjects({ pods: [aBoundPod({ pod, limitBytes: 3, requestBytes: 1, workloads })] });
  const ofPod = 'namespace="shop",pod="cart-0"';
  const [cache, memory] = ['cache', 'memory'].map((name) => `node="node-1",volume="${name}",type="emptydir"`);
  const selected = 'workload="a",workload_type="selector"';
  const controlled = 'workload="b",workload_type="deployment"';
  const known = 'node="node-1",uid="uid-shop-cart-0"';

  it.each([
    ['pod_limit_bytes', [',node="node-1"} 3']],
    ['pod_request_bytes', [',node="node-1"} 1']],
    ['container_limit_bytes', [',container="app",node="node-1"} 3']],
    ['container_request_bytes', [',container="app",node="node-1"} 1']],
    ['volume_limit_bytes', [`,${cache},counted="true"} 7`, `,${memory},medium="Memory",counted="false"} 8`]],
    ['pod_workload_info', [`,${selected}} 1`, `,${controlled},workload_namespace="shop"} 1`]],
    ['pod_info', [`,${known},qos_class="Burstable",phase="Running",host_ip="192.0.2.1",static="false"} 1`]],
  ])('a pod that no summary has still has its series of %s', (family, expected) => {
    expect(linesOf(family, objects)).toEqual(expected.map((line) => `${family}{${ofPod}${line}`));
  });

  it('what recorded objects list twice is served once', () => {
    const [workload = aWorkload()] = workloads;
    const twice = aPod({
      containers: [aContainer({ limitBytes: 1, mounts: [aMount()] }), aContainer({ limitBytes: 2 })],
      volumes: [aVolume({ sizeLimitBytes: 3 }), aVolume({ sizeLimitBytes: 4 })],
    });
    const bound = aBoundPod({ pod: twice, limitBytes: 3, workloads: [workload, { ...workload }] });
    const repeated = someNodeObjects({ pods: [bound, { ...bound, limitBytes: 5 }] });
    for (const family of ['pod_limit_bytes', 'container_limit_bytes', 'volume_limit_bytes', 'pod_workload_info']) {
      expect(linesOf(family, repeated)).toHaveLength(1);
    }
  });
});

describe('objectGroups: a node', () => {
  const ofNode = (overrides: Partial<Node>) => someNodeObjects({ node: aNode(overrides), pods: [] });

  it.each([
    [true, ['node_disk_pressure{node="node-1"} 1']],
    [false, ['node_disk_pressure{node="node-1"} 0']],
    [undefined, []],
  ])('the condition DiskPressure of a node is served as it is: %s', (diskPressure, expected) => {
    expect(linesOf('node_disk_pressure', ofNode({ diskPressure }))).toEqual(expected);
  });

  it.each<[string, Labels, readonly string[], string]>([
    ['no labels by default', { pool: 'a' }, [], ''],
    ['those of the setting', { pool: 'a', zone: 'b' }, ['pool'], ',label_pool="a"'],
    ['none that it does not have', { zone: 'b' }, ['pool', 'zone'], ',label_zone="b"'],
    ['none that every object has', {}, ['constructor'], ''],
    [
      'names that Prometheus accepts',
      { 'topology.kubernetes.io/zone': 'b', 'a.b': '1', 'a-b': '2' },
      ['topology.kubernetes.io/zone', 'a.b', 'a-b'],
      ',label_a_b="2",label_a_b_2="1",label_topology_kubernetes_io_zone="b"',
    ],
  ])('the info series of a node carries %s', (_case, labels, nodeLabels, expected) => {
    expect(linesOf('node_info', ofNode({ labels }), nodeLabels)).toEqual([
      `node_info{node="node-1",os="linux",kubelet_version="v1.37.1"${expected}} 1`,
    ]);
  });

  it('pods and containers that run are counted, unless the pods of the node are not measured', () => {
    const counted = someNodeObjects({ runningPodCount: 2, runningContainerCount: 5 });
    const skipped = someNodeObjects({ runningPodCount: undefined, runningContainerCount: undefined });
    expect(linesOf('node_pods_running', counted)).toEqual(['node_pods_running{node="node-1"} 2']);
    expect(linesOf('node_containers_running', counted)).toEqual(['node_containers_running{node="node-1"} 5']);
    expect(linesOf('node_pods_running', skipped)).toEqual([]);
    expect(linesOf('node_containers_running', skipped)).toEqual([]);
  });

  it('a node that has left the cluster has series of its pods alone', () => {
    const gone = someNodeObjects({ node: undefined, pods: [aBoundPod({ limitBytes: 1 })] });
    expect(linesOf('pod_limit_bytes', gone)).toHaveLength(1);
    for (const family of ['node_info', 'node_disk_pressure', 'node_pods_running']) {
      expect(linesOf(family, gone)).toEqual([]);
    }
  });
});
