import { formatAge } from '../../base/units.js';
import { podGraceMs } from '../../collection.js';
import type { Pod } from '../../kube/objects.js';
import type { MeasuredNodeState, PodSnapshot } from '../../scrape/snapshot.js';
import { isExpected } from '../../workload/coverage.js';
import type { ClusterReading } from '../cluster-reader.js';

/** What became of a pod that the API server knows. */
export type PodState =
  | { readonly state: 'measured'; readonly node: MeasuredNodeState; readonly pod: PodSnapshot }
  | {
      readonly state: 'unmeasured';
      readonly reason: string;
      /** Its node's summary must have it: the workloads that it belongs to are incomplete. */
      readonly isExpected: boolean;
    };

export function podState(pod: Pod, reading: ClusterReading): PodState {
  const node = reading.snapshot.nodes.find(({ nodeName }) => nodeName === pod.nodeName);
  const isDue = isExpected({ pod, nowMs: reading.readAtMs, graceMs: podGraceMs });
  if (pod.nodeName === undefined) return unmeasured('not scheduled to a node yet', false);
  if (node === undefined) return unmeasured(`node ${pod.nodeName} is not in scope`, false);
  if (node.state !== 'absent') return onNode(pod, node, { reading, isDue });
  if (node.reason === 'skipped') return unmeasured(`node ${pod.nodeName} serves no summaries and is skipped`, false);
  if (pod.runningSinceMs === undefined) return notRunning(pod);
  const error = reading.nodeErrors.get(pod.nodeName);
  const detail = error === undefined ? '' : `: ${error}`;
  return unmeasured(`no data of node ${pod.nodeName} (${node.reason})${detail}`, isDue);
}

function onNode(
  pod: Pod,
  node: MeasuredNodeState,
  { reading, isDue }: { readonly reading: ClusterReading; readonly isDue: boolean },
): PodState {
  const { pods, summary } = node.snapshot;
  const snapshot = pods.find((candidate) => candidate.pod?.uid === pod.uid);
  if (snapshot !== undefined) return { state: 'measured', node, pod: snapshot };
  if (
    summary.pods.some(
      ({ uid, namespace, name }) => uid === pod.kubeletUid && namespace === pod.namespace && name === pod.name,
    )
  ) {
    return unmeasured('the kubelet lists it without a figure of its ephemeral storage', isDue);
  }
  if (pod.runningSinceMs === undefined) return notRunning(pod);
  if (isDue) return unmeasured(`the summary of node ${node.nodeName} lacks it`, true);
  const runningMs = reading.readAtMs - pod.runningSinceMs;
  const grace = `runs for ${formatAge(runningMs)} only; the summary must have it after ${formatAge(podGraceMs)}`;
  return unmeasured(`not in the summary of node ${node.nodeName} yet: ${grace}`, false);
}

function notRunning({ phase }: Pod): PodState {
  return unmeasured(`none of its containers runs (phase ${phase})`, false);
}

function unmeasured(reason: string, isExpectedPod: boolean): PodState {
  return { state: 'unmeasured', reason, isExpected: isExpectedPod };
}
