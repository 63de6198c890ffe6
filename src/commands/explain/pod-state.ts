import { podGraceMs } from '../../app/collection.js';
import { formatAge } from '../../base/units.js';
import type { Pod } from '../../kube/objects.js';
import type { AbsentNodeState, MeasuredNodeState } from '../../node/node-state.js';
import { hintFor } from '../../report/absence-hints.js';
import {
  type FoundPod,
  type MeasuredPodReport,
  measuredPodReport,
  type UnmeasuredPodReport,
  unmeasuredPodReport,
} from '../../report/pod-report.js';
import { isExpected } from '../../workload/coverage.js';
import type { ClusterReading, KnownPod } from '../cluster-reader.js';

/** A pod that the API server knows, with data or with the reason why it has none. */
export type KnownPodState =
  | { readonly found: FoundPod; readonly report: MeasuredPodReport }
  | { readonly found?: undefined; readonly report: UnmeasuredPodReport };

interface Lack {
  readonly reason: string;
  /** The summary of its node should have it: its workloads are incomplete without it. */
  readonly isExpected: boolean;
}

export function knownPodState({ pod, workloads }: KnownPod, reading: ClusterReading): KnownPodState {
  const node = reading.snapshot.nodes.find(({ nodeName }) => nodeName === pod.nodeName);
  if (pod.nodeName === undefined || node === undefined) {
    const reason = pod.nodeName === undefined ? 'not scheduled to a node yet' : `node ${pod.nodeName} is not in scope`;
    return { report: unmeasuredPodReport({ pod, workloads, reason, isExpected: false }) };
  }
  if (node.state === 'absent') {
    return { report: unmeasuredPodReport({ pod, workloads, ...lackOnAbsentNode(pod, node, reading) }) };
  }
  const snapshot = node.snapshot.pods.find((candidate) => candidate.pod?.uid === pod.uid);
  if (snapshot === undefined) {
    return { report: unmeasuredPodReport({ pod, workloads, ...lackInSummary(pod, node, reading) }) };
  }
  const found = { node, pod: snapshot };
  return { found, report: measuredPodReport(found) };
}

function isDue(pod: Pod, { readAtMs }: ClusterReading): boolean {
  return isExpected({ pod, nowMs: readAtMs, graceMs: podGraceMs });
}

function lackOnAbsentNode(pod: Pod, { nodeName, reason }: AbsentNodeState, reading: ClusterReading): Lack {
  if (reason === 'skipped') return unexpected(`node ${nodeName} is skipped by cluster.skipNodes`);
  if (pod.runningSinceMs === undefined) return notRunning(pod);
  const detail = reading.failures.get(nodeName)?.message ?? hintFor(reason);
  return { reason: `no data from node ${nodeName} (${reason}): ${detail}`, isExpected: isDue(pod, reading) };
}

function lackInSummary(pod: Pod, { nodeName, snapshot }: MeasuredNodeState, reading: ClusterReading): Lack {
  const isListed = snapshot.summary.pods.some(
    ({ uid, namespace, name }) => uid === pod.kubeletUid && namespace === pod.namespace && name === pod.name,
  );
  if (isListed) {
    return { reason: 'the kubelet reports no ephemeral storage for it', isExpected: isDue(pod, reading) };
  }
  if (pod.runningSinceMs === undefined) return notRunning(pod);
  if (isDue(pod, reading)) return { reason: `missing in the summary of node ${nodeName}`, isExpected: true };
  const age = formatAge(reading.readAtMs - pod.runningSinceMs);
  return unexpected(
    `not in the summary of node ${nodeName} yet: it has been running for ${age}, and is expected after ${formatAge(podGraceMs)}`,
  );
}

function notRunning({ phase, eviction, namespace, name }: Pod): Lack {
  if (eviction === undefined) return unexpected(`no container is running (phase ${phase})`);
  const cause = eviction.message.trim().replace(/\.$/, '');
  return unexpected(`evicted: ${cause} (explain eviction ${namespace}/${name} shows what it used)`);
}

function unexpected(reason: string): Lack {
  return { reason, isExpected: false };
}
