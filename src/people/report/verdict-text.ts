import { countsInodes, filesystemOf } from '../../cluster/kubelet/eviction-signals.js';
import type { DiskVerdict, Remainder, Shortage } from '../../facts/node/disk-verdict.js';
import type { FirstWorkload } from '../../facts/node/first-workload.js';
import type { Bounds } from '../../facts/node/freed-space.js';
import { sharedName } from '../../facts/workload/workload.js';
import { countedText, formatCount } from '../../lib/base/text.js';
import { formatAge, formatBytes } from '../../lib/base/units.js';
import { amountText } from '../pens/document.js';
import { type PastShortage, usedAtLast } from './past-shortage.js';
import { signalAmount, unreadPodsText } from './signal-report.js';

/** What is the matter with one thing, and what to do. */
export interface VerdictWords<Kind> {
  readonly kind: Kind;
  /** In a sentence or two, with the numbers. */
  readonly text: string;
  /** To copy, for exactly this case; the first one explains. */
  readonly commands: readonly string[];
}

/** What a verdict is made with besides what the kubelet reports now. */
export interface VerdictContext {
  /** What is to be known of the data, in a few words each. */
  readonly notes?: readonly string[];
  /** What the shortage, or the condition that is left from it, comes from. */
  readonly past?: PastShortage | undefined;
  /** The verdict is that of a moment that is over. */
  readonly isOfEviction?: boolean;
  /** That of the data, see `momentText`; without it, that of the eviction or now. */
  readonly moment?: string;
}

/** One sentence with its numbers. */
export function verdictText(verdict: DiskVerdict, context: VerdictContext = {}): string {
  const { notes = [], past } = context;
  const { shortage, alsoBelow } = verdict;
  const assumed = shortage?.isAssumed === true ? ['threshold assumed'] : [];
  const also = alsoBelow.length === 0 ? '' : `; also below a threshold: ${alsoBelow.join(', ')}`;
  const cause = past === undefined ? causeText(verdict) : pastCauseText(past, verdict, context);
  const all = [...assumed, ...notes, ...groupNotes(verdict, cause)];
  return `${cause}${collectedFirst(verdict)}${also}${all.length === 0 ? '' : ` (${all.join(', ')})`}.`;
}

/** The kubelet collects images before it evicts: evictions are farther away than the threshold. */
function collectedFirst({ kind, images = none, shortage }: DiskVerdict): string {
  const { least, most } = images;
  if (shortage?.state !== 'near' || kind === 'images' || kind === 'pods_and_images') return '';
  if (least > 0 && least < most) return `; images are collected first: at least ${formatBytes(least)}`;
  return most > 0 && most < Infinity ? `; images are collected first: up to ${formatBytes(most)}` : '';
}

/** Of owners of one pod each that are named. */
function groupNotes({ first }: DiskVerdict, text: string): readonly string[] {
  const name = first?.workload && sharedName(first.workload);
  if (name === undefined || name === first?.workload?.name || !text.includes(name)) return [];
  return [`workloads.labels groups ${name} by labels of their pods`];
}

function causeText(verdict: DiskVerdict): string {
  const { kind, shortage } = verdict;
  if (kind === 'unknown' || shortage === undefined) return unknownText(verdict);
  switch (kind) {
    case 'no_space':
      return noSpaceText(verdict, shortage);
    case 'inodes':
      return `Inodes are the cause, not bytes${inodesText(verdict, shortage)}, ${missingText(shortage)}`;
    case 'other':
      return otherText(verdict, shortage);
    case 'pods':
      return `Pods are the cause${podsText(verdict, shortage)}, ${missingText(shortage)}`;
    case 'images':
      return imageCauseText(verdict, shortage);
    case 'pods_and_images': {
      const deleting = `deleting unused images ${imagesText(verdict.images ?? none, shortage)}`;
      return `Pods and images are the cause${podsText(verdict, shortage)} and ${deleting}, ${missingText(shortage)}`;
    }
  }
}

