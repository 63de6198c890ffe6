import type { Node, Pod } from '../../cluster/kube/objects.js';
import { maxDetailCount } from '../../cluster/kube/pod-bounds.js';
import { formatQuantity, roundUp } from '../../cluster/kube/quantity.js';
import type { PodSummary } from '../../cluster/kubelet/summary.js';
import { entryFinder } from '../../facts/node/join.js';
import type { LimitRatio } from '../../facts/node/limit-ratios.js';
import { nodeStanding } from '../../facts/node/node-standing.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { type FindingKind, findingKinds, type PodFinding, podFindings } from '../../facts/node/pod-findings.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { largestFirst, type Ranked, rankedOf } from '../../lib/base/ranking.js';
import { countedText } from '../../lib/base/text.js';
import { formatBytes } from '../../lib/base/units.js';
import { limitText } from './limit-report.js';
import type { PodPlace } from './pod-report.js';

/** Something about a pod that makes its eviction likelier, or that has not the effect that it seems to have. */
export interface FindingReport extends PodPlace {
  readonly kind: FindingKind;
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
  /** In words, with the values. */
  readonly what: string;
  /** What to do about it. */
  readonly fix: string;
}

/** One pod with one finding. */
export interface FoundFinding {
  readonly pod: Pod;
  readonly finding: PodFinding;
}

/** Of the pods of a node that the API server knows. */
export function nodeFindings(snapshot: NodeSnapshot): readonly FoundFinding[] {
  return [...findingsByPod(snapshot)].flat();
}

/** {@link nodeFindings} pod by pod, each found when it is read. */
export function* findingsByPod(snapshot: NodeSnapshot): Iterable<readonly FoundFinding[]> {
  const { podsOnNode, summary, node, logRotation } = snapshot;
  const find = entryFinder(summary);
  const limits = unenforcedLimits(snapshot);
  const isNearPressure = nodeStanding({ state: 'fresh' }, snapshot).isClose || node.diskPressure === true;
  for (const pod of podsOnNode) {
    const podSummary = find(pod);
    const unenforced = podSummary && limits.get(podSummary);
    const found = podFindings({ pod, summary: podSummary, node, isNearPressure, logRotation, unenforced });
    yield found.map((finding) => ({ pod, finding }));
  }
}

/** One for each pod that has a reason of its own, by its entry in the summary. */
function unenforcedLimits({ listedPods, context }: NodeSnapshot): ReadonlyMap<PodSummary, LimitRatio> {
  const limits = new Map<PodSummary, LimitRatio>();
  for (const record of listedPods) {
    if (record.unenforced === undefined) continue;
    const { reason } = record.unenforced;
    const limit = context.ratiosOf(record).find(({ unenforced }) => unenforced === reason);
    if (limit !== undefined) limits.set(record.summary, limit);
  }
  return limits;
}

/** Of a pod on a node without data, or that is not scheduled: what its spec alone shows. */
export function specFindings(pod: Pod, node: Node | undefined): readonly FoundFinding[] {
  const found = podFindings({ pod, node, isNearPressure: node?.diskPressure === true });
  return found.map((finding) => ({ pod, finding }));
}

export function findingReport({ pod: { namespace, name, nodeName }, finding }: FoundFinding): FindingReport {
  return {
    namespace,
    pod: name,
    node: nodeName,
    kind: finding.kind,
    container: 'container' in finding ? named(finding.container) : undefined,
    volume: 'volume' in finding ? named(finding.volume) : undefined,
    what: finding.kind === 'amount_below_1ki' ? tinyText(finding) : whatOf(finding),
    fix: fixes[finding.kind],
  };
}

function named(name: string | undefined): string | undefined {
  return name === '' ? undefined : name;
}

