import { countedText, formatCount, numberText } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import { type Kind, partTable } from '../kinds/kind.js';
import { nextKind, type NextRow, nextRows } from '../kinds/next-kind.js';
import type { Block, Document, DocumentPart, Line, Piece } from '../pens/document.js';
import type { ClusterReport, ClusterSummary } from '../query/cluster-report.js';
import type { Status } from '../query/status.js';
import { causeText } from '../report/eviction-cause-text.js';
import type { EvictionReport, ShownEviction } from '../report/eviction-report.js';
import type { FindingKindReport, RankedFindingReport } from '../report/finding-report.js';
import { figures, nodeGridPart, statusTone } from './figures.js';
import { evictionLink, findingBlocks, nodeLink, podLink, section, text } from './parts.js';
import { problemPart } from './problem-document.js';

/** The others are on their own page. */
const shownProblemCount = 3;

/**
 * All that matters: problems, figures, what is evicted next, all nodes, what was evicted, and settings of pods that make it
 * likelier. `evictions`: all that are remembered; the status has the newest of them.
 */
export function overviewDocument(status: Status, evictions: readonly EvictionReport[]): Document {
  const { cluster, problems } = status;
  return {
    title: ['Overview', ''],
    blocks: [
      problems.length === 0 ? wellPart(status) : problemPart(problems.slice(0, shownProblemCount), problems.length),
      ...readinessPart(status),
      ...(cluster === undefined
        ? [evictionPart(status)]
        : [
            figures(status, cluster, evictions),
            nextEvictions(cluster),
            nodeGridPart(cluster.grid),
            evictionPart(status),
            findings(cluster),
          ]),
    ],
  };
}

/** With many namespaces, all checks may fail for the same reason. */
const shownCheckCount = 5;

/** Checks that fail once all is listed: before that, they are the problem. */
function readinessPart({ readinessChecks, notListed }: Status): readonly DocumentPart[] {
  const failing = notListed === undefined ? readinessChecks.filter(({ isOk }) => !isOk) : [];
  if (failing.length === 0) return [];
  const items = failing.slice(0, shownCheckCount).map(({ name, message = 'failing' }) => `${name}: ${message}`);
  return [
    section(
      { id: 'readiness', title: 'Not ready', note: { path: ['exporter'], section: 'readiness', shown: 'all checks' } },
      [{ is: 'list', items, totalCount: failing.length, what: 'failing checks' }],
    ),
  ];
}

function wellPart(status: Status): DocumentPart {
  const tone = statusTone(status);
  const title = tone === 'unknown' ? 'No known problems' : 'No problems';
  const known = status.cluster === undefined ? '' : `: ${wellText(status.cluster)}`;
  return { is: 'verdict', tone, lines: [`${title}${known}.`], commands: [] };
}

function wellText({ summary }: ClusterReport): string {
  const { freshNodeCount, absentNodeCount, podCount, limitedPodCount, unenforcedPodCount, unknownLimitPodCount } =
    summary;
  const isUnlimited = limitedPodCount + unenforcedPodCount + unknownLimitPodCount === 0 && podCount > 0; // of pods that were read
  const silent = absentNodeCount === 0 ? '' : ` (${formatCount(absentNodeCount)} not responded yet)`;
  const pods = numberText(podCount, ['pod', 'pods']);
  const nodes = numberText(freshNodeCount, ['node', 'nodes']);
  return [
    `${nodes} with fresh data${silent}`,
    `${pods} measured`,
    ...(isUnlimited ? ['no limits are declared'] : []),
    ...(limitedPodCount === 0
      ? []
      : [`none of ${countedText(limitedPodCount, ['pod', 'pods'])} with limits is near one`]),
    ...(unenforcedPodCount === 0
      ? []
      : [`${countedText(unenforcedPodCount, ['pod', 'pods'])} with a limit that is not enforced`]),
    ...(unknownLimitPodCount === 0
      ? []
      : [`usage of ${countedText(unknownLimitPodCount, ['pod', 'pods'])} with limits not known`]),
  ].join(', ');
}

/** The others, and why nodes were short, are in the list. */
const shownEvictionCount = 3;

function evictionPart(status: Status): DocumentPart {
  const { evictions, notListed } = status;
  const { items, totalCount, refusedCount } = evictions;
  const refused = `Besides, ${countedText(refusedCount, ['pod was', 'pods were'])} refused: their node was under disk pressure.`;
  const none = [
    text(notListed ?? 'No eviction of a running pod for local storage was seen.'),
    ...(notListed === undefined ? [text(knownSince(status))] : []),
  ];
  const shown = items.slice(0, shownEvictionCount).map(evictionItem);
  return section(
    { id: 'evictions', title: 'Recent evictions', note: { path: ['evictions'], shown: 'all evictions' } },
    [
      ...(items.length === 0 ? none : [{ is: 'list', items: shown, totalCount, what: 'evictions' } satisfies Block]),
      ...(refusedCount === 0 ? [] : [text(refused)]),
    ],
  );
}

function evictionItem(of: ShownEviction): Line {
  return [evictionLink(of), ` ${formatAge(of.ageMs)} ago `, podLink(of), `: ${causeText(of)}`];
}

/** The newest ones. */
const shownGapCount = 3;