function otherText({ pods = none, images = none, first, remainder, cause }: DiskVerdict, shortage: Shortage): string {
  return `${remainderText(remainder, shortage)}${remainderNote(remainder, pods, cause)}${causeGrowthText(cause, shortage)}${growthText(first, shortage)}; ${evictionsText(pods, images, shortage)}`;
}

/** What an emptyDir or a new pod has is in no figure of pods before the kubelet has measured it. */
function remainderNote(remainder: Remainder | undefined, pods: Bounds, cause: DiskVerdict['cause']): string {
  if (cause === undefined) return remainder?.holder === 'images' ? ' that stay' : '';
  return cause.filler === 'other' && pods.most > pods.least ? ', or not measured yet' : '';
}

function causeGrowthText(cause: DiskVerdict['cause'], shortage: Shortage): string {
  return cause?.growth === undefined
    ? ''
    : `, and it ${grewText(cause.growth, (amount) => signalAmount(shortage.signal, amount))}`;
}

/** Who goes first, and what their evictions free. */
function podsText({ pods = none, first, unreadPodCount }: DiskVerdict, shortage: Shortage): string {
  return `${firstText(first)}: evicting every pod frees ${freedText(pods, shortage)}${unseenText(pods, unreadPodCount)}`;
}

function imageCauseText({ images = none, remainder, cause }: DiskVerdict, shortage: Shortage): string {
  const missing = missingText(shortage);
  const frees = `frees ${imagesText(images, shortage)}, ${missing}`;
  if (cause === undefined)
    return `Unused images can be collected: deleting those older than imageMinimumGCAge (2m by default) ${frees}`;
  const inUse = `all are in use: fewer pods with large images on this node, or a larger disk, free space; ${missing}`;
  return `Images are the cause: ${remainderText(remainder, shortage)}${causeGrowthText(cause, shortage)}; ${images.most === 0 ? inUse : `deleting unused ones ${frees}`}`;
}

/** A pod may be younger than the summary. */
function unseenText({ least, most }: Bounds, unreadPodCount: number | undefined): string {
  if (least === most) return '';
  return ` (${unreadPodCount === undefined ? 'not all of them are measured' : unreadPodsText(unreadPodCount)})`;
}

const none: Bounds = { least: 0, most: 0 };

/** What is deleted is what frees space: the kubelet frees none. */
function noSpaceText(verdict: DiskVerdict, shortage: Shortage): string {
  const { images = none } = verdict;
  const { available, capacity = 0, filesystem } = shortage;
  const free = countsInodes(shortage.signal)
    ? `${formatCount(available)} of ${formatCount(capacity)} inodes are`
    : `${formatBytes(available)} of ${formatBytes(capacity)} is`;
  const deletingImages = images.least > 0 ? [`deleting unused images frees ${imagesText(images, shortage)}`] : [];
  return [
    `${failText(available / capacity)} with ENOSPC: ${free} free on ${filesystem}, and no eviction threshold makes the kubelet evict pods`,
    ...growingTexts(verdict, shortage),
    ...deletingPods(verdict, shortage),
    ...deletingImages,
  ].join('; ');
}

function failText(freeRatio: number): string {
  if (freeRatio > 0.01) return 'Writes will fail';
  return freeRatio > 0 ? 'Writes are about to fail' : 'Writes fail';
}

/** Who grows, where deleting pods does not end it. */
function growingTexts({ first, remainder, cause }: DiskVerdict, shortage: Shortage): readonly string[] {
  const pod = first?.pod.isExempt === true && first.growth && `${workloadName(first)} ${grewText(first.growth)}`;
  const rest = cause?.growth && remainder && `${remainderText(remainder, shortage)}${causeGrowthText(cause, shortage)}`;
  return [rest, pod].filter((text) => typeof text === 'string');
}

