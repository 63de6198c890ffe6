import { timestamp } from '../../../sim/model/object-format.js';
import { type BenchPod, digits, nodeNameOf } from './pods.js';
import { Template, textSlot } from './template.js';

const limits = { cpu: '500m', memory: '512Mi', 'ephemeral-storage': '1Gi' };
const requests = { cpu: '100m', memory: '256Mi', 'ephemeral-storage': '512Mi' };

const slots = {
  app: textSlot('app', 9),
  namespace: textSlot('namespace', 7),
  name: textSlot('name', 27),
  uid: textSlot('uid', 36),
  token: textSlot('tokenSuffix', 5),
  startedAt: textSlot('startedAt', 20),
  revision: textSlot('revision', 8),
  version: textSlot('version', 10),
  node: textSlot('node', 10),
};

function container(name: string): object {
  return {
    name,
    image: `registry.example/${slots.namespace}/${name}:1.42.0`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: Array.from({ length: 6 }, (_, index) => ({ name: `SETTING_${index}`, value: `value-of-setting-${index}` })),
    resources: { limits, requests },
    volumeMounts: [
      { name: 'cache', mountPath: '/var/cache/app' },
      { name: 'config', mountPath: '/etc/app' },
      {
        name: `kube-api-access-${slots.token}`,
        readOnly: true,
        mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      },
    ],
    livenessProbe: { httpGet: { path: '/livez', port: 'http', scheme: 'HTTP' }, timeoutSeconds: 1, periodSeconds: 10 },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true },
  };
}

function containerStatus(name: string): object {
  return {
    name,
    state: { running: { startedAt: slots.startedAt } },
    lastState: {},
    ready: true,
    restartCount: 0,
    image: `registry.example/${slots.namespace}/${name}:1.42.0`,
    imageID: `registry.example/${slots.namespace}/${name}@sha256:${'5f70bf18a086007016e948b04aed3b82'.repeat(2)}`,
    containerID: `containerd://${'9f86d081884c7d659a2feaa0c55ad015'.repeat(2)}`,
    started: true,
  };
}

/** As large a part of a pod as in a cluster: a quarter. */
function managedFields(): object[] {
  const fields = (keys: readonly string[]): object => Object.fromEntries(keys.map((key) => [`f:${key}`, {}]));
  const ofContainer = ['image', 'imagePullPolicy', 'name', 'ports', 'resources', 'terminationMessagePath'];
  const entry = { apiVersion: 'v1', operation: 'Update', time: slots.startedAt, fieldsType: 'FieldsV1' };
  return [
    {
      ...entry,
      manager: 'kube-controller-manager',
      fieldsV1: {
        'f:metadata': { 'f:labels': { '.': {}, ...fields(['app', 'pod-template-hash']) }, 'f:ownerReferences': {} },
        'f:spec': {
          'f:containers': { 'k:{"name":"app"}': fields(ofContainer), 'k:{"name":"proxy"}': fields(ofContainer) },
          ...fields(['dnsPolicy', 'enableServiceLinks', 'restartPolicy', 'schedulerName', 'securityContext']),
        },
      },
    },
    {
      ...entry,
      manager: 'kubelet',
      subresource: 'status',
      fieldsV1: { 'f:status': fields(['conditions', 'containerStatuses', 'hostIP', 'phase', 'podIP', 'startTime']) },
    },
  ];
}

function podObject(): object {
  return { metadata: podMetadata(), spec: podSpec(), status: podStatus() };
}

function podMetadata(): object {
  return {
    name: slots.name,
    generateName: `${slots.app}-6f6b679f8f-`,
    namespace: slots.namespace,
    uid: slots.uid,
    resourceVersion: slots.version,
    creationTimestamp: slots.startedAt,
    labels: {
      app: slots.app,
      'app.kubernetes.io/part-of': slots.namespace,
      'pod-template-hash': '6f6b679f8f',
      revision: slots.revision,
    },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: `${slots.app}-6f6b679f8f`,
        uid: '0f5b2f0e-5d6c-4b7a-8c1d-2e3f4a5b6c7d',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: managedFields(),
  };
}