/** A night without evictions looks like one before which the exporter was not there. Before the first lists, later ones may be missing. */
export function knownSince({ health, notListed }: Pick<Status, 'health' | 'notListed'>): Line {
  const { evictionsSinceMs, evictionGaps: gaps } = health;
  if (notListed !== undefined) return { text: notListed, tone: 'warning' };
  const since = ['Evictions are known since ', { atMs: evictionsSinceMs }, '.'];
  if (gaps.length === 0) return since;
  const moreCount = gaps.length - shownGapCount;
  const more = moreCount > 0 ? [` and ${countedText(moreCount, ['time', 'times'])} before,`] : [];
  const shown = gaps
    .slice(-shownGapCount)
    .flatMap(({ fromMs, untilMs }): readonly Piece[] => [' from ', { atMs: fromMs }, ' to ', { atMs: untilMs }, ',']);
  const warning = { text: ' and evictions of that time may be missing.', tone: 'warning' } as const;
  return [...since, { text: ' Pods were not watched', tone: 'warning' }, ...shown, ...more, warning];
}

/** Settings of pods that make their eviction likelier, or that have no effect, by kind. */
function findings({ findings: kinds, summary }: ClusterReport): DocumentPart {
  const none = text(summary.podCount === 0 ? 'No pods are measured yet.' : 'Nothing was found.');
  const silent = countedText(summary.absentNodeCount, ['node', 'nodes']);
  return section(
    {
      id: 'findings',
      title: 'Warnings',
      note: 'what makes evictions of pods likelier, or has no effect',
      detail: 'open',
    },
    [
      ...(kinds.length === 0 ? [none] : kinds.flatMap(findingsOfKind)),
      ...(silent === '' ? [] : [text(`Of ${silent} without data: by the last values and the specs of the pods.`)]),
    ],
  );
}

function findingsOfKind({ kind, items, totalCount }: FindingKindReport): readonly Block[] {
  const fix = items[0]?.fix ?? '';
  return findingBlocks({ kind, fix }, items.map(findingItem), { totalCount, what: 'workloads or bare pods with it' });
}

function findingItem({ namespace, pod, node, podCount, what }: RankedFindingReport): Line {
  const others = podCount === 1 ? '' : `, ${countedText(podCount - 1, ['more pod', 'more pods'])} of its controller`;
  const on = node === undefined ? [] : [' on ', nodeLink(node)];
  return [podLink({ namespace, pod }), ...on, `${others}: ${what}`];
}

/** The others are in the lists. */
const shownPodCount = 4;
const shownNodeCount = 3;

/** What kubelets may do next: evict the pods that are near a limit of theirs, and pods of the nodes that are near a threshold. */
function nextEvictions({ nearPods, nearNodes, summary }: ClusterReport): DocumentPart {
  const pods = nearPods.items.slice(0, shownPodCount);
  const nodes = nearNodes.items.slice(0, shownNodeCount);
  const items = nextRows(pods, nodes);
  const totalCount = nearPods.totalCount + nearNodes.totalCount;
  const others = [
    ...(nearPods.totalCount > pods.length ? ['pods'] : []),
    ...(nearNodes.totalCount > nodes.length ? ['nodes'] : []),
  ];
  return section(
    {
      id: 'next-evictions',
      title: 'Next to be evicted',
      note: { path: ['pods'], query: { only: 'near' }, shown: 'all pods near a limit' },
    },
    [
      ...(items.length === 0
        ? [text(calmText(summary))]
        : partTable({ ...nextInBrief, what: others.join(' and ') }, { items, totalCount }, [
            'Who',
            'In',
            'Why',
            'Left',
            'State',
          ])),
      ...unknownTexts(summary).map(text),
    ],
  );
}

const nextInBrief: Kind<NextRow> = {
  ...nextKind,
  nameColumn: 'Who',
  columns: [
    {
      title: 'Who',
      minWidth: 20,
      cell: (row) => (row.kind === 'pod' ? `${row.pod.namespace}/${row.pod.pod}` : `node ${row.node.node}`),
    },
    ...nextKind.columns,
  ],
};

function calmText(summary: ClusterSummary): string {
  const { podCount, limitedPodCount, unenforcedPodCount, pendingPodCount, unknownLimitPodCount } = summary;
  const isUnlimited = limitedPodCount + unenforcedPodCount + pendingPodCount + unknownLimitPodCount === 0;
  if (podCount === 0) return 'No pods are measured yet.';
  const limits = isUnlimited
    ? 'No measured pod declares an ephemeral storage limit'
    : 'No measured pod is near a limit';
  return `${limits}, and no measured node is near an eviction threshold.`;
}

function unknownTexts(summary: ClusterSummary): readonly string[] {
  const pods = countedText(summary.unknownLimitPodCount, ['pod', 'pods']);
  const nodes = countedText(summary.absentNodeCount + summary.unknownPressureNodeCount, ['node', 'nodes']);
  const unknown = [
    ...(pods === '' ? [] : [`the usage of ${pods} with limits`]),
    ...(nodes === '' ? [] : [`how close ${nodes} ${nodes.startsWith('1 ') ? 'is' : 'are'} to a threshold`]),
  ];
  return unknown.length === 0 ? [] : [`Unknown: ${unknown.join(', and ')}.`];
}