function whatOf(finding: Exclude<PodFinding, { readonly kind: 'amount_below_1ki' }>): string {
  switch (finding.kind) {
    case 'no_limit_or_request':
      return `no container declares ${missingText(finding)} of ephemeral-storage`;
    case 'request_counts_as_zero':
      return `its request of ${formatBytes(finding.requestBytes)} counts as 0 under node pressure, because it has pod-level resources`;
    case 'limit_of_one_container':
      return `its limit of ${formatBytes(finding.limitBytes)} comes from container ${finding.container} alone; the usage of ${finding.others.join(', ')} counts towards it`;
    case 'size_limit_above_pod_limit':
      return `sizeLimit ${formatBytes(finding.sizeLimitBytes)} of emptyDir ${finding.volume} is above the limit of the pod, ${formatBytes(finding.podLimitBytes)}`;
    case 'memory_volume_full':
      return fullText(finding);
    case 'limit_not_enforced':
      return unenforcedText(finding);
    case 'logs_above_rotation': {
      const { maxFileBytes, maxFileCount } = finding.rotation;
      return `logs of container ${finding.container} use ${formatBytes(finding.usedBytes)}; rotation keeps ${maxFileCount} files of ${formatBytes(maxFileBytes)} of each of two runs`;
    }
    case 'volume_not_mounted':
      return `no container mounts ${unmountedText(finding)}`;
    case 'not_in_detail':
      return `not kept by name, beside the first ${maxDetailCount} of each: ${moreText(finding)}`;
  }
}

function tinyText({ field, container, volume = '', amount }: FindingOf<'amount_below_1ki'>): string {
  const of = container === undefined ? `emptyDir ${volume}` : `container ${container}`;
  const quantity = formatQuantity(amount);
  const number = quantity.replace(/\D$/, '');
  const size = countedText(roundUp(amount), ['byte', 'bytes']);
  return `${field} ${quantity} of ${of} is ${number === quantity ? '' : 'less than '}${size}: most likely ${number}Mi is meant`;
}

function fullText({ volume, usedBytes, capacityBytes, sizeLimitBytes }: FindingOf<'memory_volume_full'>): string {
  const isUndercut = sizeLimitBytes !== undefined && sizeLimitBytes > capacityBytes;
  const why = isUndercut ? `, less than its sizeLimit of ${formatBytes(sizeLimitBytes)}` : '';
  return `emptyDir ${volume} in memory is full: writes fail; ${formatBytes(usedBytes)} of ${formatBytes(capacityBytes)} are used${why}`;
}

type FindingOf<Kind extends FindingKind> = Extract<PodFinding, { readonly kind: Kind }>;

function unenforcedText({ volume, unenforced, ...of }: FindingOf<'limit_not_enforced'>): string {
  const limit = limitText(of);
  if (unenforced === 'memory_medium')
    return `sizeLimit ${limit} of emptyDir ${volume} in memory never evicts the pod: at the limit, writes fail`;
  return unenforced === 'exempt'
    ? `static or critical: its limit of ${limit} never evicts it`
    : `the kubelet does not measure what its containers write outside of volumes: its limit of ${limit} does not see it`;
}

function unmountedText({ volume, type, count }: FindingOf<'volume_not_mounted'>): string {
  if (volume === undefined) return `${count} of its volumes`;
  const first = `${type === 'emptydir' ? 'emptyDir' : 'configMap'} ${volume}`;
  return count === 1 ? first : `${first} and ${countedText(count - 1, ['other volume', 'other volumes'])}`;
}

function moreText(finding: FindingOf<'not_in_detail'>): string {
  const { containerCount, volumeCount, mountCount, labelCount } = finding;
  const parts = [
    [containerCount, ['container', 'containers']],
    [volumeCount, ['volume', 'volumes']],
    [mountCount, ['mount', 'mounts']],
    [labelCount, ['label', 'labels']],
  ] as const;
  const texts = parts.map(([count, names]) => countedText(count, names));
  return texts.filter((text) => text !== '').join(', ');
}

function missingText({ hasLimit, hasRequest }: FindingOf<'no_limit_or_request'>): string {
  if (hasLimit) return 'a request';
  return hasRequest ? 'a limit' : 'a limit or a request';
}

