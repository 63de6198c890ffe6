import type { Pod } from '../../cluster/kube/objects.js';
import { identityOf, ofSamePod, type PodIdentity } from '../../cluster/kube/pod-identity.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { mostSpecific, sharedName, type Workload, workloadKey } from '../workload/workload.js';
import { type DiskGrowth, isMuchGrowth } from './disk-growth.js';
import type { NodeSnapshot } from './node-view.js';
import type { Victim } from './victims.js';

/** Of a workload's pods on the node, or of one pod without a workload. Owners of one pod each are one, see {@link sharedName}. */
export interface FirstWorkload {
  readonly workload: Workload | undefined;
  /** The largest of its pods, by which it is explained. */
  readonly pod: { readonly namespace: string; readonly name: string; readonly isExempt: boolean };
  /** What would be free without them. */
  readonly amount: number;
  /** Undefined where it does not grow much, or that is not known. */
  readonly growth: DiskGrowth | undefined;
}

interface WorkloadSum {
  readonly workload: Workload | undefined;
  largest: Victim;
  amount: number;
  grownBytes: number;
  durationMs: number;
}

/**
 * The one that grew most over the last summaries, where that fills 1 % of the disk in ten minutes or more; else the largest. Equals
 * by the names of their pods. One that is never evicted comes first only where it grows: no sum of what evictions free has it.
 */
export function firstWorkload(
  victims: readonly Victim[],
  { listedPods }: NodeSnapshot,
  {
    samplesOf,
    diskBytes,
  }: { readonly samplesOf: (pod: PodIdentity) => readonly UsageSample[]; readonly diskBytes: number | undefined },
): FirstWorkload | undefined {
  const records = new Map(listedPods.map((record) => [record.summary.uid, record]));
  const sums = new Map<string | Pod, WorkloadSum>();
  for (const victim of victims) {
    const identity = identityOf(victim.pod);
    const workload = mostSpecific(ofSamePod(records, identity)?.workloads ?? []);
    const newSum = (): WorkloadSum => ({ workload, largest: victim, amount: 0, grownBytes: 0, durationMs: 0 });
    const key = workload === undefined ? victim.pod : workloadKey({ ...workload, name: sharedName(workload) });
    addTo(getOrAdd(sums, key, newSum), victim, victim.usage === undefined ? [] : samplesOf(identity));
  }
  const growthOf = (sum: WorkloadSum): number => muchGrowth(sum, diskBytes);
  const [first] = [...sums.values()].sort(
    (a, b) =>
      growthOf(b) - growthOf(a) ||
      Number(isExempt(a)) - Number(isExempt(b)) ||
      b.amount - a.amount ||
      (nameOf(a) < nameOf(b) ? -1 : 1),
  );
  if (first === undefined || first.amount === 0) return undefined;
  const { workload, largest, amount, durationMs } = first;
  const { namespace, name } = largest.pod;
  const bytes = growthOf(first);
  const growth = bytes === 0 ? undefined : { bytes, durationMs };
  return { workload, pod: { namespace, name, isExempt: isExempt(first) }, amount, growth };
}

function addTo(sum: WorkloadSum, victim: Victim, samples: readonly UsageSample[]): void {
  const { freed = 0 } = victim;
  if (freed > (sum.largest.freed ?? 0)) sum.largest = victim;
  sum.amount += freed;
  const [oldest, newest] = [samples[0], samples.at(-1)];
  if (oldest === undefined || newest === undefined) return;
  sum.grownBytes += newest.usedBytes - oldest.usedBytes;
  sum.durationMs = Math.max(sum.durationMs, newest.atMs - oldest.atMs);
}

/** 0 for less than is much. */
function muchGrowth({ grownBytes: bytes, durationMs }: WorkloadSum, diskBytes = 0): number {
  return isMuchGrowth({ bytes, durationMs }, diskBytes) ? bytes : 0;
}

function isExempt({ largest }: WorkloadSum): boolean {
  return largest.exempt !== undefined;
}

function nameOf({ largest: { pod } }: WorkloadSum): string {
  return `${pod.namespace}/${pod.name}`;
}
