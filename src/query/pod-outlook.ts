import { UserError } from '../base/errors.js';
import type { Lane } from '../base/scheduler.js';
import { truncate } from '../base/text.js';
import { growthBytesPerSecond } from '../history/usage-growth.js';
import { type Amount, compareAmounts, parseAmount, roundUp } from '../kube/quantity.js';
import type { UsageSample } from '../kubelet/lookup.js';
import { unenforcedOn } from '../node/node-view.js';
import type { PodRecord } from '../node/pod-record.js';
import type { UnenforcedReason } from '../node/unenforced-limits.js';
import type { AttributionMode } from '../node/usage.js';
import { podForecast, type PodReport } from '../report/pod-report.js';
import { type NextLimitReport, podVerdict, type PodVerdictReport } from '../report/pod-verdict.js';
import { type NodePressureReport, pressedNode, pressureReport } from '../report/pressure-report.js';
import { whatIf, type WhatIfReport } from '../report/what-if.js';
import type { ClusterReading, KnownPod } from './cluster-reading.js';
import { listPods } from './list-pods.js';
import { maxPodLimitLength } from './list-query.js';
import { parseListQuery } from './list-query.js';
import {
  type ExplainedPod,
  type ExplainedSource,
  explainKnown,
  explainUnknown,
  lastKnownPods,
  type MeasuredPodExplanation,
  type PodExplanation,
  unknownPods,
} from './pod-explanation.js';

/** What adds up to a pod's usage, and what becomes of it. */
export type PodWithOutlook = PodExplanation & PodOutlook;
export type MeasuredPodWithOutlook = MeasuredPodExplanation & PodOutlook;

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
  /** Absent without a value of the pod's usage, and where no other limit is given. */
  readonly whatIf?: WhatIfReport | undefined;
}

/** When a pod is evicted for its node's sake. */
interface PodPressureReport extends Pick<NodePressureReport, 'node' | 'signal' | 'headroom' | 'timeToEvictionMs'> {
  /** From 1, the first; equals share a rank. */
  readonly rank: number;
}

export interface PodQuestion {
  readonly namespace: string;
  readonly name: string;
  readonly mode: AttributionMode;
  /** Another limit of the pod. */
  readonly podLimit: Amount | undefined;
}

const neighbourCount = 5;

/** Throws UserError for a parameter that there is not, or a text that is no limit. Undefined: none is asked for. */
export function parsePodLimit({ podLimit: value, ...others }: Readonly<Record<string, unknown>>): Amount | undefined {
  const [other] = Object.keys(others);
  if (other !== undefined) throw new UserError(`parameter "${truncate(other, 60)}" of a pod: allowed: podLimit`);
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new UserError('parameter podLimit is given more than once');
  const limit = value.length > maxPodLimitLength ? undefined : parseAmount(value);
  if (limit !== undefined && compareAmounts(limit, 0) >= 0 && roundUp(limit) < maxPodLimitBytes) return limit;
  throw new UserError(
    `parameter podLimit: found "${truncate(value, 60)}", allowed: a quantity of bytes such as 2Gi or 500Mi, from 0 to below 8Pi`,
  );
}

/** Larger amounts are cut off there. */
const maxPodLimitBytes = 2 ** 53;

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
    all.push({ ...each.explanation, ...outlookOf(each, reading, question), neighbours });
  }
  return all;
}

/** One by one: a cluster may have a hundred thousand. */
async function findPods(
  reading: ClusterReading,
  { namespace, name, mode }: Omit<PodQuestion, 'podLimit'>,
  lane: Lane,
): Promise<readonly ExplainedPod[]> {
  const known: KnownPod[] = [];
  await lane.each(reading.knownPods, (each) => {
    if (each.pod.name === name && each.pod.namespace === namespace) known.push(each);
  });
  const unknown: ExplainedSource[] = [];
  await lane.each(reading.snapshot.nodes, (view) => {
    const isMeant = ({ summary, bound }: PodRecord): boolean =>
      bound === undefined && summary.name === name && summary.namespace === namespace;
    unknown.push(...(view.state === 'absent' ? lastKnownPods(view, reading, isMeant) : unknownPods([view], isMeant)));
  });
  return [
    ...known.map((each) => explainKnown(each, reading, mode)),
    ...unknown.map((each) => explainUnknown(each, reading, mode)),
  ];
}

function outlookOf(
  explained: ExplainedPod,
  reading: ClusterReading,
  { podLimit }: PodQuestion,
): Omit<PodOutlook, 'neighbours'> {
  const { explanation, found, pod } = explained;
  const samples = found === undefined ? [] : reading.samplesOf(found.node.nodeName, found.pod.summary.uid);
  const growth = growthBytesPerSecond(samples);
  const next = nextLimit(found);
  const eviction = reading.evictions.find(({ uid }) => uid === pod?.uid);
  return {
    verdict: podVerdict({ report: explanation, limits: explanation.limits, next, samples, pod, eviction }),
    next,
    nodePressure: nodePressure(explanation, reading),
    samples,
    growthBytesPerSecond: growth && Math.round(growth),
    whatIf:
      podLimit === undefined || explanation.state === 'unmeasured'
        ? undefined
        : whatIf(explanation, {
            limit: podLimit,
            samples,
            unenforced: unenforcedOf(explanation, reading),
            others: { limits: explanation.limits, next },
          }),
  };
}

function nodePressure(
  { namespace, pod, node }: PodExplanation,
  { snapshot }: ClusterReading,
): PodPressureReport | undefined {
  const view = snapshot.nodes.find(({ nodeName }) => nodeName === node);
  const pressed = view === undefined || view.state === 'absent' ? undefined : pressedNode(view, view.snapshot);
  if (pressed === undefined) return undefined;
  const { signal, headroom, timeToEvictionMs, victims = [], node: name } = pressureReport(pressed, () => undefined);
  const found = victims.find((victim) => victim.namespace === namespace && victim.pod === pod);
  return found && { node: name, signal, headroom, timeToEvictionMs, rank: found.rank };
}

/** While its volumes are not measured, its growth is not known. */
function nextLimit(found: ExplainedSource | undefined): NextLimitReport | undefined {
  const forecast = found === undefined || found.pod.isPending ? undefined : podForecast(found);
  if (forecast === undefined) return undefined;
  const { rule, container, volume, timeToLimitMs } = forecast;
  return { rule, container: container || undefined, volume: volume || undefined, timeToLimitMs };
}

/** Why a limit of the pod does not do what it seems to do. */
function unenforcedOf(
  { isExempt, node, limits }: PodExplanation,
  { snapshot }: ClusterReading,
): UnenforcedReason | undefined {
  const view = snapshot.nodes.find(({ nodeName }) => nodeName === node);
  const ofNode = view && unenforcedOn(view);
  if (ofNode === 'isolation_disabled') return ofNode;
  if (isExempt) return 'exempt';
  return (
    limits.find(({ rule }) => rule === 'pod')?.unenforced ?? (ofNode === 'rootfs_not_measured' ? ofNode : undefined)
  );
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
