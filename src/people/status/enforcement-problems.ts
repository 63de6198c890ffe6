import { countedText, programName } from '../../lib/base/text.js';
import { formatTime } from '../../lib/base/units.js';
import type { ClusterReport } from '../report/cluster-report.js';
import type { EnforcementKind, EnforcementReport } from '../report/enforcement-report.js';
import { aboutOne, namesText } from './problem-texts.js';
import type { Problem } from './status.js';

type Words = readonly [one: string, many: string];

/** What is no fault of a node, such as a dedicated image filesystem, is no problem: marks and findings show it. */
const nodeTexts: Readonly<
  Partial<Record<EnforcementKind, { readonly words: Words; readonly hint: (signals: string) => string }>>
> = {
  isolation_disabled: {
    words: ['node whose kubelet enforces no limits', 'nodes whose kubelets enforce no limits'],
    hint: () => 'Set localStorageCapacityIsolation: true in the configuration of the kubelet.',
  },
  rootfs_not_measured: {
    words: ['node where limits do not see writable layers', 'nodes where limits do not see writable layers'],
    hint: () =>
      'The container runtime reports no size of them, as with remote snapshotters: have containers write to emptyDirs with a sizeLimit.',
  },
  threshold_unset: {
    words: ['node without an eviction threshold for a disk', 'nodes without an eviction threshold for a disk'],
    hint: (signals) => `Set ${signals} in evictionHard of the kubelet: what it leaves out has no threshold.`,
  },
  threshold_refuted: {
    words: [
      'node with other eviction thresholds than the defaults of Kubernetes',
      'nodes with other eviction thresholds than the defaults of Kubernetes',
    ],
    hint: (signals) =>
      `Less than the default threshold of ${signals}, and DiskPressure is false. Set kubelet.readConfig: true to read the thresholds.`,
  },
  capacity_differs: {
    words: ['node whose capacity is not that of its disk', 'nodes whose capacity is not that of their disks'],
    hint: () =>
      'The scheduler goes by the capacity of the Node object. Check the root directory of the kubelet (--root-dir) and restart it.',
  },
  statistics_frozen: {
    words: ['node whose kubelet reports old values', 'nodes whose kubelets report old values'],
    hint: () =>
      'The kubelet answers, and does not measure: a mount may hang. It evicts nobody for a disk that it does not measure. Check its log and mounts, and restart it.',
  },
  free_space_unknown: {
    words: ['node whose kubelet does not report what is free', 'nodes whose kubelets do not report what is free'],
    hint: () =>
      'Its values are missing or cannot be right, such as a capacity of 0: whether pods are about to be evicted is not known. Check the log of the kubelet and df on the node.',
  },
};

/** What does not protect although it seems to, and emptyDirs in memory that are full. */
export function enforcementProblems({ enforcement, findings, summary }: ClusterReport): readonly Problem[] {
  return [...enforcement.flatMap(nodeProblem), ...exceededProblem(summary), ...findings.flatMap(fullProblem)];
}

function nodeProblem({
  kind,
  nodeCount,
  exampleNodes,
  signals = [],
  frozenSinceMs,
}: EnforcementReport): readonly Problem[] {
  const known = nodeTexts[kind];
  if (known === undefined) return [];
  const { words } = known;
  const hint = known.hint(signals.join(', '));
  const since = frozenSinceMs === undefined ? '' : `, since ${formatTime(frozenSinceMs)}`;
  const detail = `${namesText(exampleNodes, nodeCount)}${since}`;
  const about = aboutOne(
    exampleNodes.map((node) => ({ node })),
    nodeCount,
  );
  const text = countedText(nodeCount, words);
  return [{ severity: 'warning', text, detail, hint, section: 'nodes', only: 'unenforced', ...about }];
}

/** A warning at most: nobody is evicted. */
function exceededProblem({ unenforcedReachedPodCount }: ClusterReport['summary']): readonly Problem[] {
  const text = countedText(unenforcedReachedPodCount, [
    'pod above a limit that does not evict it',
    'pods above a limit that does not evict them',
  ]);
  if (text === '') return [];
  const hint = `${programName} top pods -A --sort-by ratio names them: static and critical pods are never evicted.`;
  return [{ severity: 'warning', text, hint, section: 'pods', only: 'unenforced' }];
}

function fullProblem({ kind, findingCount, items }: ClusterReport['findings'][number]): readonly Problem[] {
  if (kind !== 'memory_volume_full') return [];
  const [first] = items;
  const names = items.map(({ namespace, pod, volume }) => `${namespace}/${pod} (${volume ?? ''})`);
  return [
    {
      severity: 'warning',
      text: `${countedText(findingCount, ['emptyDir in memory is full', 'emptyDirs in memory are full'])}: writes fail`,
      detail: namesText(names, findingCount),
      hint: `${programName} explain pod ${first?.namespace ?? ''}/${first?.pod ?? ''} shows its size and limits.`,
      section: 'findings',
      ...aboutOne(
        items.map(({ namespace, pod }) => ({ namespace, pod })),
        findingCount,
      ),
    },
  ];
}
