import type { Pod } from '../../cluster/kube/objects.js';
import { identityOf, isSamePod } from '../../cluster/kube/pod-identity.js';
import { isExpected } from '../../facts/node/node-coverage.js';
import type { AbsentNodeView, MeasuredNodeView, NodeView } from '../../facts/node/node-view.js';
import { deriveMeasured, derivePod } from '../../facts/node/pod-record.js';
import { podGraceMs } from '../../facts/node/young-pods.js';
import { formatAge } from '../../lib/base/units.js';
import { nodeHint } from '../report/absence-hints.js';
import {
  limitFacts,
  measuredPodReport,
  type PodReport,
  type UnmeasuredPodReport,
  unmeasuredPodReport,
} from '../report/pod-report.js';
import type { ClusterReading, KnownPod } from './cluster-reading.js';
import type { ListedPod } from './listed-pod.js';

type ReadState = Pick<ClusterReading, 'failures' | 'readAtMs'>;

/** What both servers know of a pod; `view`: undefined for one whose node is not in scope. */
export interface KnownOfPod extends Pick<ListedPod, 'record'>, Pick<ListedPod['of'], 'data'> {
  readonly bound: KnownPod | undefined;
  readonly view: NodeView | undefined;
}

export function podReport(of: KnownOfPod, reading: ReadState): PodReport {
  const { record, data } = of;
  return record?.summary.usedBytes === undefined || data === undefined
    ? reportWithoutTotal(of, reading)
    : measuredPodReport({ node: data.source, pod: deriveMeasured(record, data.snapshot.context) });
}

export function reportWithoutTotal({ record, bound, view, data }: KnownOfPod, reading: ReadState): UnmeasuredPodReport {
  if (bound === undefined) throw new Error('a pod is listed that neither server knows');
  const { pod, workloads } = bound;
  const report = unmeasuredPodReport({ pod, workloads, ...lackOf(pod, view, reading) });
  if (record === undefined || data === undefined) return report;
  return { ...report, ...limitFacts({ node: data.source, pod: derivePod(record, data.snapshot.context) }) };
}

type Lack = Pick<UnmeasuredPodReport, 'reason' | 'isExpected'>;

function lackOf(pod: Pod, node: NodeView | undefined, reading: ReadState): Lack {
  if (pod.nodeName === undefined) return unexpected('not scheduled to a node yet');
  if (node === undefined) return unexpected(`node ${pod.nodeName} is not in scope`);
  return node.state === 'absent' ? lackOnAbsentNode(pod, node, reading) : lackInSummary(pod, node, reading);
}

function lackOnAbsentNode(pod: Pod, { nodeName, reason }: AbsentNodeView, { failures, readAtMs }: ReadState): Lack {
  if (reason === 'skipped') return unexpected(`node ${nodeName} is skipped by cluster.skipNodes`);
  if (pod.runningSinceMs === undefined) return notRunning(pod);
  const detail = failures.get(nodeName)?.message ?? nodeHint(reason, undefined);
  return { reason: `no data from node ${nodeName} (${reason}): ${detail}`, isExpected: isExpected(pod, readAtMs) };
}

function lackInSummary(pod: Pod, { nodeName, snapshot }: MeasuredNodeView, { readAtMs }: ReadState): Lack {
  const isDue = isExpected(pod, readAtMs);
  const isListed = snapshot.summary.pods.some((entry) => isSamePod(entry, identityOf(pod)));
  if (isListed) return { reason: 'the kubelet reports no ephemeral storage for it', isExpected: isDue };
  if (pod.runningSinceMs === undefined) return notRunning(pod);
  if (isDue) return { reason: `missing in the summary of node ${nodeName}`, isExpected: true };
  const age = formatAge(readAtMs - pod.runningSinceMs);
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
