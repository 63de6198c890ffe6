import { mostSpecific } from '../../facts/workload/workload.js';
import { groupBy } from '../../lib/base/maps.js';
import { formatCount } from '../../lib/base/text.js';
import type { ClusterReport } from '../query/cluster-report.js';
import { causeText, isOfNode, isRefusal } from '../report/eviction-cause-text.js';
import { evictionHint, type EvictionReport } from '../report/eviction-report.js';
import { fullRatio, isFull } from '../report/filesystem-report.js';
import type { ListedNodeReport } from '../report/node-report.js';
import { lastKnownText, type PodReport } from '../report/pod-report.js';
import { explainEviction, explainNode, explainPod } from '../report/verdict-commands.js';
import { referenceName } from '../report/workload-report.js';
import { areNodesUnseen } from './data-rules.js';
import { clusterRule, exporterRule, namesText, type RuleFacts, type Subjects } from './rule.js';

/** Pods and nodes that are about to be evicted or to evict, and disks that fill up. */
export const nextEvictionRules = {
  pod_above_limit: clusterRule({
    section: 'next-evictions',
    alerts: ['EphemeralStoragePodEvictionSoon'],
    applies: (facts) => podsInTrouble(facts, 'above', facts.cluster.summary.reachedLimitPodCount),
    sentence: ['pod above a limit', 'pods above a limit'],
    name: podName,
    timeMs: ({ timeToLimitMs }) => timeToLimitMs,
    commands: podCommands,
  }),
  pod_near_limit: clusterRule({
    section: 'next-evictions',
    alerts: ['EphemeralStorageNearLimit', 'EphemeralStoragePodEvictionSoon'],
    applies: (facts) => podsInTrouble(facts, 'near', facts.cluster.summary.nearLimitPodCount),
    sentence: ['pod near a limit', 'pods near a limit'],
    name: podName,
    timeMs: ({ timeToLimitMs }) => timeToLimitMs,
    commands: podCommands,
  }),
  node_below_threshold: clusterRule({
    isCritical: true,
    section: 'next-evictions',
    alerts: ['EphemeralStorageNodeEvicting'],
    applies: (facts) => nodesInTrouble(facts, 'pressedNodeCount', facts.cluster.nearNodes.items.filter(isBelow)),
    sentence: ['node below an eviction threshold', 'nodes below an eviction threshold'],
    name: nodeName,
    more: verdictText,
    commands: nodeCommands,
  }),
  /** Where it crosses no threshold that is known, the kubelet may have others. */
  node_under_pressure: clusterRule({
    isCritical: true,
    section: 'nodes',
    only: 'near',
    alerts: ['EphemeralStorageNodeEvicting'],
    applies: (facts) => nodesInTrouble(facts, 'refusingNodeCount', facts.cluster.nodes.items.filter(isRefusing)),
    sentence: ['node under DiskPressure', 'nodes under DiskPressure'],
    name: nodeName,
    timeMs: ({ pressure }) => pressure?.timeToEvictionMs,
    more: verdictText,
    commands: nodeCommands,
  }),
  node_near_threshold: clusterRule({
    section: 'next-evictions',
    alerts: ['EphemeralStorageNodeEvictionSoon', 'EphemeralStorageNodeDiskLow'],
    applies: (facts) => {
      const examples = facts.cluster.nearNodes.items.filter((node) => !isBelow(node) && !isRefusing(node));
      return nodesInTrouble(facts, 'nearPressureNodeCount', examples);
    },
    sentence: ['node close to an eviction threshold', 'nodes close to an eviction threshold'],
    name: nodeName,
    timeMs: ({ pressure }) => pressure?.timeToEvictionMs,
    more: verdictText,
    commands: nodeCommands,
  }),
  /** Their kubelets evict nobody for it. */
  node_without_space: clusterRule({
    isCritical: true,
    section: 'nodes',
    only: 'unenforced',
    alerts: ['EphemeralStorageNodeDiskLow'],
    applies: (facts) => nodesInTrouble(facts, 'noSpaceNodeCount', facts.cluster.nodes.items.filter(hasNoSpace)),
    sentence: [
      'node with a disk that fills up and no eviction threshold',
      'nodes with a disk that fills up and no eviction threshold',
    ],
    name: nodeName,
    more: verdictText,
    commands: nodeCommands,
  }),
  /** Those of which nothing worse is said. */
  node_full: clusterRule({
    section: 'nodes',
    applies: (facts) => {
      const others = facts.cluster.nodes.items.filter(({ condition: its }) => its === 'full' || its === 'unknown');
      const examples = others.filter((of) => isFull((of.state === 'absent' ? of.lastKnown : of)?.filesystems ?? []));
      return nodesInTrouble(facts, 'fullNodeCount', examples);
    },
    sentence: [`node at least ${fullRatio * 100} % full`, `nodes at least ${fullRatio * 100} % full`],
    name: (of) => nodeName(of),
    step: ({ examples: [first] }) =>
      isOfVirtualCluster(first)
        ? 'Writes fail when nothing is free: free space on the host. What fills it is not known in a virtual cluster.'
        : undefined,
    commands: (of) => (isOfVirtualCluster(of.examples[0]) ? [] : nodeCommands(of)),
  }),
};