function deletingPods({ pods = none, first }: DiskVerdict, shortage: Shortage): readonly string[] {
  if (pods.least === 0) return [];
  const named = first?.pod.isExempt === true ? undefined : first;
  const name = countsInodes(shortage.signal) ? largestText(named, shortage) : firstText(named);
  return [`deleting pods frees ${freedText(pods, shortage)}${name}`];
}

/** The kubelet reports the condition for a while after the shortage, and the files of an evicted pod are deleted only after it. */
function pastCauseText(
  { ageMs, ofInodes, first, otherPodCount, isOver }: PastShortage,
  { kind, shortage }: DiskVerdict,
  context: VerdictContext,
): string {
  const age = `${formatAge(ageMs)} ${context.isOfEviction === true ? 'before' : 'ago'}`;
  const pod = `${first.namespace}/${first.pod}${usedText(usedAtLast(first, ofInodes), ofInodes)}`;
  if (kind !== 'unknown' && shortage !== undefined)
    return `Pod ${pod} is the cause: it was evicted ${age}, and its files were not deleted yet; ${missingText(shortage)}`;
  const others = countedText(otherPodCount, ['more pod', 'more pods']);
  const pods = `${pod}${others === '' ? ' was' : ` and ${others} were`} evicted for it`;
  const short = `The node was short of ${ofInodes ? 'inodes' : 'disk space'}`;
  if (!isOver) return `${short} ${age}: ${pods}, and no summary since then shows that it is over`;
  return `${short} until ${age}: ${pods}. The condition DiskPressure stays for evictionPressureTransitionPeriod after a shortage, 5m by default${leftText(shortage, context)}`;
}

function leftText(
  shortage: Shortage | undefined,
  { isOfEviction = false, moment = isOfEviction ? 'then' : 'now' }: VerdictContext,
): string {
  const headroom = headroomText(shortage);
  return headroom === undefined ? '' : `, with ${headroom} of headroom ${moment}`;
}

function usedText(used: number | undefined, ofInodes: boolean): string {
  if (used === undefined) return '';
  return ` (${amountText({ amount: used, unit: ofInodes ? 'inodes' : 'bytes' })})`;
}

function headroomText(shortage: Shortage | undefined): string | undefined {
  return shortage && signalAmount(shortage.signal, shortage.available - shortage.threshold);
}

function unknownText({ shortage, unknownPart, unreadPodCount = 0 }: DiskVerdict): string {
  const headroom = headroomText(shortage);
  const parts: Readonly<Record<NonNullable<DiskVerdict['unknownPart']>, string>> = {
    unread_pods: unreadPodsText(unreadPodCount),
    unmeasured_pods: 'not all pods of this node are measured',
    images: 'what deleting unused images frees is not known',
    owners: 'the kubelet does not report what the disk holds',
    condition:
      headroom === undefined
        ? 'the node reports DiskPressure, and may be evicting: its headroom is not known'
        : `the node reports DiskPressure with ${headroom} of headroom, which kubelets do for evictionPressureTransitionPeriod after a shortage${shortage?.isAssumed === true ? ', or while they evict below a higher threshold' : ''}`,
  };
  const tail = shortage === undefined || unknownPart === 'condition' ? '' : `; ${missingText(shortage)}`;
  return `Unknown cause: ${parts[unknownPart ?? 'condition']}${tail}`;
}

function firstText(first: FirstWorkload | undefined): string {
  if (first === undefined) return '';
  const { growth, amount } = first;
  const size = formatBytes(amount);
  const grown = growth && `${grewText(growth)} to ${size}`;
  return `, ${workloadName(first)} first (${grown ?? size})`;
}

/** What is full is not what fills: before the threshold is crossed, the pods that grow decide when it is. */
function growthText(first: FirstWorkload | undefined, { state }: Shortage): string {
  if (state !== 'near' || first?.growth === undefined) return '';
  return `, and ${workloadName(first)} ${grewText(first.growth)}`;
}

