import type { Container, Pod } from '../kube/objects.js';

/** https://kubernetes.io/docs/tasks/administer-cluster/guaranteed-scheduling-critical-addon-pods/ */
const criticalClasses: readonly (string | undefined)[] = ['system-cluster-critical', 'system-node-critical'];

/**
 * Whether the kubelet never evicts the pod for its limits.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/types/pod_update.go (IsCriticalPod)
 */
export function isExemptFromLimits({ isStatic, priorityClass }: Pod): boolean {
  return isStatic || criticalClasses.includes(priorityClass);
}

/**
 * The pod's limit of ephemeral storage as the kubelet enforces it; undefined when no container declares one. Overhead
 * is added to a limit above zero but makes none.
 * https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/component-helpers/resource/helpers.go (PodLimits)
 */
export function podLimitBytes({ containers, overheadBytes }: Pod): number | undefined {
  const bytes = aggregate(containers, ({ limitBytes }) => limitBytes);
  return bytes === undefined || bytes === 0 ? bytes : bytes + overheadBytes;
}

/**
 * The pod's request of ephemeral storage as the scheduler counts it; undefined when neither a container nor the
 * overhead declares one. Same source, PodRequests.
 */
export function podRequestBytes({ containers, overheadBytes }: Pod): number | undefined {
  const bytes = aggregate(containers, ({ requestBytes }) => requestBytes);
  return bytes === undefined && overheadBytes === 0 ? undefined : (bytes ?? 0) + overheadBytes;
}

/**
 * The larger of two moments of a pod's life: app and sidecar containers together, or one ordinary init container with
 * the sidecars declared before it. Relies on the order of `Pod.containers`: init containers first.
 * https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
function aggregate(
  containers: readonly Container[],
  bytesOf: (container: Container) => number | undefined,
): number | undefined {
  let runningBytes = 0;
  let initBytes = 0;
  let isDeclared = false;
  for (const container of containers) {
    const bytes = bytesOf(container);
    if (bytes === undefined || container.kind === 'ephemeral') continue;
    isDeclared = true;
    if (container.kind === 'init') initBytes = Math.max(initBytes, runningBytes + bytes);
    else runningBytes += bytes;
  }
  return isDeclared ? Math.max(runningBytes, initBytes) : undefined;
}
