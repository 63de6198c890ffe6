import type { SimulatedService } from './service-object.js';
import { isTerminal, type SimulatedPod } from './simulated-pod.js';
import { isPodReady } from './simulated-pod-status.js';

interface ServiceEndpoint {
  readonly pod: SimulatedPod;
  readonly isReady: boolean;
}

/** The pods with an address that a Service selects. */
export function endpointsOf(
  { spec: { namespace, selector } }: SimulatedService,
  pods: readonly SimulatedPod[],
): readonly ServiceEndpoint[] {
  const wanted = Object.entries(selector);
  return pods
    .filter((pod) => pod.spec.namespace === namespace && pod.startedAtMs !== undefined && !isTerminal(pod))
    .filter(({ spec: { labels = {} } }) => wanted.every(([name, value]) => labels[name] === value))
    .map((pod) => ({ pod, isReady: pod.deletedAtMs === undefined && isPodReady(pod) }));
}
