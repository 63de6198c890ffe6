import type { ClusterModel } from '../model/cluster-model.js';
import { exceededLimit } from '../model/limit-rules.js';
import { kubeletVersionOf, type SimulatedNode } from '../model/node-object.js';
import { type Observation, podUsage } from '../model/pod-usage.js';
import { isExempt, isTerminal, measuredContainers, type SimulatedPod } from '../model/simulated-pod.js';

export interface EvictionManagerOptions {
  readonly model: ClusterModel;
  readonly nodeName: string;
  /** What the kubelet has measured now: it evicts by nothing else. */
  readonly observation: () => Observation;
}

interface Victims {
  readonly pods: readonly SimulatedPod[];
  readonly evictedAtMs: number;
}

/** The kubelet looks at its pods this often. */
export const evictionPeriodMs = 10_000;
const longestCleanUpMs = 30_000;

/** Evicts pods of one node, as its kubelet does. */
export class EvictionManager {
  readonly #options: EvictionManagerOptions;
  #victims: Victims | undefined;

  constructor(options: EvictionManagerOptions) {
    this.#options = options;
  }

  /** Evicts every pod that exceeds a limit. While evicted pods are cleaned up, for up to 30 s, nothing is done. */
  pass(): void {
    const { model, nodeName, observation } = this.#options;
    const node = model.node(nodeName);
    const at = observation();
    if (node === undefined || this.#isCleaningUp(at.nowMs)) return;
    const victims = this.#evictForLimits(node, at);
    this.#victims = victims.length === 0 ? undefined : { pods: victims, evictedAtMs: at.nowMs };
  }

  #evictForLimits(node: SimulatedNode, at: Observation): readonly SimulatedPod[] {
    const { model } = this.#options;
    const kubelet = {
      minorVersion: minorVersionOf(node),
      isImageFsDedicated: node.spec.imageFsCapacityBytes !== undefined,
    };
    return model.podsOn(node.spec.name).filter((pod) => {
      if (isTerminal(pod) || isExempt(pod)) return false;
      const usage = podUsage(pod, at);
      const message = usage && exceededLimit(pod, usage, kubelet);
      if (message !== undefined) model.evictPod(pod, { message, isForNode: false });
      return message !== undefined;
    });
  }

  #isCleaningUp(nowMs: number): boolean {
    if (this.#victims === undefined || nowMs >= this.#victims.evictedAtMs + longestCleanUpMs) return false;
    const left = new Set(
      this.#options.model
        .podsOn(this.#options.nodeName)
        .filter(isMeasured)
        .map(({ uid }) => uid),
    );
    return this.#victims.pods.some(({ uid }) => left.has(uid));

    function isMeasured(pod: SimulatedPod): boolean {
      return measuredContainers(pod, nowMs).length > 0;
    }
  }
}

/** 37 for v1.37.1. */
function minorVersionOf({ spec }: SimulatedNode): number {
  return Number(kubeletVersionOf(spec).split('.')[1]);
}
