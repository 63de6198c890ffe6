import { type FigureGroup, figureGroup, type FigureRule, type FigureSettings } from './figure-sources.js';
import { bindingRatio, memoryNote, nearPods, reachedPods } from './limit-expressions.js';
import {
  containerFigures,
  evictionFigures,
  type ListFigures,
  namespaceFigures,
  podFigures,
  volumeFigures,
  workloadFigures,
} from './list-figures.js';
import { belowRule, closeRule, counted, fullestOfAny, nodeFigures, pressureRule } from './node-figures.js';
import { equals } from './promql.js';
import { shownRatio } from './ranked-pods.js';
import { everything, seriesFilter, type SeriesQuestion } from './series-filter.js';

const figuresOf = {
  pods: () => podFigures,
  containers: () => containerFigures,
  volumes: () => volumeFigures,
  workloads: () => workloadFigures,
  namespaces: namespaceFigures,
  nodes: () => nodeFigures,
  evictions: evictionFigures,
} as const satisfies Readonly<Record<string, (window: string) => ListFigures>>;

export type FigureList = keyof typeof figuresOf;

/** Returns where the figures of a list come from, with its filters. `title`: where it is not alone on its page. */
export function listFigures(
  kind: FigureList,
  question: SeriesQuestion,
  { exposed, retentionMs }: FigureSettings,
  title?: string,
): FigureGroup {
  const { rules, labels, notes } = figuresOf[kind](windowOf(retentionMs));
  return figureGroup(rules, seriesFilter(question, labels), exposed, { title, ...(notes && { notes }) });
}

const unfiltered: SeriesQuestion = { search: [], selector: [] };

/** Of the page of a namespace. `question`: of the list of its pods. */
export function namespacePageFigures(
  namespace: string,
  question: SeriesQuestion,
  settings: FigureSettings,
): readonly FigureGroup[] {
  const { rules } = namespaceFigures(windowOf(settings.retentionMs));
  const ofIt = { ...everything, matchers: [equals('namespace', namespace)] };
  return [
    figureGroup(rules, ofIt, settings.exposed, { title: 'Namespace' }),
    listFigures('workloads', { ...unfiltered, namespace }, settings, 'Largest workloads'),
    listFigures('pods', question, settings, 'Pods'),
  ];
}

/** Of the overview: its tiles, and its other parts. */
export function overviewFigures({ exposed, retentionMs, ttlMs }: FigureSettings): readonly FigureGroup[] {
  const [ofTime] = evictionFigures(windowOf(retentionMs)).rules;
  const recent = ofTime === undefined ? [] : [{ ...ofTime, name: 'Recent evictions' }];
  return [
    figureGroup(tileRules(ttlMs), everything, exposed, { title: 'Tiles' }),
    figureGroup([...partRules, ...recent], everything, exposed, { title: 'Lists', notes: podFigures.notes ?? [] }),
  ];
}

function tileRules(ttlMs: number): readonly FigureRule[] {
  return [
    belowRule,
    closeRule,
    {
      name: 'Pods at or above a limit',
      text: `Pods with used ÷ limit of 1 or more, of a limit that evicts them. ${memoryNote}`,
      queries: [(series) => counted(reachedPods(series))],
    },
    {
      name: 'Pods near a limit',
      text: `The other pods with used ÷ limit of 0.8 or more, and those that reach a limit within 10 min. ${memoryNote}`,
      queries: [(series) => counted(nearPods(series))],
    },
    {
      name: 'Used by pods',
      text: 'Sum of the totals of all measured pods.',
      queries: [({ of }) => `sum(${of('pod_used_bytes')}) or vector(0)`],
    },
    {
      name: 'Nodes with fresh data',
      text: 'Nodes whose data was younger than cache.ttl when it was scraped, of all but those that are skipped.',
      queries: [
        ({ of }) => {
          const fetched = of('node_data_timestamp_seconds');
          return counted(`timestamp(${fetched}) - ${fetched} < ${ttlMs / 1_000}`);
        },
        ({ of }) => counted(of('node_data_available')),
      ],
    },
    {
      name: 'Running pods measured',
      text: 'Pods that are measured; and pods that have been running for a minute and are not in the summary of their node. Those of nodes without data have no series.',
      queries: [({ of }) => counted(of('pod_used_bytes')), ({ of }) => `sum(${of('node_pods_missing')}) or vector(0)`],
    },
  ];
}

const partRules: readonly FigureRule[] = [
  {
    name: 'For their own limits',
    text: `Used ÷ limit of pods from half of a limit on, the highest of each; and the time until one is reached. ${memoryNote}`,
    queries: [(series) => `${bindingRatio(series)} >= ${shownRatio}`, ({ of }) => of('pod_time_to_limit_seconds')],
  },
  pressureRule,
  {
    name: 'Nodes',
    text: '1 - free ÷ capacity in bytes or inodes, of the filesystem where that is highest.',
    queries: [fullestOfAny],
  },
];

const hourMs = 3_600_000;

/** A duration of PromQL. */
function windowOf(durationMs: number): string {
  return durationMs % hourMs === 0 ? `${durationMs / hourMs}h` : `${Math.ceil(durationMs / 1_000)}s`;
}
