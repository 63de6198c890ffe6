import type { Pod } from '../../cluster/kube/objects.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { isActive } from '../../facts/node/limits.js';
import type { PodStanding } from '../../facts/node/standing.js';
import { shellWord } from '../../lib/base/text.js';
import { formatAge, formatBytes, formatForecast } from '../../lib/base/units.js';
import { eventText } from './eviction-cause-text.js';
import type { EvictionReport } from './eviction-report.js';
import { type LimitReport, limitReport, limitSubject, limitText, unenforcedNames, usedText } from './limit-report.js';
import { growthText, growthWithoutForecast } from './pod-growth.js';
import { isLastKnown, type MeasuredPodReport, type PodReport } from './pod-report.js';
import { explainNode, explainPod, ownerCommand } from './verdict-commands.js';
import type { VerdictWords } from './verdict-text.js';

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
export function limitUse(limit: LimitReport): string {
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