function grewText(
  { bytes, durationMs }: NonNullable<FirstWorkload['growth']>,
  amountOf: (amount: number) => string = formatBytes,
): string {
  return `grew ${amountOf(bytes)} in ${formatAge(durationMs)}`;
}

/** `shop/cart`; a workload that may span namespaces is its bare name. */
function workloadName({ workload, pod }: FirstWorkload): string {
  if (workload === undefined) return `${pod.namespace}/${pod.name}`;
  const name = sharedName(workload);
  return workload.namespace === '' ? name : `${workload.namespace}/${name}`;
}

const remainderTexts: Readonly<Record<Remainder['holder'], string>> = {
  other: 'is neither pods nor images',
  images: 'is images and ended containers',
  exempt: 'is static and critical pods, which are never evicted',
};

function remainderText(remainder: Remainder | undefined, shortage: Shortage): string {
  if (remainder === undefined) return '';
  const { capacity, signal } = shortage;
  if (countsInodes(signal))
    return `${formatCount(remainder.bytes)}${capacity === undefined ? '' : ` of ${formatCount(capacity)}`} inodes are not of pods`;
  const of = capacity === undefined ? '' : ` of ${formatBytes(capacity)}`;
  return `${formatBytes(remainder.bytes)}${of} ${remainderTexts[remainder.holder]}`;
}

function evictionsText(pods: Bounds, images: Bounds, shortage: Shortage): string {
  const { state, missing } = shortage;
  const freed = { least: pods.least + images.least, most: pods.most + images.most };
  const what = images.most > 0 ? 'evicting every pod and deleting unused images' : 'evicting every pod';
  const frees = `${what} frees ${freed.least === freed.most ? '' : 'at most '}${signalAmount(shortage.signal, freed.most)}`;
  if (state === 'near' && freed.most < missing)
    return `${frees}, less than the threshold of ${signalAmount(shortage.signal, missing)}; ${missingText(shortage)}`;
  if (freed.most >= missing) return `${what} frees ${freedText(freed, shortage)}, ${missingText(shortage)}`;
  return `${frees} of the ${signalAmount(shortage.signal, missing)} missing on ${placeText(shortage)}${graceText(shortage)}`;
}

function inodesText({ pods = none, first, unreadPodCount }: DiskVerdict, shortage: Shortage): string {
  if (unreadPodCount !== undefined) return `: ${unreadPodsText(unreadPodCount)}`;
  return `${largestText(first, shortage)}: evicting every pod frees ${freedText(pods, shortage)}${unseenText(pods, unreadPodCount)}`;
}

function largestText(first: FirstWorkload | undefined, shortage: Shortage): string {
  return first === undefined ? '' : `, ${workloadName(first)} first (${signalAmount(shortage.signal, first.amount)})`;
}

function freedText({ least, most }: Bounds, shortage: Shortage): string {
  return `${least === most ? '' : 'at least '}${signalAmount(shortage.signal, least)}`;
}

/** A layer that images share counts for each of them, and compressed sizes are smaller than what is freed. */
function imagesText(images: Bounds, shortage: Shortage): string {
  return `${freedText(images, shortage)}${images.least === 0 ? '' : ' as the kubelet counts'}`;
}

function missingText(shortage: Shortage): string {
  const { state, missing, available, threshold } = shortage;
  if (state === 'near')
    return `evictions are ${signalAmount(shortage.signal, available - threshold)} away on ${placeText(shortage)}`;
  return `${signalAmount(shortage.signal, missing)} ${countsInodes(shortage.signal) ? 'are' : 'is'} missing on ${placeText(shortage)}${graceText(shortage)}`;
}

/** The threshold of another filesystem may be that of this one. */
function placeText({ signal, filesystem }: Shortage): string {
  return filesystemOf(signal) === filesystem ? filesystem : `${filesystem} for ${signal}`;
}

function graceText({ state, gracePeriodMs }: Shortage): string {
  return state === 'waiting' ? ` and evictions begin after ${formatAge(gracePeriodMs)}` : '';
}
