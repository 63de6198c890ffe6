import type { Pod } from '../../cluster/kube/objects.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { isFor } from '../../facts/history/eviction-record.js';
import { isActive } from '../../facts/node/limits.js';
import type { PodStanding } from '../../facts/node/standing.js';
import { canBind } from '../../facts/node/unenforced-limits.js';
import type { Ranked } from '../../lib/base/ranking.js';
import { formatCount, numberText, shellWord } from '../../lib/base/text.js';
import { formatAge, formatBytes, formatForecast } from '../../lib/base/units.js';
import { causeText, eventText } from './eviction-cause-text.js';
import { evictionHint, type EvictionReport, type ShownEviction } from './eviction-report.js';
import { type LimitReport, limitReport, limitSubject, limitText, unenforcedNames, usedText } from './limit-report.js';
import { growthText, growthWithoutForecast } from './pod-growth.js';
import { isLastKnown, type MeasuredPodReport, type PodReport } from './pod-report.js';
import { explainEviction, explainNode, explainPod, explainWorkload, ownerCommand } from './verdict-commands.js';
import type { VerdictWords } from './verdict-text.js';
import { shownName, type WorkloadReport } from './workload-report.js';

/**
 * How a pod stands to its limits. `near`: at 80 % of one, or it reaches one if it goes on to grow. `unenforced`: it has limits, and
 * none evicts it. `unbounded`: it has none. `unknown`: it is not measured, or not all of it.
 */
type PodVerdictKind = 'evicted' | 'above' | 'near' | 'within' | 'unenforced' | 'unbounded' | 'ended' | 'unknown';

/** Whether a pod is about to be evicted for its limits, and why. */
export type PodVerdictReport = VerdictWords<PodVerdictKind>;

/** The limit that a pod exceeds first if it goes on to grow as measured. */
export interface NextLimitReport extends Pick<LimitReport, 'rule' | 'container' | 'volume'> {
  /** 0 above it. */
  readonly timeToLimitMs: number;
}

interface Judged {
  readonly report: PodReport;
  /** In the order in which the kubelet checks. */
  readonly limits: readonly LimitReport[];
  /** Undefined of a pod without figures. */
  readonly standing: PodStanding | undefined;
  /** Totals of the last summaries, the oldest first. */
  readonly samples: readonly UsageSample[];
  /** Undefined for one that the API server does not know. */
  readonly pod: Pod | undefined;
  /** Of this pod, by its UID. */
  readonly eviction: EvictionReport | undefined;
}

export function podVerdict(judged: Judged): PodVerdictReport {
  const { eviction, pod } = judged;
  if (eviction !== undefined && (pod === undefined || !isActive(pod))) return evictedVerdict(eviction);
  const { kind, text, limit } = agedJudgement(judged);
  return { kind, text, commands: commandsOf(judged, kind, limit) };
}

/** Of a pod that is known by its eviction alone too. */
export function evictedVerdict(eviction: EvictionReport): PodVerdictReport {
  const { verdict, message } = eviction;
  const what = eventText(eviction) === 'refused' ? 'Refused' : 'Evicted';
  return { kind: 'evicted', text: `${what}. ${verdict?.text ?? message.trim()}`, commands: verdict?.commands ?? [] };
}

type Judgement = Pick<PodVerdictReport, 'kind' | 'text'> & {
  /** The one that it is about. */
  readonly limit?: LimitReport | undefined;
};

function agedJudgement(judged: Judged): Judgement {
  const { report } = judged;
  const found = judgement(judged);
  const { dataState, dataAgeMs, absenceReason = 'never', node } = report;
  if (report.state === 'unmeasured' && found.kind === 'unknown') return found;
  if (dataState === 'absent') {
    const known = found.text.replace(/^./, (letter) => letter.toLowerCase());
    const text = `No data from node ${node} (${absenceReason}). As last known ${formatAge(dataAgeMs)} ago: ${known}`;
    return { ...found, text };
  }
  return dataState === 'stale' ? { ...found, text: `${found.text} The data is ${formatAge(dataAgeMs)} old.` } : found;
}

function judgement(judged: Judged): Judgement {
  const { pod, report } = judged;
  if (report.state !== 'unmeasured' && pod !== undefined && !isActive(pod)) {
    const held = formatBytes(report.usedBytes);
    return { kind: 'ended', text: `The pod has ended (phase ${pod.phase}), and its node still holds ${held} of it.` };
  }
  const urgent = urgentText(judged);
  if (urgent !== undefined) return urgent;
  if (report.state === 'unmeasured')
    return { kind: 'unknown', text: `Not measured: ${report.reason.replace(/\.$/, '')}.` };
  const used = formatBytes(report.usedBytes);
  if (report.state !== 'pending') return farText(report, judged, `It uses ${used}.`);
  const text = `Not known whether a limit is near: its volumes are not measured yet. It uses at least ${used}.`;
  return { kind: 'unknown', text };
}

