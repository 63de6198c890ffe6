import { countedText } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import { bytes, count, type DocumentPart, type Line } from '../pens/document.js';
import type { MeasuredShownNode, ShownNode } from '../query/node-explanation.js';
import { absenceNames } from '../report/absence-hints.js';
import { conditionMarks } from '../report/node-condition.js';
import type { ListedNodeReport } from '../report/node-report.js';

const layoutTexts: Readonly<Record<NonNullable<MeasuredShownNode['layout']>, string>> = {
  shared: 'images, writable layers, logs and volumes share one filesystem',
  dedicated: 'images and writable layers on imagefs, logs and volumes on nodefs',
  split: 'images on imagefs; writable layers, logs and volumes on nodefs',
};

export function nodeFacts(node: ShownNode): DocumentPart {
  const { kubeletVersion, operatingSystem, ready, readyChangedAtMs, allocatableBytes, failure, layout } = node;
  return {
    is: 'facts',
    facts: {
      State: stateLine(node),
      Kubelet: `${kubeletVersion ?? 'unknown version'}${operatingSystem === undefined ? '' : ` on ${operatingSystem}`}`,
      Ready: [flagText(ready), ...(readyChangedAtMs === undefined ? [] : [' since ', { atMs: readyChangedAtMs }])],
      DiskPressure: pressureText(node),
      'Disk layout': layout === undefined ? undefined : layoutTexts[layout],
      Allocatable: allocatableBytes === undefined ? undefined : bytes(allocatableBytes),
      'Pods measured': podsLine(node),
      // That of a node without data is in the verdict.
      'Last request':
        failure === undefined || node.state === 'absent'
          ? undefined
          : [{ text: `failed ${formatAge(failure.ageMs)} ago`, tone: 'warning' }, `: ${failure.message}`],
    },
  };
}

function stateLine(node: ListedNodeReport): Line {
  const { condition } = node;
  const { severity: tone, text } = conditionMarks[condition];
  if (node.state === 'absent')
    return { text: condition === 'silent' ? `no data: ${absenceNames[node.reason]}` : text, tone };
  const age = `data ${node.state}, ${formatAge(node.dataAgeMs)} old`;
  if (condition === 'ok') return age;
  return condition === 'stale' ? { text: age, tone } : [{ text, tone }, `; ${age}`];
}

function flagText(flag: boolean | undefined): string {
  return flag === undefined ? 'unknown' : String(flag);
}

/** The condition outlasts the shortage. */
function pressureText({ diskPressure, signals, verdict, pressure }: ShownNode): Line {
  if (diskPressure !== true) return flagText(diskPressure);
  const isCrossed = signals.some((signal) => signal.isCrossed || signal.soft?.isCrossed === true);
  const isKnown = verdict?.kind === 'no_space' || pressure?.headroom !== undefined;
  const text = isCrossed
    ? 'the kubelet evicts, and refuses new pods'
    : isKnown
      ? 'no threshold that is known is crossed: the kubelet refuses new pods until evictionPressureTransitionPeriod after the shortage is over'
      : 'the kubelet refuses new pods, and may be evicting: its headroom is not known';
  return [{ text: 'true', tone: 'warning' }, `: ${text}`];
}

function podsLine(node: ShownNode): Line {
  const measured = [count(node.measuredPodCount), ' of ', count(node.expectedPodCount)];
  if (node.state === 'absent') return measured;
  const { missingPodCount, danglingPodCount, pendingPodCount, podsUsedBytes, otherPodCount, otherPodsUsedBytes } = node;
  const lacks = [
    ...(missingPodCount > 0 ? [`${missingPodCount} missing from the summary`] : []),
    ...(danglingPodCount > 0 ? [`${danglingPodCount} unknown to the API server`] : []),
    ...(pendingPodCount > 0 ? [`volumes of ${pendingPodCount} not measured`] : []),
  ];
  const others = countedText(otherPodCount, ['other pod', 'other pods']);
  return [
    ...measured,
    pendingPodCount > 0 ? ', at least ' : ', ',
    bytes(podsUsedBytes),
    ...(otherPodsUsedBytes === 0
      ? []
      : [', ', bytes(otherPodsUsedBytes), ` by ${others} (not in scope, or not known to the API server here)`]),
    ...(lacks.length === 0 ? [] : ['; ', { text: lacks.join(', '), tone: 'warning' as const }]),
  ];
}
