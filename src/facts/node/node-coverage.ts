import type { Pod } from '../../cluster/kube/objects.js';
import { ofSamePod } from '../../cluster/kube/pod-identity.js';
import { type Clock, latestNowMs } from '../../lib/base/clock.js';
import { Accumulator, noUsage, type WorkloadPartials } from '../workload/workload-partial.js';
import type { FrozenStatistics } from './frozen-statistics.js';
import { isActive } from './limits.js';
import { noCoverage, type NodeCoverage, type NodeSnapshot } from './node-view.js';
import type { BoundPod, PodRecord } from './pod-record.js';
import { podGraceMs } from './young-pods.js';

/** The coverage of one node, kept while its pods and their workloads, its snapshot and the expected pods stay the same. */
export class CoverageRecord {
  readonly #clock: Clock;
  #bound: readonly BoundPod[] | undefined;
  #snapshot: NodeSnapshot | undefined;
  #coverage = noCoverage;
  /** See {@link latestNowMs}. */
  #validUntilMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `bound`: all pods of the node; `snapshot`: undefined while the node has no data. */
  of(bound: readonly BoundPod[], snapshot: NodeSnapshot | undefined): NodeCoverage {
    if (this.isCurrent(bound, snapshot)) return this.#coverage;
    const expected = expectedPods(
      bound.map(({ pod }) => pod),
      latestNowMs(this.#clock),
    );
    this.#coverage = nodeCoverage(bound, expected.pods, snapshot);
    this.#bound = bound;
    this.#snapshot = snapshot;
    this.#validUntilMs = expected.validUntilMs;
    return this.#coverage;
  }

  isCurrent(bound: readonly BoundPod[], snapshot: NodeSnapshot | undefined): boolean {
    const isSame = bound === this.#bound && snapshot === this.#snapshot;
    return isSame && (this.#validUntilMs === Infinity || latestNowMs(this.#clock) <= this.#validUntilMs);
  }
}

/** `expected`: those that a summary must list. */
function nodeCoverage(
  bound: readonly BoundPod[],
  expected: readonly Pod[],
  snapshot: NodeSnapshot | undefined,
): NodeCoverage {
  const mustBeListed = new Set(expected);
  const measured = snapshot?.measuredPodUids ?? new Set();
  const others = bound.filter(({ pod }) => !measured.has(pod.uid));
  const unmeasured = others.filter(({ pod }) => mustBeListed.has(pod));
  const uncounted = others.filter(({ pod }) => !mustBeListed.has(pod));
  return {
    // Pods without detail series belong to no workload.
    workloads: sumPods(snapshot?.pods ?? [], unmeasured, snapshot?.frozen.pods),
    expectedPods: measured.size + unmeasured.length,
    measuredPods: measured.size,
    unmeasured,
    missingPods: unmeasured.filter(({ pod }) => snapshot?.listedPodUids.has(pod.uid) !== true).length,
    young: uncounted.filter(({ pod }) => isActive(pod)),
    endedWorkloads: uncounted.filter(({ pod }) => !isActive(pod)).flatMap(({ workloads }) => workloads),
  };
}

/**
 * The sums over pods with a total and pods that should have one, by workload. Each pod counts as expected: a measured pod
 * is an expected one, however young. `frozen`: see `FrozenStatistics.pods`.
 */
export function sumPods(
  measured: Iterable<PodRecord>,
  unmeasured: Iterable<BoundPod>,
  frozen?: FrozenStatistics['pods'],
): WorkloadPartials {
  const sums = new Accumulator();
  for (const { summary, bound, workloads, containers, isPending } of measured) {
    const { usedBytes = 0 } = summary;
    const usage = { usedBytes, podMaxUsedBytes: usedBytes, containers };
    for (const workload of workloads) {
      sums.add({
        workload,
        usage,
        limitBytes: bound?.limitBytes,
        requestBytes: bound?.requestBytes,
        expectedPods: 1,
        measuredPods: 1,
        pendingPods: Number(isPending || ofSamePod(frozen, summary) !== undefined),
      });
    }
  }
  for (const { limitBytes, requestBytes, workloads } of unmeasured) {
    const counts = { expectedPods: 1, measuredPods: 0, pendingPods: 0 };
    for (const workload of workloads) sums.add({ workload, usage: noUsage, limitBytes, requestBytes, ...counts });
  }
  return sums.partials();
}

/**
 * Whether a summary must list the pod: a container of it, also an init container, has run on a node for longer than
 * {@link podGraceMs}. `nowMs`: since the Unix epoch; in a process that lives long, a time that does not jump.
 */
export function isExpected(pod: Pod, nowMs: number): boolean {
  return isRunning(pod) && nowMs > pod.runningSinceMs + podGraceMs;
}

/** `validUntilMs`: the last time at which the result is still the same; Infinity when time alone changes nothing. */
export function expectedPods(
  pods: readonly Pod[],
  nowMs: number,
): { readonly pods: readonly Pod[]; readonly validUntilMs: number } {
  const expected: Pod[] = [];
  let validUntilMs = Infinity;
  for (const pod of pods) {
    if (isExpected(pod, nowMs)) expected.push(pod);
    else if (isRunning(pod)) validUntilMs = Math.min(validUntilMs, pod.runningSinceMs + podGraceMs);
  }
  return { pods: expected, validUntilMs };
}

function isRunning(pod: Pod): pod is Pod & { readonly runningSinceMs: number } {
  const mayRun = pod.phase === 'Running' || pod.phase === 'Pending';
  return mayRun && pod.nodeName !== undefined && pod.runningSinceMs !== undefined;
}
