import { workloadPath } from '../../facts/workload/workload.js';
import { formatCount } from '../../lib/base/text.js';
import { formatAge, formatBytes } from '../../lib/base/units.js';
import { bytes, count, type Document, type DocumentPart, type Line, type Tone } from '../pens/document.js';
import type { WorkloadObject } from '../query/list-workloads.js';
import { absenceNames } from '../report/absence-hints.js';
import type { PodReport } from '../report/pod-report.js';
import type { WorkloadVerdictReport } from '../report/pod-verdict.js';
import { type OriginReport, shownName, workloadOf } from '../report/workload-report.js';
import {
  evictionSection,
  factList,
  namespaceLink,
  nodeLink,
  podLink,
  podSection,
  section,
  table,
  text,
} from './parts.js';

type ShownWorkload = WorkloadObject['workload'];

/** What the pods of a workload add up to, and which of them the sum lacks. */
export function workloadDocument({ workload, pods, missing, evictions }: WorkloadObject): Document {
  const { verdict } = workload;
  const query = { workload: workloadPath(workloadOf(workload)) };
  return {
    title: ['Workload', shownName(workload)],
    blocks: [
      { is: 'verdict', tone: tones[verdict.kind], lines: [verdict.text], commands: verdict.commands },
      facts(workload),
      missingPods(missing, workload, query),
      podSection(pods, {
        all: { path: ['pods'], query, shown: 'all pods of the workload' },
        isOfWorkload: true,
      }),
      containers(workload),
      evictionSection(evictions, {
        all: { path: ['evictions'], query, shown: 'all evictions of the workload' },
        none: 'No eviction of its pods is remembered.',
      }),
    ],
  };
}

/** Nothing has the colour of health here: what a workload uses is no state. */
const tones: Readonly<Record<WorkloadVerdictReport['kind'], Tone>> = {
  near: 'warning',
  incomplete: 'warning',
  complete: 'unknown',
  empty: 'unknown',
};

function facts(workload: ShownWorkload): DocumentPart {
  const { podMaxUsedBytes, limitBytes, requestBytes, backoffMs, isComplete } = workload;
  const { measuredPodCount, expectedPodCount, workloadType, workloadNamespace: namespace, origin } = workload;
  return factList({
    Used: usedLine(workload),
    'Largest pod': bytes(podMaxUsedBytes),
    'Pods measured': [
      count(measuredPodCount),
      ' of ',
      count(expectedPodCount),
      ...(isComplete ? [] : [': ', { word: 'incomplete' } as const]),
    ],
    'Sum of pod limits': bytes(limitBytes),
    'Sum of requests': bytes(requestBytes),
    Type: workloadType,
    Namespace: namespace === '' ? 'any' : namespaceLink(namespace),
    'Which pods': origin && originText(origin),
    Collected: backoffMs > 0 ? `again in ${formatAge(backoffMs)}` : undefined,
  });
}

/** To the byte: it is the exposed value. */
function usedLine({ usedBytes, isComplete, expectedPodCount }: ShownWorkload): Line {
  if (usedBytes === undefined)
    return `-, ${expectedPodCount === 0 ? 'none of its pods is expected' : 'it could not be collected'}`;
  const exact = { text: ` (${formatCount(usedBytes)} bytes as exposed)`, isMuted: true };
  return [isComplete ? '' : 'at least ', bytes(usedBytes), exact];
}

function originText(origin: OriginReport): string {
  switch (origin.source) {
    case 'configured': {
      const { selector, namespaces } = origin;
      const where = namespaces.length === 0 ? 'all namespaces' : `the namespaces ${namespaces.join(', ')}`;
      return `configured: ${selector === '' ? 'every pod' : `pods with ${selector}`} in ${where}`;
    }
    case 'labels': {
      const labels = Object.entries(origin.labels).map(([key, value]) => `${key}=${value}`);
      return `found by labels: pods with ${labels.join(',')}`;
    }
    case 'controller':
      return controllerText(origin.kind);
  }
}

/** The kinds of pods without a controller are those that stand in for one: see `controllerOf`. */
function controllerText(kind: string): string {
  if (kind === 'Pod') return 'a bare pod, without a controller';
  return kind === 'Node' ? 'a static pod of a node' : `those of the ${kind}`;
}

/** Without any, all is measured, unless the workload is incomplete for another reason. */
function missingPods(
  { items, totalCount }: WorkloadObject['missing'],
  { isComplete }: ShownWorkload,
  query: Readonly<Record<string, string>>,
): DocumentPart {
  const lines = items.map((pod): Line => [
    podLink(pod),
    ...(pod.node === undefined ? [] : [' on ', nodeLink(pod.node)]),
    `: ${lackOf(pod)}`,
  ]);
  return section(
    {
      id: 'missing',
      title: 'Pods that are not measured',
      note: { path: ['pods'], query: { ...query, only: 'unknown' }, shown: 'all of them' },
    },
    items.length === 0
      ? [text(isComplete ? 'None: each of its pods is measured.' : 'None is known.')]
      : [{ is: 'list', items: lines, totalCount, what: 'pods' }],
  );
}

function lackOf(pod: PodReport): string {
  if (pod.state === 'unmeasured') return pod.reason;
  if (pod.dataState !== 'absent') return `its volumes are not measured: at least ${formatBytes(pod.usedBytes)}`;
  const { absenceReason = 'never', dataAgeMs, usedBytes } = pod;
  return `its node has no data (${absenceNames[absenceReason]}); last known ${formatAge(dataAgeMs)} ago: ${formatBytes(usedBytes)}`;
}

function containers({ containers: of = [] }: ShownWorkload): DocumentPart {
  return section({ id: 'containers', title: 'Containers' }, [
    of.length === 0
      ? text('No containers are measured.')
      : table(
          { caption: 'Used by container' },
          [
            { title: 'Container', minWidth: 9, cell: ({ container }) => container },
            { title: 'Bytes', isNumber: true, rank: 2, cell: ({ usedBytes }) => count(usedBytes) },
            { title: 'In all pods', isNumber: true, cell: ({ usedBytes }) => bytes(usedBytes) },
            { title: 'Largest', isNumber: true, rank: 1, cell: ({ maxUsedBytes }) => bytes(maxUsedBytes) },
          ],
          of,
        ),
  ]);
}
