import { formatAge } from '../../lib/base/units.js';
import { type BlockOf, bytes, count, type Line } from '../pens/document.js';
import type { MeasuredPodWithOutlook, PodWithOutlook } from '../query/pod-outlook.js';
import { absenceNames } from '../report/absence-hints.js';
import { type DataFacts, isLastKnown } from '../report/pod-report.js';
import { nodeLink, workloadLine } from './parts.js';

type Facts = BlockOf<'facts'>['facts'];

export function podFacts(pod: PodWithOutlook): BlockOf<'facts'> {
  const { node, namespace, workloads, isKnown, requestBytes, limitBytes } = pod;
  const isMissing = pod.state === 'unmeasured' && pod.isExpected;
  return {
    is: 'facts',
    facts: {
      ...(pod.state === 'unmeasured' ? {} : figures(pod)),
      'Pod limit': bytes(limitBytes),
      Request: bytes(requestBytes),
      Node: node === undefined ? 'not scheduled yet' : nodeLink(node),
      Namespace: { path: ['namespaces', namespace], shown: namespace },
      Workloads: [
        ...workloadLine(workloads),
        ...(isMissing ? ['; ', { text: 'incomplete without it', tone: 'warning' as const }] : []),
      ],
      ...specFacts(pod),
      'API server': isKnown ? undefined : 'does not know this pod: it was deleted, or is not in the store yet',
    },
  };
}

function figures(pod: MeasuredPodWithOutlook): Facts {
  const { usedBytes, inodesUsed, dataState, dataAgeMs, state } = pod;
  const isPending = state === 'pending';
  const missing = [', without volumes: ', { word: 'pending' as const }, ', the kubelet has not measured them yet'];
  const old = lastKnownText(pod);
  return {
    Used: [
      isPending ? 'at least ' : '',
      bytes(usedBytes),
      ...(old === '' ? [] : [`, ${old}`]),
      ...(isPending ? missing : []),
    ],
    Inodes: inodesUsed === undefined ? undefined : count(inodesUsed),
    Data: old === '' ? `${dataState}, ${formatAge(dataAgeMs)} old` : undefined,
  };
}

function specFacts({ spec, isExempt }: PodWithOutlook): Facts {
  if (spec === undefined) return {};
  const { phase, qosClass, priorityClass, startTimeMs, isStatic } = spec;
  return {
    Phase: phase,
    'QoS class': qosClass,
    'Priority class': priorityClass,
    Started: startTimeMs === undefined ? undefined : { atMs: startTimeMs },
    Eviction: isExempt ? `never: ${isStatic ? 'static' : 'system-critical'}` : undefined,
  };
}

/** Returns how old values are that are not those of now, and why; '' of others. */
export function lastKnownText(facts: Partial<DataFacts>): string {
  if (!isLastKnown(facts)) return '';
  const { dataState, dataAgeMs, absenceReason = 'never' } = facts;
  const reason = dataState === 'pending' ? 'volumes pending' : `node without data (${absenceNames[absenceReason]})`;
  return `last known ${formatAge(dataAgeMs)} ago, ${reason}`;
}

/** The same next to the title of a section. */
export function lastKnownNote(facts: Partial<DataFacts>): { readonly note?: Line } {
  const note = lastKnownText(facts);
  return note === '' ? {} : { note };
}
