import type { PodIdentity } from '../../cluster/kube/pod-identity.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { type EvictionRecord, isOutdated } from '../../facts/history/eviction-record.js';
import { type DiskVerdict, nodeVerdict, type Shortage, type VerdictKind } from '../../facts/node/disk-verdict.js';
import { nodeStanding } from '../../facts/node/node-standing.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { shellWord } from '../../lib/base/text.js';
import { formatAge, formatBytes } from '../../lib/base/units.js';
import type { ApiServerState } from './absence-hints.js';
import { causeText, isRefusal, mainPartText, rulesOf } from './eviction-cause-text.js';
import { usedText } from './limit-report.js';
import { type PastShortage, pastShortage, type RememberedEvictions, unfreedEviction } from './past-shortage.js';
import { momentText, type PodSource } from './pod-report.js';
import { raisedRequest } from './request-command.js';
import {
  absenceCommands,
  exceededBytes,
  explainEviction,
  explainNode,
  lastMeasured,
  limitCommands,
  raisedLimitText,
  recordedMainPart,
  verdictCommands,
} from './verdict-commands.js';
import { type VerdictContext, verdictText, type VerdictWords } from './verdict-text.js';

/** What fills the disk of a node, or filled it before an eviction. */
export type VerdictReport = VerdictWords<VerdictKind>;

type VerdictSource = Pick<PodSource, 'nodeName' | 'node' | 'state' | 'reason'> & {
  readonly ageMs?: number | undefined;
};

/** What verdicts are made of besides the nodes. */
export interface VerdictInputs extends RememberedEvictions {
  /** Returns the totals of a pod in the last summaries of its node, the oldest first. */
  readonly samplesOf: (nodeName: string, pod: PodIdentity) => readonly UsageSample[];
  readonly apiServer: Pick<ApiServerState, 'isAway'>;
}

/** Of a node with data or, in `snapshot`, what was last known of it; undefined where there is nothing to say. */
export function nodeVerdictReport(
  source: VerdictSource,
  snapshot: NodeSnapshot | undefined,
  inputs: VerdictInputs,
): VerdictReport | undefined {
  const { nodeName, node } = source;
  if (snapshot === undefined) return silentVerdict(source);
  const { isAway } = inputs.apiServer;
  const verdict = nodeVerdict(node === undefined ? snapshot : { ...snapshot, node }, {
    soon: nodeStanding(source, snapshot).soon,
    samplesOf: (pod) => inputs.samplesOf(nodeName, pod),
  });
  if (verdict === undefined) return undefined;
  const past = pastOf(verdict, source, inputs);
  // Who grows may have been evicted since.
  const named = isAway ? { ...verdict, first: undefined } : verdict;
  const report = verdictReport(named, nodeName, {
    notes: ageNotes(source, isAway),
    past,
    moment: momentText({ dataState: source.state, dataAgeMs: source.ageMs }),
  });
  return past === undefined ? { ...report, commands: safeCommands(report.commands, source, isAway) } : report;
}

/** Nothing is to be deleted by values of a kubelet that has been silent for so long, nor while pods that are listed may be gone. */
function safeCommands(
  commands: readonly string[],
  { nodeName, state, ageMs = 0, reason = 'timeout' }: VerdictSource,
  isApiServerAway: boolean,
): readonly string[] {
  if (isApiServerAway) return [explainNode(nodeName)];
  return state === 'absent' || isOutdated(ageMs) ? absenceCommands(reason, nodeName, undefined) : commands;
}

/** What evictions before it explain of a verdict: bytes that they have not freed yet, or a condition that outlasts them. */
function pastOf(
  { unknownPart, shortage, cause }: DiskVerdict,
  { nodeName, ageMs = 0 }: Pick<VerdictSource, 'nodeName' | 'ageMs'>,
  remembered: RememberedEvictions,
): PastShortage | undefined {
  if (shortage === undefined) return undefined;
  if (unknownPart === 'condition') return pastShortage(nodeName, remembered, ageMs);
  if (!isShort(shortage) || (cause !== undefined && cause.filler !== 'pods')) return undefined;
  const past = unfreedEviction(nodeName, shortage, { ...remembered, readAtMs: remembered.readAtMs - ageMs });
  return past && { ...past, ageMs: past.ageMs + ageMs };
}

/** Of a node of which nothing is known but its condition. */
function silentVerdict({ nodeName, node, reason = 'never' }: VerdictSource): VerdictReport | undefined {
  if (node?.diskPressure !== true || reason === 'skipped') return undefined;
  return verdictReport(conditionVerdict(undefined), nodeName, { notes: [`no data: ${reason}`] });
}

function conditionVerdict(shortage: Shortage | undefined): DiskVerdict {
  return { kind: 'unknown', unknownPart: 'condition', shortage, alsoBelow: [] };
}

function ageNotes({ state, ageMs, reason }: VerdictSource, isApiServerAway: boolean): readonly string[] {
  const away = isApiServerAway ? ['which pods there are is not known: the API server is not reachable'] : [];
  if (state === 'fresh') return away;
  return [`data ${formatAge(ageMs)} old`, ...(reason === undefined ? [] : [reason]), ...away];
}

