import { countsInodes } from '../../cluster/kubelet/eviction-signals.js';
import {
  type EvictionRecord,
  type LastUsage,
  longerLimit,
  type MainPart,
  mainPart,
} from '../../facts/history/eviction-record.js';
import { type DiskVerdict, isDue } from '../../facts/node/disk-verdict.js';
import type { LimitRatio } from '../../facts/node/limit-ratios.js';
import type { AbsenceReason } from '../../facts/node/node-view.js';
import { programName, shellWord } from '../../lib/base/text.js';
import { formatBytes } from '../../lib/base/units.js';
import { isInKubeletLog } from './absence-hints.js';
import { perMinute } from './pod-growth.js';
import type { VerdictContext } from './verdict-text.js';
import { type WorkloadReference, workloadReferences } from './workload-report.js';

/** What to run next for a verdict, complete, the explanation first. */
export function verdictCommands(
  verdict: DiskVerdict,
  nodeName: string,
  { isOfEviction }: VerdictContext = {},
): readonly string[] {
  // After an eviction no pod is to be deleted: the kubelet has evicted what it had to, and pods may be gone.
  const first = isOfEviction === true ? [explainNode(nodeName)] : podCommands(verdict);
  const onNode = (command: string): string => nodeCommand(command, verdict, nodeName);
  switch (verdict.kind) {
    case 'pods':
      return first;
    case 'pods_and_images':
      return [...first, onNode('crictl rmi --prune')];
    case 'images':
      return imageCommands(verdict).map(onNode);
    case 'inodes':
      return [...first, onNode(inodesCommand)];
    case 'no_space':
      return [...first, ...noSpaceCommands(verdict).map(onNode), rawCommand(nodeName, 'configz')];
    case 'unknown':
      return unknownCommands(verdict, nodeName);
    case 'other':
      return [...growthCommands(verdict), ...remainderCommands(verdict, nodeName)];
  }
}

/** Where all images are in use, there is nothing to prune. */
function imageCommands({ images }: DiskVerdict): readonly string[] {
  return images?.most === 0 ? remainderTools.images : ['crictl rmi --prune', 'crictl images'];
}

/** What the kubelet is configured with is to be looked at too. */
function noSpaceCommands({ images }: DiskVerdict): readonly string[] {
  return images === undefined ? [inodesCommand] : ['crictl rmi --prune', ...remainderTools.other.slice(0, 1)];
}

/** Before the threshold is crossed, see the text of the verdict. */
function growthCommands(verdict: DiskVerdict): readonly string[] {
  return verdict.shortage?.state === 'near' && verdict.first?.growth !== undefined
    ? podCommands(verdict).slice(0, 1)
    : [];
}

const inodesCommand = 'du --inodes -xd3 / /var | sort -n | tail -20';

const remainderTools = {
  other: ['du -xhd3 / /var | sort -h | tail -20', 'journalctl --disk-usage', 'lsof +L1'],
  images: ['crictl images', 'crictl ps -a'],
} as const;

function remainderCommands(verdict: DiskVerdict, nodeName: string): readonly string[] {
  const { holder } = verdict.remainder ?? { holder: 'other' };
  if (holder === 'exempt')
    return [`kubectl get pods -A --sort-by=.spec.priority --field-selector ${shellWord(`spec.nodeName=${nodeName}`)}`];
  // A node under DiskPressure refuses the pod of `kubectl debug`.
  const isListed = verdict.shortage?.state === 'near';
  const directories = `${explainNode(nodeName)} --directories`;
  return toolsFor(verdict, holder).map((command) =>
    isListed && command === remainderTools.other[0] ? directories : nodeCommand(command, verdict, nodeName),
  );
}

function toolsFor({ shortage, images }: DiskVerdict, holder: 'other' | 'images'): readonly string[] {
  if (shortage !== undefined && countsInodes(shortage.signal)) return [inodesCommand];
  const isEnough = shortage !== undefined && images !== undefined && images.least >= shortage.missing;
  return isEnough ? ['crictl rmi --prune', ...remainderTools[holder]] : remainderTools[holder];
}

/** While evictions are far, or forecast for another's growth, nothing is to be deleted. */
function podCommands(verdict: DiskVerdict): readonly string[] {
  if (verdict.first === undefined) return [];
  const { namespace, name, isExempt } = verdict.first.pod;
  const explain = explainPod(namespace, name);
  return isExempt || !isDue(verdict)
    ? [explain]
    : [explain, `kubectl delete pod -n ${shellWord(namespace)} ${shellWord(name)}`];
}

export function explainPod(namespace: string, pod: string): string {
  return `${programName} explain pod ${shellWord(`${namespace}/${pod}`)}`;
}

function unknownCommands(verdict: DiskVerdict, nodeName: string): readonly string[] {
  const explain = explainNode(nodeName);
  if (verdict.unknownPart === 'images') return [nodeCommand('crictl images', verdict, nodeName)];
  if (verdict.unknownPart === 'unread_pods') return [explain];
  return [explain, rawCommand(nodeName, 'configz'), rawCommand(nodeName, 'stats/summary')];
}

