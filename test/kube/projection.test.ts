import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { projectNode, projectPod } from '../../src/cluster/kube/projection.js';
import { RequestError } from '../../src/lib/base/errors.js';

const keep = (text: string): string => text;
const metadata = { name: 'cart-0', namespace: 'shop', uid: 'u1', resourceVersion: '7' };

function pod(parts: { metadata?: object; spec?: unknown; status?: unknown } = {}): Pod {
  return projectPod({ ...parts, metadata: { ...metadata, ...parts.metadata } }, keep);
}

describe('projectPod', () => {
  it('keeps what the exporter uses of a pod', () => {
    const object = parse(readFileSync(new URL('../cases/objects/pod.yaml', import.meta.url), 'utf8')) as unknown;
    expect(projectPod(object, keep)).toEqual({
      uid: 'u1',
      kubeletUid: 'u1',
      name: 'cart-0',
      namespace: 'shop',
      resourceVersion: '7',
      labels: { app: 'cart', tier: '' },
      isStatic: false,
      nodeName: 'n1',
      phase: 'Running',
      qosClass: 'Burstable',
      hostIp: '10.0.0.1',
      priorityClass: 'high',
      startTimeMs: Date.UTC(2026, 0, 1),
      runningSinceMs: Date.UTC(2026, 0, 1, 0, 0, 5),
      runningContainerCount: 1,
      runs: ['main#0'],
      images: [],
      runsChangedAtMs: 1_767_225_605_000,
      controller: { kind: 'ReplicaSet', name: 'cart-5d' },
      containers: [
        { name: 'setup', kind: 'init', mounts: [], limitBytes: 2 ** 31, requestBytes: undefined },
        { name: 'proxy', kind: 'sidecar', mounts: [], limitBytes: undefined, requestBytes: undefined },
        {
          name: 'main',
          kind: 'app',
          mounts: [
            { volumeName: 'cache', path: '/a' },
            { volumeName: 'cache', path: '/b' },
            { volumeName: 'config', path: '/c' },
          ],
          limitBytes: { roundedUp: 107_374_183, nanosBelow: 600_000_000 },
          requestBytes: 1e6,
        },
        { name: 'debug', kind: 'ephemeral', mounts: [], limitBytes: undefined, requestBytes: undefined },
      ],
      volumes: [
        { name: 'cache', type: 'emptydir', medium: '', sizeLimitBytes: 2 ** 30, isRawBlock: false },
        { name: 'config', type: 'configmap', medium: '', sizeLimitBytes: undefined, isRawBlock: false },
        { name: 'token', type: 'projected', medium: '', sizeLimitBytes: undefined, isRawBlock: false },
      ],
      overheadBytes: 1_048_576,
      priority: 0,
      hasPodLevelResources: false,
    });
  });

  it('reads missing parts of a pod as absent', () => {
    expect(pod()).toEqual({
      uid: 'u1',
      kubeletUid: 'u1',
      name: 'cart-0',
      namespace: 'shop',
      resourceVersion: '7',
      labels: {},
      isStatic: false,
      nodeName: undefined,
      phase: '',
      runningSinceMs: undefined,
      runningContainerCount: 0,
      runs: [],
      images: [],
      runsChangedAtMs: undefined,
      controller: undefined,
      containers: [],
      volumes: [],
      overheadBytes: 0,
      priority: 0,
      hasPodLevelResources: false,
    });
  });

  it.each([
    [{ emptyDir: {} }, 'emptydir', ''],
    [{ emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }, 'emptydir', 'Memory'],
    [{ emptyDir: { medium: 'HugePages-2Mi' } }, 'emptydir', 'HugePages-2Mi'],
    [{ emptyDir: { medium: 5 } }, 'emptydir', ''],
    [{ configMap: {} }, 'configmap', ''],
    [{ gitRepo: {} }, 'gitrepo', ''],
    [{ secret: {} }, 'secret', ''],
    [{ projected: {} }, 'projected', ''],
    [{ downwardAPI: {} }, 'downwardapi', ''],
    [{ hostPath: {} }, 'hostpath', ''],
    [{ persistentVolumeClaim: {} }, 'pvc', ''],
    [{ ephemeral: {} }, 'ephemeral', ''],
    [{ csi: {} }, 'csi', ''],
    [{ nfs: {} }, 'nfs', ''],
    [{ image: {} }, 'image', ''],
    [{ iscsi: {} }, 'unknown', ''],
    [{ constructor: {} }, 'unknown', ''],
    [{}, 'unknown', ''],
    [{ emptyDir: null, secret: {} }, 'secret', ''],
  ])('takes the volume source %j for %s with medium %j', (source, type, medium) => {
    expect(pod({ spec: { volumes: [{ name: 'v', ...source }] } }).volumes).toMatchObject([{ name: 'v', type, medium }]);
  });

  it.each([
    [{ emptyDir: { sizeLimit: '1Gi' } }, 2 ** 30],
    [{ emptyDir: { sizeLimit: '500M', medium: 'Memory' } }, 5e8],
    [{ emptyDir: { sizeLimit: '0' } }, undefined],
    [{ emptyDir: { sizeLimit: 'much' } }, undefined],
    [{ emptyDir: { sizeLimit: 5 } }, undefined],
    [{ emptyDir: {} }, undefined],
    [{ ephemeral: { sizeLimit: '1Gi' } }, undefined],
  ])('takes the size limit of the volume source %j for %s bytes', (source, sizeLimitBytes) => {
    const [volume] = pod({ spec: { volumes: [{ name: 'v', ...source }] } }).volumes;
    expect(volume?.sizeLimitBytes).toBe(sizeLimitBytes);
  });

  it.each([
    ['apps/v1', 'ReplicaSet', undefined],
    ['apps.kruise.io/v1alpha1', 'ReplicaSet', true],
    ['batch/v1', 'Job', undefined],
    ['batch.volcano.sh/v1alpha1', 'Job', true],
    ['v1', 'Job', true],
    ['v1', 'ReplicationController', undefined],
    ['example.com/v1', 'ReplicationController', true],
    ['apps.kruise.io/v1beta1', 'StatefulSet', undefined],
  ])('knows whether the names of %s %s follow the rules of Kubernetes', (apiVersion, kind, isForeign) => {
    const ownerReferences = [{ apiVersion, kind, name: 'cart-3', controller: true }];
    const { controller } = pod({ metadata: { ...metadata, labels: { deploymentconfig: 'cart' }, ownerReferences } });
    expect(controller?.isForeign).toBe(isForeign);
    if (isForeign) expect(controller).toMatchObject({ kind, name: 'cart-3' });
  });

  it.each([
    ['cart-3', { labels: { deploymentconfig: 'cart' } }, 'DeploymentConfig/cart'],
    ['cart-3', { annotations: { 'openshift.io/deployment-config.name': 'cart' } }, 'DeploymentConfig/cart'],
    ['cart-v2-12', { labels: { deploymentconfig: 'cart-v2' } }, 'DeploymentConfig/cart-v2'],
    ['cart-3', {}, 'ReplicationController/cart-3'],
    ['cart-3', { labels: { deploymentconfig: 'search' } }, 'ReplicationController/cart-3'],
    ['cart-a', { labels: { deploymentconfig: 'cart' } }, 'ReplicationController/cart-a'],
    ['cart', { labels: {}, annotations: { 'openshift.io/deployment-config.name': 1 } }, 'ReplicationController/cart'],
  ])('takes the ReplicationController %s of a pod with %j for %s', (name, meta, expected) => {
    const ownerReferences = [{ kind: 'ReplicationController', name, controller: true }];
    const { controller } = pod({ metadata: { ...metadata, ...meta, ownerReferences } });
    expect(`${controller?.kind}/${controller?.name}`).toBe(expected);
  });

  it.each(['-1Gi', '-1', -5])('takes the negative amount %j for none', (amount) => {
    const resources = { limits: { 'ephemeral-storage': amount }, requests: { 'ephemeral-storage': amount } };
    const { containers, overheadBytes } = pod({
      spec: { containers: [{ name: 'a', resources }], overhead: resources.limits },
    });
    expect(containers).toMatchObject([{ limitBytes: undefined, requestBytes: undefined }]);
    expect(overheadBytes).toBe(0);
  });

  const hash = { 'kubernetes.io/config.hash': 'h1' };
  const mirror = { 'kubernetes.io/config.mirror': 'h1' };

  it.each([
    ['the hash of its manifest, for a mirror pod', { ...hash, ...mirror }, true, 'h1'],
    ['its own, when only the hash was copied into its manifest', hash, false, 'u1'],
    ['its own, for a mirror pod without a hash', mirror, true, 'u1'],
    ['its own, for a mirror pod with an empty hash', { ...mirror, 'kubernetes.io/config.hash': '' }, true, 'u1'],
    ['its own, without annotations', undefined, false, 'u1'],
  ])('the kubelet reports a pod with the UID: %s', (_name, annotations, isStatic, kubeletUid) => {
    expect(pod({ metadata: { annotations } })).toMatchObject({ isStatic, kubeletUid });
  });

  describe('the time since which a pod runs', () => {
    const startTime = '2026-01-01T00:00:00Z';
    const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
    const running = (seconds: number) => ({ running: { startedAt: at(seconds) } });
    const spec = {
      initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }],
      containers: [{ name: 'a' }, { name: 'b' }],
    };
    const since = (status: object): number | undefined =>
      pod({ spec, status: { phase: 'Running', startTime, ...status } }).runningSinceMs;

    it.each([
      ['the start of its first running container', [{ state: running(9) }, { state: running(5) }], [], 5],
      ['the one that runs, while the other waits', [{ state: { waiting: {} } }, { state: running(8) }], [], 8],
      ['its sidecar', [{ name: 'a', state: { waiting: {} } }], [{ name: 'proxy', state: running(3) }], 3],
      ['an init container that runs, while the others wait', [{ state: { waiting: {} } }], [{ state: running(1) }], 1],
      ['its app container after an init container', [{ state: running(8) }], [{ state: { terminated: {} } }], 8],
      ['the start of the pod, when the container has no date', [{ state: { running: { startedAt: null } } }], [], 0],
      ['the start of the pod, without any container status', [], [], 0],
    ])('a pod runs since %s', (_name, containerStatuses, initContainerStatuses, seconds) => {
      expect(since({ containerStatuses, initContainerStatuses })).toBe(Date.UTC(2026, 0, 1, 0, 0, seconds));
    });

    it('a pod runs since its first container, while others are being pulled', () => {
      const containerStatuses = [{ state: { waiting: {} } }, { state: running(7) }];
      expect(since({ phase: 'Pending', containerStatuses })).toBe(Date.UTC(2026, 0, 1, 0, 0, 7));
    });

    it('a pod runs since an ephemeral container, while its own have crashed', () => {
      const containerStatuses = [{ state: { waiting: {} } }];
      const ephemeralContainerStatuses = [{ state: running(9) }];
      expect(since({ containerStatuses, ephemeralContainerStatuses })).toBe(Date.UTC(2026, 0, 1, 0, 0, 9));
    });

    it.each([
      ['no container runs', { containerStatuses: [{ state: { waiting: {} } }, { state: { terminated: {} } }] }],
      ['it is pending and nothing is said of its containers', { phase: 'Pending' }],
      ['it failed', { phase: 'Failed', containerStatuses: [{ state: running(1) }] }],
      ['it succeeded', { phase: 'Succeeded' }],
      ['its phase is unknown', { phase: undefined, containerStatuses: [{ state: running(1) }] }],
      ['nothing says when', { startTime: undefined }],
      ['the date is not one', { startTime: 'yesterday' }],
    ])('a pod runs since no time, when %s', (_name, status) => {
      expect(since(status)).toBeUndefined();
    });
  });

  it.each([
    ['uid', 'pod shop/cart-0: metadata.uid is missing'],
    ['resourceVersion', 'pod shop/cart-0: metadata.resourceVersion is missing'],
    ['name', 'pod shop: metadata.name is missing'],
  ])('refuses a pod without %s', (field, message) => {
    for (const value of [undefined, '', 5, null]) {
      expect(() => pod({ metadata: { [field]: value } })).toThrow(RequestError);
    }
    expect(() => pod({ metadata: { [field]: undefined } })).toThrow(message);
  });

  it.each([undefined, null, 1, 'pod', [], {}, { metadata: null }, { metadata: [] }])('refuses the pod %j', (object) => {
    expect(() => projectPod(object, keep)).toThrow('pod without a name: metadata.uid is missing');
  });

  it('keeps hostile label keys as plain data', () => {
    const labels: unknown = JSON.parse('{"__proto__": "x", "constructor": "y", "app": "z", "number": 1, "none": null}');
    const projected = pod({ metadata: { labels } }).labels;
    expect(Object.entries(projected)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['app', 'z'],
    ]);
    expect(Object.getPrototypeOf(projected)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it('never fails on parts of wrong types', () => {
    const anything = fc.jsonValue();
    const shapes = fc.record({
      metadata: fc.record({ labels: anything, annotations: anything, ownerReferences: fc.array(anything) }),
      spec: fc.oneof(
        anything,
        fc.record({
          nodeName: anything,
          overhead: anything,
          volumes: fc.array(fc.oneof(anything, fc.record({ name: anything, emptyDir: anything }))),
          containers: fc.array(fc.record({ name: anything, resources: anything, volumeMounts: fc.array(anything) })),
          initContainers: anything,
        }),
      ),
      status: fc.oneof(
        anything,
        fc.record({
          phase: fc.constantFrom('Running', 1, null),
          startTime: anything,
          containerStatuses: fc.oneof(anything, fc.array(fc.record({ name: anything, state: anything }))),
        }),
      ),
    });
    fc.assert(
      fc.property(shapes, (parts) => {
        expect(pod(parts).uid).toBe('u1');
      }),
    );
  });
});

