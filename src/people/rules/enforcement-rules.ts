import { countedText, programName } from '../../lib/base/text.js';
import { formatTime } from '../../lib/base/units.js';
import type { EnforcementKind } from '../report/enforcement-report.js';
import { explainPod, kubeletLog } from '../report/verdict-commands.js';
import { clusterRule, type Rule } from './rule.js';

const notEnforced = ['EphemeralStorageLimitsNotEnforced'];

/**
 * What does not protect although it seems to, a warning at most: nobody is evicted. What is no fault of a node, such as a dedicated image
 * filesystem, is no problem: marks and findings show it.
 */
export const enforcementRules = {
  isolation_disabled: enforcementRule(
    'isolation_disabled',
    ['node whose kubelet enforces no limits', 'nodes whose kubelets enforce no limits'],
    'Set localStorageCapacityIsolation: true in the configuration of the kubelet.',
    { alerts: notEnforced },
  ),
  rootfs_not_measured: enforcementRule(
    'rootfs_not_measured',
    ['node where limits do not see writable layers', 'nodes where limits do not see writable layers'],
    'The container runtime reports no size of them, as with remote snapshotters: have containers write to emptyDirs with a sizeLimit.',
    { alerts: notEnforced },
  ),
  threshold_unset: enforcementRule(
    'threshold_unset',
    ['node without an eviction threshold for a disk', 'nodes without an eviction threshold for a disk'],
    (signals) => `Set ${signals} in evictionHard of the kubelet: what it leaves out has no threshold.`,
    { alerts: ['EphemeralStorageNodeThresholdUnset'] },
  ),
  threshold_refuted: enforcementRule(
    'threshold_refuted',
    [
      'node with other eviction thresholds than the defaults of Kubernetes',
      'nodes with other eviction thresholds than the defaults of Kubernetes',
    ],
    (signals) =>
      `Less than the default threshold of ${signals}, and DiskPressure is false. Set kubelet.readConfig: true to read the thresholds.`,
  ),
  capacity_differs: enforcementRule(
    'capacity_differs',
    ['node whose capacity is not that of its disk', 'nodes whose capacity is not that of their disks'],
    'The scheduler goes by the capacity of the Node object. Check the root directory of the kubelet (--root-dir) and restart it.',
  ),
  statistics_frozen: enforcementRule(
    'statistics_frozen',
    ['node whose kubelet reports old values', 'nodes whose kubelets report old values'],
    'The kubelet answers, and does not measure: a mount may hang. It evicts nobody for a disk that it does not measure. Check its log and mounts, and restart it.',
    { alerts: ['EphemeralStorageNodeAbsent'], command: kubeletLog },
  ),
  free_space_unknown: enforcementRule(
    'free_space_unknown',
    ['node whose kubelet does not report what is free', 'nodes whose kubelets do not report what is free'],
    'Its values are missing or cannot be right, such as a capacity of 0: whether pods are about to be evicted is not known. Check the log of the kubelet and df on the node.',
  ),
  unenforced_limit_exceeded: clusterRule({
    section: 'pods',
    only: 'unenforced',
    alerts: notEnforced,
    applies: ({ cluster: { summary, unenforcedReachedPods: examples } }) => [
      { count: summary.unenforcedReachedPodCount, examples },
    ],
    sentence: ['pod above a limit that does not evict it', 'pods above a limit that does not evict them'],
    step: 'Static and critical pods are never evicted.',
    commands: () => [`${programName} top pods -A --sort-by ratio`],
  }),
  memory_volume_full: clusterRule({
    section: 'findings',
    alerts: notEnforced,
    applies: ({ cluster }) =>
      cluster.findings
        .filter(({ kind }) => kind === 'memory_volume_full')
        .map(({ findingCount, items }) => ({ count: findingCount, examples: items })),
    sentence: ({ count }) =>
      `${countedText(count, ['emptyDir in memory is full', 'emptyDirs in memory are full'])}: writes fail`,
    name: ({ namespace, pod, volume = '' }) => `${namespace}/${pod} (${volume})`,
    commands: ({ examples }) => examples.slice(0, 1).map(({ namespace, pod }) => explainPod(namespace, pod)),
  }),
};

/** Of nodes. `hint`: for the signals that it is about, where it is about signals. */
function enforcementRule(
  kind: EnforcementKind,
  sentence: readonly [one: string, many: string],
  hint: string | ((signals: string) => string),
  {
    alerts = [],
    command,
  }: { readonly alerts?: readonly string[]; readonly command?: (nodeName: string) => string } = {},
): Rule {
  return clusterRule({
    section: 'nodes',
    only: 'unenforced',
    alerts,
    applies: ({ cluster }) =>
      cluster.enforcement
        .filter((of) => of.kind === kind)
        .map((of) => ({ ...of, count: of.nodeCount, examples: of.exampleNodes.map((node) => ({ node })) })),
    sentence,
    more: ({ frozenSinceMs }) => (frozenSinceMs === undefined ? '' : `, since ${formatTime(frozenSinceMs)}`),
    commands: ({ exampleNodes }) => (command === undefined ? [] : exampleNodes.slice(0, 1).map(command)),
    step: ({ signals = [] }) => (typeof hint === 'string' ? hint : hint(signals.join(', '))),
  });
}
