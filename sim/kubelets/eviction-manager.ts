import type { ClusterModel } from '../model/cluster-model.js';
import { fileSystems } from '../model/file-systems.js';
import { exceededLimit } from '../model/limit-rules.js';
import { kubeletVersionOf, pressureTransitionMsOf, type SimulatedNode } from '../model/node-object.js';
import { type Observation, podUsage } from '../model/pod-usage.js';
import { evictionOrder, pressureMessage } from '../model/pressure-rules.js';
import { type CrossedThreshold, crossedThreshold } from '../model/pressure-thresholds.js';
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
  #pressureSeenAtMs = -Infinity;

  constructor(options: EvictionManagerOptions) {
    this.#options = options;
  }

  /**
   * Evicts every pod that exceeds a limit. Without any, and if a threshold of the node is crossed, it deletes unused
   * images, and evicts one pod if that is not enough. While evicted pods are cleaned up, for up to 30 s, nothing is done.
   */
  pass(): void {
    const { model, nodeName, observation } = this.#options;
    const node = model.node(nodeName);
    const at = observation();
    if (node === undefined || this.#isCleaningUp(at.nowMs)) return;
    const isCrossed = this.#crossedThreshold(at) !== undefined;
    this.#updateCondition(node, isCrossed, at.nowMs);
    const aboveLimits = this.#evictForLimits(node, at);
    const victims = aboveLimits.length === 0 && isCrossed ? this.#relieve(node, at) : aboveLimits;
    this.#victims = victims.length === 0 ? undefined : { pods: victims, evictedAtMs: at.nowMs };
  }

  #crossedThreshold({ nowMs }: Observation): CrossedThreshold | undefined {
    const { model, nodeName } = this.#options;
    const node = model.node(nodeName);
    return node && crossedThreshold(node.spec, fileSystems(node, model.podsOn(nodeName), nowMs));
  }

  #updateCondition({ spec }: SimulatedNode, isCrossed: boolean, nowMs: number): void {
    if (isCrossed) this.#pressureSeenAtMs = nowMs;
    this.#options.model.setDiskPressure(spec.name, nowMs - this.#pressureSeenAtMs < pressureTransitionMsOf(spec));
  }

  /** The kubelet deletes no images for the sake of a filesystem that has none. */
  #relieve(node: SimulatedNode, at: Observation): readonly SimulatedPod[] {
    const { model } = this.#options;
    const isImageFsDedicated = node.spec.imageFsCapacityBytes !== undefined;
    const before = this.#crossedThreshold(at);
    const used = node.images.filter(({ isUnused }) => isUnused !== true);
    const hasImages = !isImageFsDedicated || before?.fileSystem === 'image';
    if (hasImages && used.length < node.images.length) model.setImages(node.spec.name, used);
    const threshold = this.#crossedThreshold(at);
    if (threshold === undefined) return [];
    const context = { threshold, minorVersion: minorVersionOf(node), isImageFsDedicated };
    const pods = model.podsOn(node.spec.name).filter((pod) => !isTerminal(pod));
    const order = evictionOrder(
      pods.map((pod) => ({ pod, usage: podUsage(pod, at) })),
      context,
    );
    const victim = order.find(({ pod }) => !isExempt(pod));
    if (victim === undefined) return [];
    model.evictPod(victim.pod, { message: pressureMessage(victim, context), isForNode: true });
    return [victim.pod];
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