export function explainNode(nodeName: string): string {
  return `${programName} explain node ${shellWord(nodeName)}`;
}

function rawCommand(nodeName: string, path: string): string {
  return `kubectl get --raw ${shellWord(`/api/v1/nodes/${encodeURIComponent(nodeName)}/proxy/${path}`)}`;
}

/** A node under DiskPressure refuses the pod of `kubectl debug`. */
function nodeCommand(command: string, { shortage }: DiskVerdict, nodeName: string): string {
  return shortage?.state === 'near'
    ? `kubectl debug node/${shellWord(nodeName)} -it --profile=sysadmin --image=busybox -- chroot /host sh -c ${shellWord(command)}`
    : `ssh ${shellWord(nodeName)} ${shellWord(`sudo ${command}`)}`;
}

/** `path`: see `shownName`. */
export function explainWorkload(path: string): string {
  return `${programName} explain workload ${shellWord(path)}`;
}

export function explainEviction({ namespace, pod }: Pick<EvictionRecord, 'namespace' | 'pod'>): string {
  return `${programName} explain eviction ${shellWord(`${namespace}/${pod}`)}`;
}

/**
 * The same for an eviction for a limit of the pod's own: what its replicas log, where that filled most of it; else the change that
 * would have prevented it for an hour, where that is known. `most`: see `largestNeeds`.
 */
export function limitCommands(record: EvictionRecord, most = record): readonly string[] {
  const explain = explainEviction(record);
  const workloads = workloadReferences(record.workloads);
  const target = ownerTarget(workloads);
  const edit = ownerCommand('edit', workloads);
  if (target === undefined) return [explain, ...edit];
  const logs = recordedMainPart(record);
  if (logs?.component === 'logs') return [explain, ...logsCommands(record, logs.name)];
  if (isLeak(most)) return [explain, ...directoriesCommands(most)];
  const raised = raisedLimit(most, target);
  return [explain, ...(raised === undefined ? edit : [raised])];
}

/** An hour more would take a limit that nobody would set. */
export function isLeak(record: EvictionRecord): boolean {
  const { growthBytesPerSecond: growth, fetchedAtMs = -Infinity, usage, ...of } = lastMeasured(record);
  if (of.ratios === undefined || of.limitForAnHourBytes !== undefined) return false;
  return longerLimit(record, of.ratios, { growth, sinceMs: record.evictedAtMs - fetchedAtMs, usage }) !== undefined;
}

/** The pod is gone: of a StatefulSet one with its name follows, else the workload lists those that run. */
function directoriesCommands({ namespace, pod, workloads }: EvictionRecord): readonly string[] {
  const owner = ownerOf(workloadReferences(workloads));
  if (owner === undefined) return [];
  const { workloadNamespace, workloadType, workload } = owner;
  return workloadType === 'statefulset'
    ? [`${explainPod(namespace, pod)} --directories`]
    : [explainWorkload(`${workloadNamespace}/${workloadType}/${workload}`)];
}

/** kubectl finds no pods of a cron job. */
function logsCommands({ workloads }: EvictionRecord, container: string): readonly string[] {
  const references = workloadReferences(workloads);
  const target = ownerOf(references)?.workloadType === 'cronjob' ? undefined : ownerTarget(references);
  return target === undefined ? [] : [`kubectl logs ${target} -c ${shellWord(container)} --tail=20`];
}

/** Undefined where nothing was measured. */
export function recordedMainPart(record: EvictionRecord): MainPart | undefined {
  const { usage } = lastMeasured(record);
  return usage && mainPart(record, usage);
}

/** Returns what was last measured of the pod; nothing where it was not. */
export function lastMeasured({ lastUsage }: EvictionRecord): Partial<LastUsage> {
  return typeof lastUsage === 'object' ? lastUsage : {};
}

function raisedLimit(record: EvictionRecord, target: string): string | undefined {
  const { cause, container, volume } = record;
  const { limitForAnHourBytes: limitBytes } = lastMeasured(record);
  if (limitBytes === undefined) return undefined;
  if (cause === 'container_limit') {
    return `kubectl set resources ${target} -c ${shellWord(container)} --limits=ephemeral-storage=${sizeText(limitBytes)}`;
  }
  if (cause !== 'emptydir_limit') return raisedPodLimit(record, target, limitBytes);
  const volumes = [{ name: volume, emptyDir: { sizeLimit: sizeText(limitBytes) } }];
  const ofPods = { spec: { template: { spec: { volumes } } } };
  const isCronJob = ownerOf(workloadReferences(record.workloads))?.workloadType === 'cronjob';
  const patch = isCronJob ? { spec: { jobTemplate: ofPods } } : ofPods;
  return `kubectl patch ${target} --type=strategic -p ${shellWord(JSON.stringify(patch))}`;
}

