import { groupBy } from '../../lib/base/maps.js';
import { countedText, formatCount } from '../../lib/base/text.js';
import type { GapReport } from '../report/lack-report.js';
import { explainWorkload } from '../report/verdict-commands.js';
import { referenceName } from '../report/workload-report.js';
import { affectedText, arePodsUnseen } from './data-rules.js';
import { clusterRule, joinParts, namesText, type Rule, type RuleFacts, type RuleOf, type Subjects } from './rule.js';

/** What lacks values although its nodes have data. */
export const gapRules = {
  pod_missing: gapRule('missing', {
    sentence: ['pod missing from the summary of its node', 'pods missing from the summaries of their nodes'],
    step: "A pod that `kubectl get pod` does not show was deleted: the exporter reads its list again within ten minutes. For others, check the kubelet's log: a summary has pods a minute after their start.",
  }),
  pod_without_total: gapRule('no_total', {
    sentence: ['pod without usage in the summary of its node', 'pods without usage in the summaries of their nodes'],
    step: "Check the kubelet's log, and whether the container runtime reports statistics.",
  }),
  volumes_pending: gapRule('volumes_pending', {
    alerts: ['EphemeralStorageVolumeStatsOld'],
    sentence: ({ count }) => `volumes of ${countedText(count, ['pod', 'pods'])} not measured`,
    effect: 'totals or ratios are too low',
    step: 'A kubelet measures volumes within two minutes of its start. If it takes longer, check its log and the disk.',
  }),
  workload_incomplete: clusterRule({
    section: 'workloads',
    alerts: ['EphemeralStorageWorkloadIncomplete'],
    applies: ({ cluster }) =>
      cluster.gaps
        .filter(({ kind }) => kind === 'other')
        .map((gap) => ({ count: gap.incompleteWorkloadCount, names: gap.exampleWorkloads.map(referenceName) })),
    sentence: ['incomplete workload', 'incomplete workloads'],
    detail: ({ names, count }) => namesText(names, count),
    commands: ({ names: [first = ''] }) => [explainWorkload(first)],
  }),
};

/** Of pods. Those that summaries lack while changes of pods are not seen are part of that problem. `effect`: beside incomplete workloads. */
function gapRule(
  kind: GapReport['kind'],
  {
    effect = '',
    ...of
  }: Pick<RuleOf<Subjects, RuleFacts>, 'alerts' | 'sentence' | 'step'> & {
    readonly effect?: string;
  },
): Rule {
  return clusterRule({
    section: 'pods',
    only: 'unknown',
    applies: ({ cluster, health }) =>
      cluster.gaps
        .filter((gap) => gap.kind === kind && !(kind === 'missing' && arePodsUnseen(health)))
        .map((gap) => ({ count: gap.podCount, examples: gap.examplePods, gap })),
    detail: ({ gap }) => joinParts(podsText(gap), effect, affectedText(gap)),
    ...of,
  });
}

/** By their nodes: `shop/a, shop/b on node-1`. */
function podsText({ examplePods, podCount }: GapReport): string {
  const moreCount = podCount - examplePods.length;
  const places = Array.from(
    groupBy(examplePods, ({ node }) => node),
    ([node, pods]) => {
      const names = pods.map(({ namespace, pod }) => `${namespace}/${pod}`).join(', ');
      return node === undefined ? names : `${names} on ${node}`;
    },
  );
  return `${places.join(', ')}${moreCount > 0 ? ` and ${formatCount(moreCount)} more` : ''}`;
}