function urgentText({ report, standing, limits, samples }: Judged): Judgement | undefined {
  const limit = standing?.limit && limitReport(standing.limit);
  if (standing === undefined || limit === undefined) return undefined;
  const { kind, timeMs } = standing;
  if (kind === 'above') return { kind, text: `Above a limit: ${limitUse(limit)}. The kubelet evicts the pod.`, limit };
  if (timeMs !== undefined) return forecastText(kind, timeMs, limit);
  if (kind !== 'near') return undefined;
  const growth = isLastKnown(report) ? growthText(samples) : growthWithoutForecast(limits, samples);
  return { kind, text: `Near a limit: ${limitUse(limit)}. ${growth}`, limit };
}

function forecastText(kind: PodStanding['kind'], timeMs: number, limit: LimitReport): Judgement {
  const time = timeMs === 0 ? 'at any moment' : `in ${formatForecast(timeMs)}`;
  const text = `Evicted ${time} if it goes on to grow: ${limitUse(limit)}.`;
  return { kind: kind === 'near' ? kind : limit.unenforced === undefined ? 'within' : 'unknown', text, limit };
}

function farText(
  { hasLimits, isKnown, hasUnknownUsage }: MeasuredPodReport,
  { limits, standing }: Judged,
  uses: string,
): Judgement {
  if (!isKnown)
    return { kind: 'unknown', text: `The API server does not know this pod, so its limits are unknown. ${uses}` };
  if (hasLimits !== true)
    return { kind: 'unbounded', text: `No limit bounds it: it may fill the disk of its node. ${uses}` };
  if (hasUnknownUsage === true) {
    const text = `Not known whether a limit is near: the kubelet reports an impossible size of what a limit counts. ${uses}`;
    return { kind: 'unknown', text };
  }
  const nearest = standing?.limit && limitReport(standing.limit);
  if (nearest === undefined)
    return { kind: 'unenforced', text: `None of its limits evicts it${reasonsText(limits)}. ${uses}` };
  if (nearest.unenforced === undefined)
    return { kind: 'within', text: `Within its limits: ${limitUse(nearest)}.`, limit: nearest };
  const text = `Not known whether a limit is near: only a part of what it writes is compared (${unenforcedNames[nearest.unenforced]}). Of that, ${limitUse(nearest)}.`;
  return { kind: 'unknown', text, limit: nearest };
}

function reasonsText(limits: readonly LimitReport[]): string {
  const reasons = new Set(
    limits.flatMap(({ unenforced }) => unenforced ?? []).map((reason) => unenforcedNames[reason]),
  );
  return reasons.size === 0 ? ': its kubelet enforces none' : `: ${[...reasons].join(', ')}`;
}

export function isSameLimit(
  a: Pick<LimitReport, 'rule' | 'container' | 'volume'>,
  b: Pick<LimitReport, 'rule' | 'container' | 'volume'>,
): boolean {
  return a.rule === b.rule && a.container === b.container && a.volume === b.volume;
}

/** `container app uses 90Mi of its limit of 100Mi` */
function limitUse(limit: LimitReport): string {
  const { rule, usedBytes, limitBytes } = limit;
  return `${limitSubject(limit)} uses ${usedText(usedBytes, limitBytes)} of its ${rule === 'emptydir' ? 'size limit' : 'limit'} of ${limitText(limit)}`;
}

function commandsOf({ report, pod }: Judged, kind: PodVerdictKind, limit: LimitReport | undefined): readonly string[] {
  const { namespace, pod: name, node, workloads } = report;
  const explain = explainPod(namespace, name);
  if (report.state === 'unmeasured' && kind === 'unknown') {
    const describe = `kubectl describe pod -n ${shellWord(namespace)} ${shellWord(name)}`;
    return node === undefined ? [describe] : [explainNode(node), describe];
  }
  if (report.state !== 'unmeasured' && report.dataState === 'absent') return [explainNode(report.node)];
  if (kind !== 'above' && kind !== 'near') return [explain];
  return [explain, ...(pod === undefined ? [] : [lookInside(explain, limit)]), ...ownerCommand('edit', workloads)];
}

/** Lists the largest files where the limit counts them: in its container, or in all of the pod. */
function lookInside(explain: string, { container }: Partial<LimitReport> = {}): string {
  return `${explain} --directories${container === undefined ? '' : ` -c ${shellWord(container)}`}`;
}