function podSpec(): object {
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  ];
  return {
    volumes: [
      { name: 'cache', emptyDir: { sizeLimit: '512Mi' } },
      { name: 'config', configMap: { name: slots.app, defaultMode: 420 } },
      { name: `kube-api-access-${slots.token}`, projected: { sources, defaultMode: 420 } },
    ],
    containers: [container('app'), container('proxy')],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    nodeName: slots.node,
    securityContext: {},
    schedulerName: 'default-scheduler',
    tolerations: ['not-ready', 'unreachable'].map((taint) => ({
      key: `node.kubernetes.io/${taint}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  };
}

function podStatus(): object {
  const conditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    phase: 'Running',
    conditions: conditions.map((type) => ({
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: slots.startedAt,
    })),
    hostIP: '127.0.0.1',
    podIP: '10.244.0.17',
    startTime: slots.startedAt,
    containerStatuses: [containerStatus('app'), containerStatus('proxy')],
    qosClass: 'Burstable',
  };
}

/** Width of a resource version: as text of a fixed width, it has zeros in front. */
export function versionText(resourceVersion: number): string {
  return digits(resourceVersion, 10);
}

/** The API objects of pods. */
export class PodObjects {
  readonly #template: Template;

  /** `head`: kind and version of an object that stands alone; those of a list have none. */
  constructor(head: object = {}) {
    this.#template = new Template({ ...head, ...podObject() });
  }

  get sizeBytes(): number {
    return this.#template.skeleton.length;
  }

  /** Writes the object at `start`. */
  write(target: Buffer, start: number, pod: BenchPod): void {
    target.set(this.#template.skeleton, start);
    this.#template.fill(target, start, {
      app: pod.app,
      namespace: pod.namespace,
      name: pod.name,
      uid: pod.uid,
      tokenSuffix: pod.tokenSuffix,
      startedAt: pod.startedAt,
      revision: pod.revision,
      version: versionText(pod.resourceVersion),
      node: nodeNameOf(pod.nodeIndex),
    });
  }
}

/** The node's API object as text, without slots: nodes do not change here. */
export function nodeObjectText(nodeIndex: number, kubeletPort: number): string {
  const name = nodeNameOf(nodeIndex);
  const time = timestamp(nodesSinceMs);
  const condition = (type: string, status: string): object => ({
    type,
    status,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
    reason: `Kubelet${type}`,
    message: `the kubelet reports ${type} as ${status}`,
  });
  const resources = { cpu: '16', memory: '64Gi', pods: '110', 'ephemeral-storage': '104857600Ki' };
  return JSON.stringify({
    metadata: {
      name,
      uid: `11111111-1111-4111-8111-${digits(nodeIndex, 12)}`,
      resourceVersion: versionText(1),
      creationTimestamp: time,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'topology.kubernetes.io/zone': `zone-${nodeIndex % 3}`,
      },
    },
    spec: { podCIDR: '10.244.0.0/24' },
    status: {
      capacity: resources,
      allocatable: { ...resources, 'ephemeral-storage': '96636764160' },
      conditions: [
        condition('MemoryPressure', 'False'),
        condition('DiskPressure', 'False'),
        condition('PIDPressure', 'False'),
        condition('Ready', 'True'),
      ],
      addresses: [
        { type: 'InternalIP', address: '127.0.0.1' },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
      nodeInfo: { kubeletVersion: 'v1.34.1', operatingSystem: 'linux', architecture: 'amd64' },
      images: Array.from({ length: 50 }, (_, index) => ({
        names: [
          `registry.example/images/image-${index}@sha256:${'ab'.repeat(32)}`,
          `registry.example/images/image-${index}:1`,
        ],
        sizeBytes: 400_000_000 - index,
      })),
    },
  });
}

/** Long ago, so that no node is a new one. */
const nodesSinceMs = Date.UTC(2026, 0, 1);