function verdictReport(verdict: DiskVerdict, nodeName: string, context: VerdictContext): VerdictReport {
  const isOfPods = context.past !== undefined && verdict.kind !== 'unknown';
  return {
    kind: isOfPods ? 'pods' : verdict.kind,
    text: verdictText(verdict, context),
    commands:
      context.past === undefined ? verdictCommands(verdict, nodeName, context) : [explainEviction(context.past.first)],
  };
}

/**
 * Why a pod was evicted: its own usage, or what filled the disk of its node. `earlier`: evictions before, the newest first;
 * `most`: see `largestNeeds`.
 */
export function evictionVerdictReport(
  record: EvictionRecord,
  earlier: RememberedEvictions['evictions'],
  most: EvictionRecord,
): VerdictReport {
  const ofNode = explainedVerdict(record, { evictions: earlier, readAtMs: record.evictedAtMs });
  if (ofNode !== undefined) {
    const { verdict, past } = ofNode;
    const report = verdictReport(verdict, record.node, { past, notes: outdatedNotes(record), isOfEviction: true });
    return { ...report, commands: pressureCommands(record, report.commands, most) };
  }
  if (rulesOf[record.cause] !== undefined)
    return { kind: 'pods', text: limitText(record, most), commands: limitCommands(record, most) };
  const commands = pressureCommands(record, unknownCommands(record), most);
  return { kind: 'unknown', text: unknownText(record), commands };
}

/** A record that was stored without the age of its node's values has the age of those of its pod. */
function outdatedNotes(record: EvictionRecord): readonly string[] {
  const { evictedAtMs, nodeVerdict: verdict } = record;
  const { fetchedAtMs = evictedAtMs } = lastMeasured(record);
  const ageMs = verdict?.ageMs ?? evictedAtMs - fetchedAtMs;
  return isOutdated(ageMs) ? [`measured ${formatAge(ageMs)} before`] : [];
}

/** A node refuses pods for its condition, which outlasts the shortage that pods were evicted for. */
function explainedVerdict(
  { cause, node, nodeVerdict: verdict }: EvictionRecord,
  remembered: RememberedEvictions,
): { readonly verdict: DiskVerdict; readonly past: PastShortage | undefined } | undefined {
  const shortage = verdict?.shortage;
  const outlasted =
    isRefusal({ cause }) && !isShort(shortage) ? pastShortage(node, remembered, verdict?.ageMs ?? Infinity) : undefined;
  if (outlasted !== undefined) return { verdict: conditionVerdict(shortage), past: outlasted };
  return verdict && { verdict, past: pastOf(verdict, { nodeName: node, ageMs: verdict.ageMs }, remembered) };
}

/** The kubelet evicts pods, or will after the grace period. */
function isShort(shortage: Shortage | undefined): boolean {
  return shortage?.state === 'evicting' || shortage?.state === 'waiting';
}

/** The last one is the change, where one is known. */
function pressureCommands(
  record: EvictionRecord,
  commands: readonly string[],
  most: EvictionRecord,
): readonly string[] {
  const change = raisedRequest(most);
  return [explainEviction(record), ...commands, ...(change === undefined ? [] : [change])];
}

function limitText(record: EvictionRecord, most: EvictionRecord): string {
  const { namespace, pod } = record;
  return `Pod ${namespace}/${pod} is the cause: ${causeText(record)}, ${measuredText(record)}${partText(record)}.${raisedLimitText(record, most)}`;
}

function partText(record: EvictionRecord): string {
  const part = recordedMainPart(record);
  const logs = part?.component === 'logs' ? ', which fill a larger limit too' : '';
  return part === undefined ? '' : `, most of it ${mainPartText(part)}${logs}`;
}

function measuredText(record: EvictionRecord): string {
  const { cause, limitBytes, evictedAtMs } = record;
  const { usage, fetchedAtMs } = lastMeasured(record);
  if (fetchedAtMs === undefined) return 'not measured before';
  const usedBytes = exceededBytes(record) ?? usage?.usedBytes;
  const used = usedBytes === undefined ? '-' : usedText(usedBytes, limitBytes ?? usedBytes);
  const age = formatAge(evictedAtMs - fetchedAtMs);
  if ((usedBytes ?? 0) > (limitBytes ?? Infinity)) return `${used} measured ${age} before`;
  const late = cause === 'container_limit' ? '' : ' (kubelets measure volumes about once a minute)';
  return `${used} in the summary ${age} before its kubelet looked${late}`;
}

function unknownText({ cause, shortage }: EvictionRecord): string {
  if (cause === 'other') return 'Unknown cause: the message of the kubelet names it.';
  const ofInodes = cause === 'node_inodes';
  const missing = shortage && Math.max(0, shortage.threshold - shortage.available);
  const amount =
    missing === undefined ? '' : `; ${ofInodes ? `${missing} inodes were` : `${formatBytes(missing)} was`} missing`;
  return `Unknown cause: the shortage was not seen before the eviction${amount}.`;
}

function unknownCommands({ cause, namespace, pod, node }: EvictionRecord): readonly string[] {
  return cause === 'other'
    ? [`kubectl describe pod -n ${shellWord(namespace)} ${shellWord(pod)}`]
    : [explainNode(node)];
}
