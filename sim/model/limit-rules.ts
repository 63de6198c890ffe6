import { quantity } from './object-format.js';
import { podAggregate } from './pod-resources.js';
import type { PodUsage } from './pod-usage.js';
import { kindOf, type SimulatedPod } from './simulated-pod.js';

export interface EnforcingKubelet {
  /** The minor version: 37 for v1.37.1. */
  readonly minorVersion: number;
  /** Images and writable layers are on a filesystem of their own. */
  readonly isImageFsDedicated: boolean;
}

/**
 * The message for the first limit that the pod exceeds, in the order of the kubelet; undefined if it exceeds none.
 * Usage equal to its limit does not exceed it.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/kubelet/eviction/eviction_manager.go
 */
export function exceededLimit(pod: SimulatedPod, usage: PodUsage, kubelet: EnforcingKubelet): string | undefined {
  return exceededSizeLimit(usage) ?? exceededPodLimit(pod, usage) ?? exceededContainerLimit(usage, kubelet);
}

/** Of any medium. A size limit of 0 is none. */
function exceededSizeLimit({ volumes = [] }: PodUsage): string | undefined {
  for (const { spec, usedBytes } of volumes) {
    const { name, source, sizeLimitBytes = 0 } = spec;
    if (source === 'emptyDir' && sizeLimitBytes > 0 && usedBytes > sizeLimitBytes) {
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${quantity(sizeLimitBytes)}". `;
    }
  }
  return undefined;
}

/** A limit of 0 is one: any use exceeds it. */
function exceededPodLimit({ spec }: SimulatedPod, { totalBytes }: PodUsage): string | undefined {
  const limitBytes = podAggregate(spec.containers, (container) => container.limitBytes);
  if (limitBytes === undefined || totalBytes <= limitBytes) return undefined;
  return `Pod ephemeral local storage usage exceeds the total limit of containers ${quantity(limitBytes)}. `;
}

/** A limit of 0 is none. Sidecars have one from Kubernetes 1.37 on, init containers never. */
function exceededContainerLimit(
  { containers }: PodUsage,
  { minorVersion, isImageFsDedicated }: EnforcingKubelet,
): string | undefined {
  for (const { spec, rootfsBytes, logsBytes } of containers) {
    const kind = kindOf(spec);
    const limitBytes = kind === 'app' || (kind === 'sidecar' && minorVersion >= 37) ? (spec.limitBytes ?? 0) : 0;
    const usedBytes = isImageFsDedicated ? logsBytes : rootfsBytes + logsBytes;
    if (limitBytes > 0 && usedBytes > limitBytes) {
      return `Container ${spec.name} exceeded its local ephemeral storage limit "${quantity(limitBytes)}". `;
    }
  }
  return undefined;
}