export const evictionRules = {
  /** Within the last hour. Refusals at admission are not evictions of running pods. */
  pods_evicted: exporterRule({
    section: 'evictions',
    alerts: ['EphemeralStoragePodEvicted', 'EphemeralStorageNodeEvicting'],
    applies: ({ evictions }) => {
      const recent = evictions.filter((of) => !isRefusal(of) && of.ageMs < recentEvictionMs);
      const groups = largestGroups(recent, workloadOf);
      return groups.slice(0, 1).map((most) => ({ count: recent.length, groups, first: mostFrequent(most)[0] }));
    },
    isCritical: ({ groups }) => groups.some(isRepeated),
    sentence: ['pod evicted in the last hour', 'pods evicted in the last hour'],
    detail: ({ groups }) => namesText(groups.map(groupText)),
    step: ({ first }) => evictionHint(first),
    commands: ({ first }) => [isOfNode(first) ? explainNode(first.node) : explainEviction(first)],
  }),
};

const recentEvictionMs = 3_600_000;

/** Of one workload within an hour; as the critical EphemeralStoragePodEvicted. */
const repeatedCount = 3;

type EvictionGroup = readonly [EvictionReport, ...EvictionReport[]];

function isRepeated({ length, 0: { workloads } }: EvictionGroup): boolean {
  return workloads.length > 0 && length >= repeatedCount;
}

/** In each, the order stays. */
function largestGroups(
  evictions: readonly EvictionReport[],
  nameOf: (eviction: EvictionReport) => string,
): readonly EvictionGroup[] {
  return [...groupBy(evictions, nameOf).values()].sort((a, b) => b.length - a.length);
}

/** Those for the most frequent cause. */
function mostFrequent(group: EvictionGroup): EvictionGroup {
  return largestGroups(group, causeText)[0] ?? group;
}

/** The name of its workload, or of a pod without one. */
function workloadOf({ namespace, pod, workloads }: EvictionReport): string {
  const workload = mostSpecific(workloads);
  return workload === undefined ? `${namespace}/${pod}` : referenceName(workload);
}

function groupText(group: EvictionGroup): string {
  const same = mostFrequent(group);
  const cause = `${same.length < group.length ? 'mostly ' : ''}${causeText(same[0])}`;
  return `${group[0].workloads.length === 0 ? '' : `${formatCount(group.length)} of `}${workloadOf(group[0])} (${cause})`;
}

/** While all of them are last known for the API server, they are part of that problem. */
function podsInTrouble(
  { cluster, health }: Pick<RuleFacts, 'health'> & { readonly cluster: ClusterReport },
  kind: 'above' | 'near',
  count: number,
): readonly { readonly count: number; readonly examples: readonly PodReport[] }[] {
  if (areNodesUnseen({ cluster, health })) return [];
  return [{ count, examples: cluster.nearPods.items.filter(({ standing }) => standing === kind) }];
}

/** The same of nodes. */
function nodesInTrouble(
  { cluster, health }: Parameters<typeof podsInTrouble>[0],
  counted: `${'pressed' | 'refusing' | 'nearPressure' | 'noSpace' | 'full'}NodeCount`,
  examples: readonly ListedNodeReport[],
): readonly { readonly count: number; readonly examples: readonly ListedNodeReport[] }[] {
  return areNodesUnseen({ cluster, health }) ? [] : [{ count: cluster.summary[counted], examples }];
}

function podName(of: PodReport): string {
  return withAge(`${of.namespace}/${of.pod}`, of);
}

function nodeName(of: ListedNodeReport): string {
  return of.state === 'absent' ? withAge(of.node, { dataState: of.state, ...of.lastKnown }) : of.node;
}

function withAge(name: string, of: Parameters<typeof lastKnownText>[0]): string {
  const age = lastKnownText(of);
  return age === '' ? name : `${name} (${age})`;
}

function isBelow({ pressure }: ListedNodeReport): boolean {
  return (pressure?.headroom ?? 0) < 0;
}

function isRefusing({ condition }: ListedNodeReport): boolean {
  return condition === 'refusing';
}

function hasNoSpace({ condition }: ListedNodeReport): boolean {
  return condition === 'no_space';
}

function podCommands({ examples = [] }: Subjects<PodReport>): readonly string[] {
  return examples.slice(0, 1).map(({ namespace, pod }) => explainPod(namespace, pod));
}

/** What fills the disk of the first node. */
function verdictText({ count, examples: [first] = [] }: Subjects<ListedNodeReport>): string {
  if (first?.verdict === undefined) return '';
  const { text } = first.verdict;
  return count === 1 ? `: ${text}` : `. ${first.node}: ${text}`;
}

/** For the first node, that of its verdict where it has one. */
function nodeCommands({ examples = [] }: Subjects<ListedNodeReport>): readonly string[] {
  return examples.slice(0, 1).flatMap(({ node, verdict: { commands = [] } = {} }) => {
    return commands.length > 0 ? commands : [explainNode(node)];
  });
}

/** What fills the disk of its host is not known. */
function isOfVirtualCluster(node: ListedNodeReport | undefined): boolean {
  return node?.enforcement?.includes('virtual_cluster') === true;
}
