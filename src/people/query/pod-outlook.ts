import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { growthBytesPerSecond } from '../../facts/history/usage-growth.js';
import { type PodStanding, podStanding } from '../../facts/node/standing.js';
import type { AttributionMode } from '../../facts/node/usage.js';
import type { Lane } from '../../lib/base/lane.js';
import type { ShownEviction } from '../report/eviction-report.js';
import { limitReport } from '../report/limit-report.js';
import type { PodReport } from '../report/pod-report.js';
import { type NextLimitReport, podVerdict, type PodVerdictReport } from '../report/pod-verdict.js';
import { type NodePressureReport, pressedNode, pressureReport } from '../report/pressure-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { listPods } from './list-pods.js';
import { parseListQuery } from './list-query.js';
import type { NamespacedName } from './listed-pod.js';
import {
  type ExplainedPod,
  explainKnown,
  explainUnknown,
  type MeasuredPodExplanation,
  type PodExplanation,
} from './pod-explanation.js';

/** What adds up to a pod's usage, and what becomes of it. */
export type PodWithOutlook = PodExplanation & PodOutlook;
export type MeasuredPodWithOutlook = MeasuredPodExplanation & PodOutlook;

export interface PodObject {
  /** One, unless kubelets report others of the name that the API server does not know. */
  readonly pods: readonly PodWithOutlook[];
  /** Of pods of this name. */
  readonly evictions: readonly ShownEviction[];
}

interface PodOutlook {
  readonly verdict: PodVerdictReport;
  /** Absent while no growth is known, and of old data. */
  readonly next?: NextLimitReport | undefined;
  /** Of the first pods that a node evicts which is close to evicting pods, or does; absent of others, and of old data. */
  readonly nodePressure?: PodPressureReport | undefined;
  /** Totals of the last summaries, the oldest first. */
  readonly samples: readonly UsageSample[];
  /** Of the total, over the samples; below 0 when it shrank. */
  readonly growthBytesPerSecond?: number | undefined;
  /** The largest other pods of its node. */
  readonly neighbours: readonly PodReport[];
}

/** When a pod is evicted for its node's sake. */
interface PodPressureReport extends Pick<NodePressureReport, 'node' | 'signal' | 'timeToEvictionMs'> {
  /** Below 0 the kubelet evicts. */
  readonly headroom: number;
  /** From 1, the first; equals share a rank. */
  readonly rank: number;
}

export interface PodQuestion {
  readonly namespace: string;
  readonly name: string;
  readonly mode: AttributionMode;
}

const neighbourCount = 5;

/** Of every pod of the name: one, unless kubelets report others that the API server does not know. */
export async function podsWithOutlook(
  reading: ClusterReading,
  question: PodQuestion,
  lane: Lane,
): Promise<readonly PodWithOutlook[]> {
  const explained = await findPods(reading, question, lane);
  const all: PodWithOutlook[] = [];
  for (const each of explained) {
    const neighbours = await neighboursOf(each.explanation, reading, lane);
    all.push({ ...each.explanation, ...outlookOf(each, reading), neighbours });
  }
  return all;
}

/** One by one: a cluster may have a hundred thousand. */
async function findPods(
  reading: ClusterReading,
  { namespace, name, mode }: PodQuestion,
  lane: Lane,
): Promise<readonly ExplainedPod[]> {
  const found: ExplainedPod[] = [];
  const isMeant = (pod: NamespacedName): boolean => pod.name === name && pod.namespace === namespace;
  await lane.each(reading.knownPods, (known) => {
    if (isMeant(known.pod)) found.push(explainKnown(known, reading, mode));
  });
  await lane.each(reading.snapshot.nodes, (view) => {
    found.push(...explainUnknown(view, reading, { mode, isMeant: ({ summary }) => isMeant(summary) }));
  });
  return found;
}

function outlookOf(explained: ExplainedPod, reading: ClusterReading): Omit<PodOutlook, 'neighbours'> {
  const { explanation, found, pod } = explained;
  const samples = found === undefined ? [] : reading.samplesOf(found.node.nodeName, found.pod.summary);
  const growth = growthBytesPerSecond(samples);
  const standing = found && podStanding(found.node, found.pod, found.pod.ratios);
  const eviction = reading.evictions.find(({ uid }) => uid === pod?.uid);
  return {
    verdict: podVerdict({ report: explanation, limits: explanation.limits, standing, samples, pod, eviction }),
    next: nextLimit(standing),
    nodePressure: nodePressure(explanation, reading),
    samples,
    growthBytesPerSecond: growth && Math.round(growth),
  };
}

function nodePressure(
  { namespace, pod, node }: PodExplanation,
  { snapshot }: ClusterReading,
): PodPressureReport | undefined {
  const view = snapshot.nodes.find(({ nodeName }) => nodeName === node);
  const pressed = view === undefined || view.state === 'absent' ? undefined : pressedNode(view, view.snapshot);
  if (pressed === undefined) return undefined;
  const { signal, headroom = 0, timeToEvictionMs, victims = [], node: name } = pressureReport(pressed, () => undefined);
  const found = victims.find((victim) => victim.namespace === namespace && victim.pod === pod);
  return found && { node: name, signal, headroom, timeToEvictionMs, rank: found.rank };
}

function nextLimit({ limit, timeMs }: Partial<PodStanding> = {}): NextLimitReport | undefined {
  if (limit === undefined || timeMs === undefined) return undefined;
  const { rule, container, volume } = limitReport(limit);
  return { rule, container, volume, timeToLimitMs: timeMs };
}

async function neighboursOf(
  { namespace, pod, node }: PodExplanation,
  reading: ClusterReading,
  lane: Lane,
): Promise<readonly PodReport[]> {
  if (node === undefined) return [];
  const query = parseListQuery('pods', { order: 'used', limit: String(neighbourCount + 1) });
  const { items } = await listPods(reading, { ...query, node }, lane);
  return items.filter((other) => other.pod !== pod || other.namespace !== namespace).slice(0, neighbourCount);
}
