import type { MeasuredNodeView } from '../../facts/node/node-view.js';
import type { PodRecord } from '../../facts/node/pod-record.js';
import type { Workload } from '../../facts/workload/workload.js';
import {
  AffectedWorkloads,
  type AffectedWorkloadsReport,
  exampleCount,
  type IncompleteWorkloads,
} from './affected-workloads.js';
import type { PodPlace } from './pod-report.js';

/**
 * `missing`: the summary of the node lacks a pod that runs there. `no_total`: it lists a pod without its usage.
 * `volumes_pending`: the kubelet has not measured the volumes of a pod that is not new. `other`: incomplete workloads for
 * none of these causes, and not because of a node without data.
 */
const podGapKinds = ['missing', 'no_total', 'volumes_pending'] as const;
type PodGapKind = (typeof podGapKinds)[number];

/** What lacks values for one cause although its nodes have data. */
export interface GapReport extends AffectedWorkloadsReport {
  readonly kind: PodGapKind | 'other';
  /** 0 for `other`. */
  readonly podCount: number;
  /** The first of them by node. */
  readonly examplePods: readonly PodPlace[];
}

/** Kubelets measure volumes once a minute, up to two minutes apart. Those of a new pod are no gap until then. */
const volumesDueMs = 120_000;

interface Gap {
  podCount: number;
  readonly examplePods: PodPlace[];
  readonly workloads: AffectedWorkloads;
}

/** Gaps by their kind. Nodes with data are added one by one, in the order of their names. */
export class Gaps {
  readonly #incomplete: IncompleteWorkloads;
  readonly #nowMs: number;
  readonly #gaps: Readonly<Record<PodGapKind, Gap>>;
  /** Of new pods, whose volumes are no gap. */
  readonly #young: AffectedWorkloads;

  constructor({
    incomplete,
    nowMs,
  }: {
    readonly incomplete: IncompleteWorkloads;
    /** Time in milliseconds since the Unix epoch that never jumps. */
    readonly nowMs: number;
  }) {
    const gap = (): Gap => ({ podCount: 0, examplePods: [], workloads: new AffectedWorkloads(incomplete) });
    this.#incomplete = incomplete;
    this.#nowMs = nowMs;
    this.#gaps = { missing: gap(), no_total: gap(), volumes_pending: gap() };
    this.#young = new AffectedWorkloads(incomplete);
  }

  add({ nodeName, snapshot, unmeasured, ageMs }: MeasuredNodeView): void {
    for (const { pod, workloads } of unmeasured) {
      const kind = snapshot.listedPodUids.has(pod.uid) ? 'no_total' : 'missing';
      this.#add(kind, { namespace: pod.namespace, pod: pod.name, node: nodeName }, workloads);
    }
    for (const pod of snapshot.pods) {
      if (!pod.isPending) continue;
      const place = { namespace: pod.summary.namespace, pod: pod.summary.name, node: nodeName };
      if (isNew(pod, this.#nowMs - ageMs)) this.#young.add(pod.workloads);
      else this.#add('volumes_pending', place, pod.workloads);
    }
  }

  /** Those that there are. `explainedElsewhere`: the keys of workloads that are incomplete for other causes, which are known. */
  reports(...explainedElsewhere: readonly ReadonlySet<string>[]): readonly GapReport[] {
    const gaps = podGapKinds.map((kind) => ({ kind, ...this.#gaps[kind] }));
    const explained = [...explainedElsewhere, this.#young.keys, ...gaps.map(({ workloads }) => workloads.keys)];
    const others = new AffectedWorkloads(this.#incomplete);
    others.add(
      Array.from(this.#incomplete)
        .filter(([key]) => !explained.some((keys) => keys.has(key)))
        .map(([, workload]) => workload),
    );
    return [...gaps, { kind: 'other' as const, podCount: 0, examplePods: [], workloads: others }]
      .map(({ workloads, ...gap }) => ({ ...gap, ...workloads.report() }))
      .filter(({ podCount, incompleteWorkloadCount }) => podCount + incompleteWorkloadCount > 0);
  }

  #add(kind: PodGapKind, pod: PodPlace, workloads: readonly Workload[]): void {
    const gap = this.#gaps[kind];
    gap.podCount += 1;
    if (gap.examplePods.length < exampleCount) gap.examplePods.push(pod);
    gap.workloads.add(workloads);
  }
}

function isNew({ bound }: PodRecord, measuredAtMs: number): boolean {
  return measuredAtMs - (bound?.pod.runningSinceMs ?? measuredAtMs) < volumesDueMs;
}
