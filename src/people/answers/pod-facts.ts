import { formatAge } from '../../lib/base/units.js';
import { type BlockOf, bytes, count, type Line, type Piece } from '../pens/document.js';
import type { MeasuredPodExplanation, PodExplanation } from '../query/pod-explanation.js';
import { absenceNames } from '../report/absence-hints.js';
import { type DataFacts, isLastKnown } from '../report/pod-report.js';
import { workloadLine } from '../report/workload-report.js';
import { nodeLink } from './parts.js';

type Facts = BlockOf<'facts'>['facts'];

export function podFacts(pod: PodExplanation): BlockOf<'facts'> {
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

function figures(pod: MeasuredPodExplanation): Facts {
  const { usedBytes, inodesUsed, dataState, dataAgeMs, state } = pod;
  const isPending = state === 'pending';
  const missing = [', without volumes: ', { word: 'pending' as const }, ', the kubelet has not measured them yet'];
  const old = lastKnownLine(pod);
  return {
    Used: [
      isPending ? 'at least ' : '',
      bytes(usedBytes),
      ...(old.length === 0 ? [] : [', ', ...old]),
      ...(isPending ? missing : []),
    ],
    Inodes: inodesUsed === undefined ? undefined : count(inodesUsed),
    Data: old.length === 0 ? `${dataState}, ${formatAge(dataAgeMs)} old` : undefined,
  };
}

function specFacts({ spec, isExempt }: PodExplanation): Facts {
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

/** Returns how old values are that are not those of now, and why; nothing of others. */
function lastKnownLine(facts: Partial<DataFacts>): readonly Piece[] {
  if (!isLastKnown(facts)) return [];
  const { dataAgeMs, absenceReason = 'never' } = facts;
  return [`last known ${formatAge(dataAgeMs)} ago, node without data (${absenceNames[absenceReason]})`];
}

/** The same next to the title of a section. */
export function lastKnownNote(facts: Partial<DataFacts>): { readonly note?: Line } {
  const note = lastKnownLine(facts);
  return note.length === 0 ? {} : { note };
}
