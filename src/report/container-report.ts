import { roundUp } from '../kube/quantity.js';
import { type LimitReport, limitReport } from './limit-report.js';
import { type FoundPod, type PodPlace, podPlace } from './pod-report.js';

export interface ContainerReport extends PodPlace {
  readonly container: string;
  /** Attributed: its own files and its share of what the pod shares. Over a pod's containers they add up to its total. */
  readonly usedBytes: number;
  /** As the kubelet reports them. */
  readonly rootfsBytes?: number | undefined;
  readonly logsBytes?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly requestBytes?: number | undefined;
  /** Where the kubelet enforces the container's own limit. */
  readonly nearestLimit?: LimitReport | undefined;
  readonly dataAgeMs: number;
}

/** The containers that the kubelet lists for a pod. */
export function containerReports(found: FoundPod): readonly ContainerReport[] {
  const { node, pod } = found;
  return pod.usage.containers.map(({ name, usedBytes, rootfsBytes, logsBytes }) => {
    const spec = pod.bound?.pod.containers.find((container) => container.name === name);
    const ratio = pod.ratios.find(({ rule, container }) => rule === 'container' && container === name);
    return {
      ...podPlace(found),
      container: name,
      usedBytes,
      rootfsBytes,
      logsBytes,
      limitBytes: spec?.limitBytes && roundUp(spec.limitBytes),
      requestBytes: spec?.requestBytes && roundUp(spec.requestBytes),
      nearestLimit: ratio && limitReport(ratio),
      dataAgeMs: Math.round(node.ageMs),
    };
  });
}