function raisedPodLimit(record: EvictionRecord, target: string, wantedBytes: number): string | undefined {
  const largest = largestLimited(record);
  if (largest === undefined || record.limitBytes === undefined) return undefined;
  const raisedBytes = largest.limitBytes + wantedBytes - record.limitBytes;
  return `kubectl set resources ${target} -c ${shellWord(largest.container)} --limits=ephemeral-storage=${sizeText(raisedBytes)}`;
}

/** A pod's limit is the sum of those of its containers: the one that used most gets what is missing. */
function largestLimited(record: EvictionRecord): LimitRatio | undefined {
  if (record.cause !== 'pod_limit') return undefined;
  const { usage, ratios } = lastMeasured(record);
  const largest = usage?.containers.toSorted((a, b) => (b.usedBytes ?? 0) - (a.usedBytes ?? 0))[0];
  return ratios?.find(({ rule, container }) => rule === 'container' && container === largest?.name);
}

/** Returns where the limit of {@link limitCommands} comes from; '' where they have none. */
export function raisedLimitText(record: EvictionRecord, most = record): string {
  const { pod, limitBytes = 0 } = most;
  const { limitForAnHourBytes: raisedBytes, growthBytesPerSecond: growth } = lastMeasured(most);
  if (growth === undefined) return '';
  const isOwn = most === record;
  if (isLeak(most))
    return ` ${isOwn ? 'It' : `Pod ${pod}`} leaks ${perMinute(growth)}: no limit holds that, so look at what it writes.`;
  if (raisedBytes === undefined) return '';
  const largest = largestLimited(most);
  const whose = largest === undefined ? '' : `; container ${largest.container} gets what is added`;
  const minute = formatBytes(Math.round(growth * 60));
  const reached = formatBytes(Math.max(exceededBytes(most) ?? 0, limitBytes));
  const runs = isOwn
    ? 'it run for an hour more at its'
    : `all evicted pods of its workload run for an hour more; ${pod} needs most, at its`;
  return ` A limit of ${sizeText(raisedBytes)} would have let ${runs} growth of ${minute} a minute: ${reached} + 60 × ${minute}, rounded up${whose}.`;
}

/** Returns what was last measured of what counted towards the limit that the pod was evicted for. */
export function exceededBytes(record: EvictionRecord): number | undefined {
  const { container, volume } = record;
  const isExceeded = (of: LimitRatio): boolean => of.container === container && of.volume === volume;
  return lastMeasured(record).ratios?.find(isExceeded)?.usedBytes;
}

export const mebibyte = 2 ** 20;

/** Returns a size as manifests have it, rounded up to whole Mi. The same wherever it is proposed: `19Gi`, `2304Mi`. */
export function sizeText(bytes: number): string {
  const size = Math.ceil(bytes / mebibyte);
  return size % 1024 === 0 ? `${size / 1024}Gi` : `${size}Mi`;
}

/** Returns what to run next for a node without data, complete: the node as the cluster has it, its kubelet, and the kubelet's log. */
export function absenceCommands(
  reason: AbsenceReason,
  nodeName: string,
  failure: { readonly message: string } | undefined,
): readonly string[] {
  if (reason === 'skipped' || reason === 'internal_error') return [];
  if (reason === 'no_node') return ['kubectl get nodes'];
  return [
    `kubectl describe node ${shellWord(nodeName)}`,
    rawCommand(nodeName, 'stats/summary'),
    ...(isInKubeletLog(reason, failure) ? [kubeletLog(nodeName)] : []),
  ];
}

export function kubeletLog(nodeName: string): string {
  return `ssh ${shellWord(nodeName)} 'sudo journalctl -u kubelet -n 100 --no-pager'`;
}

/** Not those of jobs: their templates are immutable. */
const kindsOfPods: ReadonlySet<string> = new Set(['deployment', 'statefulset', 'daemonset', 'cronjob']);

/** Custom resources too: kubectl cannot set one of their fields, nor find their pods. */
const editedKinds: ReadonlySet<string> = new Set([...kindsOfPods, 'rollout', 'deploymentconfig']);

/** Returns the arguments of kubectl that name the workload whose specification the pod has: `-n shop deployment/cart`. */
export function ownerTarget(workloads: readonly WorkloadReference[], kinds = kindsOfPods): string | undefined {
  const owner = ownerOf(workloads, kinds);
  return owner && `-n ${shellWord(owner.workloadNamespace)} ${shellWord(`${owner.workloadType}/${owner.workload}`)}`;
}

function ownerOf(workloads: readonly WorkloadReference[], kinds = kindsOfPods): WorkloadReference | undefined {
  return workloads.find(({ workloadType }) => kinds.has(workloadType));
}

export function ownerCommand(verb: 'describe' | 'edit', workloads: readonly WorkloadReference[]): readonly string[] {
  const target = ownerTarget(workloads, editedKinds);
  return target === undefined ? [] : [`kubectl ${verb} ${target}`];
}