/** What is to be known of a workload first. `near`: pods of it are near a limit. `incomplete`: its sums lack pods or volumes. */
export type WorkloadVerdictReport = VerdictWords<'near' | 'incomplete' | 'complete' | 'empty'>;

/**
 * `near`: pods that are near a limit, or above it, the one that is evicted first before the others. `eviction`: the last one of its pods;
 * undefined where none is remembered.
 */
export function workloadVerdict(
  workload: WorkloadReport,
  near: Ranked<PodReport>,
  eviction: ShownEviction | undefined,
): WorkloadVerdictReport {
  const { isComplete, expectedPodCount, measuredPodCount } = workload;
  const explain = explainWorkload(shownName(workload));
  if (expectedPodCount + measuredPodCount + near.totalCount === 0) return emptyVerdict(workload, explain, eviction);
  const advice = near.totalCount > 0 ? nearAdvice(workload, limitOf(near.items[0]), eviction) : undefined;
  return {
    kind: near.totalCount > 0 ? 'near' : isComplete ? 'complete' : 'incomplete',
    text: `${sumText(workload)}${nearText(near)}${advice?.text ?? ''}`,
    commands: [...new Set([explain, ...(advice?.commands ?? [])])],
  };
}

/** Where a pod was evicted for the same limit, what would have prevented that; else all that can be said. */
function nearAdvice(
  workload: WorkloadReport,
  limit: LimitReport | undefined,
  eviction: ShownEviction | undefined,
): Pick<WorkloadVerdictReport, 'text' | 'commands'> {
  if (limit === undefined || eviction?.verdict === undefined || !isFor(eviction, limit))
    return { text: '', commands: ownerCommand('edit', [workload]) };
  return { text: `${evictionText(eviction)} ${evictionHint(eviction) ?? ''}`, commands: eviction.verdict.commands };
}

function nearText({ totalCount, items: [first] }: Ranked<PodReport>): string {
  if (totalCount === 0) return '';
  const pods = `${formatCount(totalCount)} of them ${totalCount === 1 ? 'is' : 'are'}`;
  const limit = limitOf(first);
  if (first === undefined || limit === undefined) return ` ${pods} near a limit.`;
  const where = first.standing === 'above' ? 'above a limit' : 'near a limit';
  const all = totalCount === 1 ? where : `near a limit or above it; ${where}`;
  return ` ${pods} ${all}: ${first.namespace}/${first.pod}, ${limitUse(limit)}.`;
}

/** Undefined where it does not evict. */
function limitOf(pod: PodReport | undefined): LimitReport | undefined {
  const limit = pod?.nearestLimit;
  return limit !== undefined && canBind(limit) ? limit : undefined;
}

/** Why it has no pods, the API server knows: a cron job is not due, a quota is used up. */
function emptyVerdict(
  workload: WorkloadReport,
  explain: string,
  eviction: ShownEviction | undefined,
): WorkloadVerdictReport {
  const last = eviction === undefined ? '' : evictionText(eviction);
  return {
    kind: workload.isComplete ? 'complete' : 'empty',
    text: `No pods are expected or measured.${last}`,
    commands: [
      explain,
      ...ownerCommand('describe', [workload]),
      ...(eviction === undefined ? [] : [explainEviction(eviction)]),
    ],
  };
}

function evictionText(eviction: ShownEviction): string {
  const { namespace, pod, ageMs } = eviction;
  return ` Pod ${namespace}/${pod} was ${eventText(eviction)} ${formatAge(ageMs)} ago: ${causeText(eviction)}.`;
}

function sumText(workload: WorkloadReport): string {
  const { usedBytes, podMaxUsedBytes, isComplete, expectedPodCount, measuredPodCount, backoffMs } = workload;
  if (usedBytes === undefined) {
    const retry = backoffMs > 0 ? ` It is collected again in ${formatAge(Math.max(1_000, backoffMs))}.` : '';
    return `No sum: ${formatCount(measuredPodCount)} of ${numberText(expectedPodCount, ['pod', 'pods'])} measured.${retry}`;
  }
  const largest = `the largest uses ${formatBytes(podMaxUsedBytes)}`;
  if (isComplete) return `${formatBytes(usedBytes)} in ${numberText(measuredPodCount, ['pod', 'pods'])}; ${largest}.`;
  const lack =
    measuredPodCount < expectedPodCount
      ? `${formatCount(measuredPodCount)} of ${numberText(expectedPodCount, ['pod', 'pods'])} measured`
      : 'pods or volumes are not measured';
  return `Incomplete, at least ${formatBytes(usedBytes)}: ${lack}; of those, ${largest}.`;
}