const fixes: Readonly<Record<FindingKind, string>> = {
  amount_below_1ki:
    'Write Mi or Gi: m is a thousandth of a byte, and a number alone is bytes. The kubelet goes by what is written.',
  no_limit_or_request:
    'Set limits and requests of ephemeral-storage on the containers. Without a limit only the node bounds the pod; without a request it is evicted before pods that stay within theirs.',
  request_counts_as_zero:
    'Set CPU, memory and hugepages on the containers, not on the pod. As it is, the pod is evicted before pods that stay within their requests.',
  limit_of_one_container:
    'Set a limit of ephemeral-storage on each container: the limit of the pod is the sum of those that are declared.',
  size_limit_above_pod_limit:
    'Lower sizeLimit, or raise the limits of the containers: the pod exceeds its limit before the emptyDir exceeds its own.',
  memory_volume_full:
    'Have the pod write less to it, or raise sizeLimit and the memory limits of the containers: the smaller one is its size.',
  limit_not_enforced:
    'Do not rely on the limit to evict the pod. An emptyDir in memory is bounded by its size; all else that is not seen, or not evicted, by the disk of the node alone.',
  logs_above_rotation: 'Have the container log less: a burst outruns the rotation (containerLogMonitorInterval).',
  volume_not_mounted:
    'Mount the volume, or remove it from the pod: the kubelet neither mounts nor measures it, and its sizeLimit has no effect.',
  not_in_detail:
    'Split the pod. Its total, its limits and its place in the order of eviction are exact; what is not shown by name is in the entry (others).',
};

/** The findings of one kind, those of most pods first. `totalCount` counts the pods of one controller once. */
export interface FindingKindReport extends Ranked<RankedFindingReport> {
  readonly kind: FindingKind;
  /** In all pods. */
  readonly findingCount: number;
}

/** The first pod of its controller by name. */
export interface RankedFindingReport extends FindingReport {
  /** Pods of the controller that have the same. */
  readonly podCount: number;
}

/** The findings of all nodes, by kind. Those of each pod are added together. */
export class RankedFindings {
  readonly #count: number;
  readonly #groups = new Map<FindingKind, Map<string, FindingGroup>>();

  /** `count`: shown of each kind. */
  constructor(count: number) {
    this.#count = count;
  }

  add(findings: readonly FoundFinding[]): void {
    for (const found of findings) {
      const groups = getOrAdd(this.#groups, found.finding.kind, () => new Map<string, FindingGroup>());
      const group = getOrAdd(groups, groupKey(found), () => ({ first: found, podCount: 0 }));
      group.podCount += 1;
      if (found.pod.name < group.first.pod.name) group.first = found;
    }
  }

  /** Only kinds with findings, in the order of `findingKinds`. */
  kinds(): readonly FindingKindReport[] {
    return findingKinds.flatMap((kind) => {
      const groups = [...(this.#groups.get(kind)?.values() ?? [])];
      if (groups.length === 0) return [];
      const findingCount = groups.reduce((sum, { podCount }) => sum + podCount, 0);
      const reportOf = ({ first, podCount }: FindingGroup) => ({ ...findingReport(first), podCount });
      return [{ kind, findingCount, ...rankedOf(groups, this.#count, byPodCount, reportOf) }];
    });
  }
}

interface FindingGroup {
  first: FoundFinding;
  podCount: number;
}

const byPodCount = largestFirst<FindingGroup>(
  ({ podCount }) => podCount,
  ({ first: { pod } }) => [pod.namespace, pod.name],
);

/** Static pods of a node have it as their controller, and nothing in common. */
function groupKey({ pod, finding }: FoundFinding): string {
  const { namespace, name, controller, isStatic } = pod;
  const owner = controller === undefined || isStatic ? `Pod/${name}` : `${controller.kind}/${controller.name}`;
  const part = 'container' in finding ? finding.container : 'volume' in finding ? finding.volume : '';
  return `${namespace}/${owner}/${part}`;
}
