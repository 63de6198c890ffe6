import type { StoredObject } from '../api-server/versioned-objects.js';
import { humanDuration, timestamp } from './object-format.js';
import { imageIdOf } from './simulated-images.js';
import type { ImageSpec, NodeSpec } from './specs.js';

/** A node of the simulated cluster at one moment. Times are wall times in milliseconds. */
export interface SimulatedNode {
  readonly spec: NodeSpec;
  readonly uid: string;
  /** The port of its kubelet on 127.0.0.1. */
  readonly kubeletPort: number;
  readonly isReady: boolean;
  /** On its disk now. */
  readonly images: readonly ImageSpec[];
  readonly hasDiskPressure: boolean;
  readonly diskPressureChangedAtMs: number;
  readonly createdAtMs: number;
  readonly transitionAtMs: number;
  readonly heartbeatAtMs: number;
}

export const defaultCapacityBytes = 100 * 2 ** 30;
const defaultPressureTransitionMs = 5 * 60_000;

export function pressureTransitionMsOf({ pressureTransitionMs = defaultPressureTransitionMs }: NodeSpec): number {
  return pressureTransitionMs;
}

export const kubernetesVersion = 'v1.37.1';

export function kubeletVersionOf({ kubeletVersion = kubernetesVersion }: NodeSpec): string {
  return kubeletVersion;
}

/** The node as the API server returns it. */
export function nodeObject(node: SimulatedNode): StoredObject {
  const { spec } = node;
  return {
    resource: 'nodes',
    object: {
      metadata: {
        name: spec.name,
        uid: node.uid,
        resourceVersion: '',
        creationTimestamp: timestamp(node.createdAtMs),
        labels: {
          'kubernetes.io/arch': 'amd64',
          'kubernetes.io/hostname': spec.name,
          'kubernetes.io/os': 'linux',
          ...spec.labels,
        },
      },
      spec: node.hasDiskPressure ? { taints: [diskPressureTaint(node)] } : {},
      status: status(node),
    },
    fields: { 'metadata.name': spec.name },
    cells: (nowMs) => [
      spec.name,
      node.isReady ? 'Ready' : 'NotReady',
      rolesOf(spec),
      humanDuration(nowMs - node.createdAtMs),
      kubeletVersionOf(spec),
      '127.0.0.1',
      '<none>',
      osImage,
      kernelVersion,
      containerRuntimeVersion,
    ],
  };
}

const rolePrefix = 'node-role.kubernetes.io/';

function rolesOf({ labels = {} }: NodeSpec): string {
  const roles = Object.keys(labels).filter((label) => label.startsWith(rolePrefix));
  return roles.map((label) => label.slice(rolePrefix.length)).join() || '<none>';
}

const osImage = 'Debian GNU/Linux 13 (trixie)';
const kernelVersion = '6.12.48+deb13-amd64';
const containerRuntimeVersion = 'containerd://2.1.4';
/** `nodeStatusMaxImages`: a kubelet lists no more images, the largest first. */
const listedImageCount = 50;

function status(node: SimulatedNode): object {
  const capacityBytes = node.spec.capacityBytes ?? defaultCapacityBytes;
  return {
    capacity: { cpu: '4', memory: '16Gi', pods: '110', 'ephemeral-storage': `${Math.floor(capacityBytes / 1024)}Ki` },
    allocatable: {
      cpu: '4',
      memory: '15Gi',
      pods: '110',
      'ephemeral-storage': String(Math.floor(capacityBytes * 0.9)),
    },
    conditions: [
      condition(node, {
        type: 'DiskPressure',
        isTrue: node.hasDiskPressure,
        transitionAtMs: node.diskPressureChangedAtMs,
        reason: node.hasDiskPressure ? 'KubeletHasDiskPressure' : 'KubeletHasNoDiskPressure',
        message: node.hasDiskPressure ? 'kubelet has disk pressure' : 'kubelet has no disk pressure',
      }),
      condition(node, {
        type: 'Ready',
        isTrue: node.isReady,
        transitionAtMs: node.transitionAtMs,
        reason: node.isReady ? 'KubeletReady' : 'KubeletNotReady',
        message: node.isReady ? 'kubelet is posting ready status' : 'kubelet is not ready',
      }),
    ],
    addresses: [
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: node.spec.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: node.kubeletPort } },
    nodeInfo: {
      machineID: node.uid.replaceAll('-', ''),
      systemUUID: node.uid,
      bootID: node.uid,
      kernelVersion,
      osImage,
      containerRuntimeVersion,
      kubeletVersion: kubeletVersionOf(node.spec),
      kubeProxyVersion: kubeletVersionOf(node.spec),
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
    images: node.images
      .toSorted((a, b) => reportedBytes(b) - reportedBytes(a))
      .slice(0, listedImageCount)
      .map((image) => ({ names: [imageIdOf(image.name), image.name], sizeBytes: reportedBytes(image) })),
  };
}

function reportedBytes({ sizeBytes, contentBytes = sizeBytes }: ImageSpec): number {
  return contentBytes;
}

/** Set by the control plane with the condition. */
function diskPressureTaint({ diskPressureChangedAtMs }: SimulatedNode): object {
  return {
    key: 'node.kubernetes.io/disk-pressure',
    effect: 'NoSchedule',
    timeAdded: timestamp(diskPressureChangedAtMs),
  };
}

interface NodeCondition {
  readonly type: string;
  readonly isTrue: boolean;
  readonly transitionAtMs: number;
  readonly reason: string;
  readonly message: string;
}

function condition(node: SimulatedNode, of: NodeCondition): object {
  return {
    type: of.type,
    status: of.isTrue ? 'True' : 'False',
    lastHeartbeatTime: timestamp(node.heartbeatAtMs),
    lastTransitionTime: timestamp(of.transitionAtMs),
    reason: of.reason,
    message: of.message,
  };
}