describe('projectNode', () => {
  const node = (parts: object) =>
    projectNode({ metadata: { name: 'n1', uid: 'u1', resourceVersion: '7' }, ...parts }, keep);

  it('what a virtual cluster makes up is not known', () => {
    const status = {
      conditions: [{ type: 'DiskPressure', status: 'False' }],
      capacity: { cpu: '16' },
      allocatable: { 'ephemeral-storage': '100Gi' },
      nodeInfo: { kubeletVersion: 'v1.19.1', operatingSystem: 'linux', containerRuntimeVersion: 'docker://19.3.12' },
      images: [{ names: ['app:1'], sizeBytes: 7 }],
    };
    const made = (isFake: string) =>
      projectNode(
        {
          metadata: { name: 'n', uid: 'u', resourceVersion: '1', labels: { 'vcluster.loft.sh/fake-node': isFake } },
          status,
        },
        keep,
      );
    expect(made('false')).toMatchObject({
      kubeletVersion: 'v1.19.1',
      diskPressure: false,
      enforcesStorageLimits: false,
    });
    expect(made('true')).toMatchObject({ operatingSystem: 'linux', enforcesStorageLimits: true, images: [] });
    const { kubeletVersion, diskPressure, capacityBytes, allocatableBytes, containerRuntime } = made('true');
    expect([kubeletVersion, diskPressure, capacityBytes, allocatableBytes, containerRuntime]).toEqual(
      Array(5).fill(undefined),
    );
  });

  it('keeps what the exporter uses of a node', () => {
    const status = {
      conditions: [
        { type: 'DiskPressure', status: 'False' },
        { type: 'Ready', status: 'True' },
      ],
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'Hostname', address: 'n1' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      allocatable: { 'ephemeral-storage': '267847642337' },
      capacity: { 'ephemeral-storage': '297608491486' },
      nodeInfo: { kubeletVersion: 'v1.37.1', operatingSystem: 'linux', containerRuntimeVersion: 'containerd://2.1.4' },
      images: [{ names: ['app@sha256:1', 'app:1'], sizeBytes: 7 }],
    };
    expect(node({ status })).toEqual({
      uid: 'u1',
      name: 'n1',
      resourceVersion: '7',
      labels: {},
      ready: true,
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'Hostname', address: 'n1' },
      ],
      kubeletPort: 10250,
      capacityBytes: 297_608_491_486,
      allocatableBytes: 267_847_642_337,
      kubeletVersion: 'v1.37.1',
      operatingSystem: 'linux',
      enforcesStorageLimits: true,
      diskPressure: false,
      containerRuntime: 'containerd://2.1.4',
      images: [{ name: 'app:1', keys: ['sha256:1', 'app:1'], sizeBytes: 7 }],
    });
  });

  it.each([
    [{ capacity: { cpu: '4' } }, false],
    [{ capacity: { 'ephemeral-storage': '1Gi' } }, true],
    [{}, true],
  ])('a node with status %j enforces limits of storage: %s', (status, expected) => {
    expect(node({ status }).enforcesStorageLimits).toBe(expected);
  });

  it.each([
    ['True', true],
    ['False', false],
    ['Unknown', undefined],
  ])('a node is under disk pressure when the condition is %s: %s', (status, expected) => {
    expect(node({ status: { conditions: [{ type: 'DiskPressure', status }] } }).diskPressure).toBe(expected);
  });

  it.each([
    [undefined],
    [null],
    [{ conditions: null, addresses: null, daemonEndpoints: null }],
    [{ conditions: [{ type: 'Ready', status: 'Unknown' }], addresses: [{ type: 'InternalIP' }], daemonEndpoints: {} }],
  ])('a node is not ready and has no address with status %j', (status) => {
    expect(node({ status })).toMatchObject({ ready: false, addresses: [], kubeletPort: undefined });
  });

  it.each([0, -1, 65_536, 1.5, '10250', null])('takes the port %j for not reported', (Port) => {
    expect(node({ status: { daemonEndpoints: { kubeletEndpoint: { Port } } } }).kubeletPort).toBeUndefined();
  });

  it('refuses a node without a UID, by name', () => {
    expect(() => projectNode({ metadata: { name: 'n1' } }, keep)).toThrow('node n1: metadata.uid is missing');
  });
});
