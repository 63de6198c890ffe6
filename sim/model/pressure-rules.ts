import { quantity } from './object-format.js';
import { podAggregate, requestOf } from './pod-resources.js';
import { isCounted, type PodUsage } from './pod-usage.js';
import type { CrossedThreshold } from './pressure-thresholds.js';
import { kindOf, type SimulatedPod } from './simulated-pod.js';
import type { ContainerSpec, PodSpec } from './specs.js';

/** A kubelet's view on one of its pods. */
export interface RankedPod {
  readonly pod: SimulatedPod;
  /** Undefined without statistics. */
  readonly usage: PodUsage | undefined;
}

export interface PressureContext {
  readonly threshold: CrossedThreshold;
  readonly minorVersion: number;
  readonly isImageFsDedicated: boolean;
}

/**
 * The pods in the order in which the kubelet would evict them: first those without statistics, then those above their
 * request, then by priority, then by usage above the request. Equals are ordered by name, for a repeatable simulation.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#pod-selection-for-kubelet-eviction
 */
export function evictionOrder(pods: readonly RankedPod[], context: PressureContext): readonly RankedPod[] {
  const ranked = pods.map((each) => ({ each, key: rankingKey(each, context) }));
  return ranked.toSorted((a, b) => compare(a.key, b.key)).map(({ each }) => each);
}

/** Compared part by part; smaller ones are evicted first. */
function rankingKey({ pod, usage }: RankedPod, context: PressureContext): readonly (number | string)[] {
  const { namespace, name, priority = 0 } = pod.spec;
  const identity = `${namespace}/${name}`;
  if (usage === undefined) return [0, 0, priority, 0, identity];
  const amount = measuredAmount(usage, context);
  // For inodes, too, the kubelet subtracts the bytes requested.
  const request = podRequest(pod.spec, context);
  const isAbove = context.threshold.resource === 'inodes' ? amount > 0 : amount > request;
  return [1, isAbove ? 0 : 1, priority, request - amount, identity];
}

function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? '';
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** What the pod has on the filesystem of the threshold: layers with the images, logs and volumes on the node's. */
function measuredAmount(usage: PodUsage, { threshold, isImageFsDedicated }: PressureContext): number {
  const { layers, others } = threshold.resource === 'inodes' ? usedInodes(usage) : usedBytes(usage);
  if (!isImageFsDedicated) return layers + others;
  return threshold.fileSystem === 'image' ? layers : others;
}

interface PodAmounts {
  readonly layers: number;
  readonly others: number;
}

function usedBytes({ containers, volumes = [] }: PodUsage): PodAmounts {
  return {
    layers: sum(containers.map(({ rootfsBytes }) => rootfsBytes)),
    others:
      sum(containers.map(({ logsBytes }) => logsBytes)) +
      sum(volumes.map((volume) => (isCounted(volume.spec) ? volume.usedBytes : 0))),
  };
}

/** The logs of a container are one file. */
function usedInodes({ containers, volumes = [] }: PodUsage): PodAmounts {
  return {
    layers: sum(containers.map(({ rootfsInodes }) => rootfsInodes)),
    others: containers.length + sum(volumes.map((volume) => (isCounted(volume.spec) ? volume.inodes : 0))),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Before 1.34, sidecars are init containers for the kubelet, of which the largest counts. */
function podRequest({ containers }: PodSpec, { minorVersion }: PressureContext): number {
  const counted =
    minorVersion >= 34
      ? containers
      : containers.map((container): ContainerSpec => ({
          ...container,
          kind: kindOf(container) === 'app' ? 'app' : 'init',
        }));
  return podAggregate(counted, requestOf) ?? 0;
}

/** The message of an eviction for the node's sake. It names the containers above their own requests. */
export function pressureMessage({ usage }: RankedPod, { threshold, minorVersion }: PressureContext): string {
  const { resource, threshold: text, available } = threshold;
  let message = `The node was low on resource: ${resource}. Threshold quantity: ${text}, available: ${available}. `;
  if (resource === 'inodes') return message;
  for (const { spec, rootfsBytes, logsBytes } of usage?.containers ?? []) {
    const isNamed = minorVersion >= 32 || kindOf(spec) === 'app';
    const request = requestOf(spec) ?? 0;
    const used = rootfsBytes + logsBytes;
    if (!isNamed || used <= request) continue;
    message += `Container ${spec.name} was using ${quantity(used)}, request is ${quantity(request)}, has larger consumption of ${resource}. `;
  }
  return message;
}
