import type { BlockOf, Line, Link, Piece, Tone } from '../pens/document.js';
import type { EvictionReport } from '../report/eviction-report.js';
import { canEvict, type LimitReport, limitThresholds, unenforcedNames } from '../report/limit-report.js';
import type { PodPlace } from '../report/pod-report.js';
import { referenceText, type WorkloadReference } from '../report/workload-report.js';

export function podLink({ namespace, pod }: Pick<PodPlace, 'namespace' | 'pod'>): Link {
  return { path: ['pods', namespace, pod], shown: `${namespace}/${pod}` };
}

export function nodeLink(name: string): Link {
  return { path: ['nodes', name], shown: name };
}

/** Shown as its time. */
export function evictionLink({ uid, evictedAtMs }: Pick<EvictionReport, 'uid' | 'evictedAtMs'>): Link {
  return { path: ['evictions', uid], shown: { atMs: evictedAtMs } };
}

export function workloadLine(workloads: readonly WorkloadReference[]): readonly Piece[] {
  if (workloads.length === 0) return ['none'];
  return workloads.flatMap((of, index): readonly Piece[] => [
    index === 0 ? '' : ', ',
    { path: ['workloads', of.workloadNamespace || '-', of.workloadType, of.workload], shown: referenceText(of) },
  ]);
}

/** Returns the tone of how full something is. */
export function fullTone(ratio: number): Tone {
  if (ratio >= limitThresholds.alerted) return 'critical';
  return ratio >= limitThresholds.near ? 'warning' : 'ok';
}

/** The same of a limit; `unknown` for a low ratio that says little: only a part of what is written is compared with the limit. */
export function ratioTone(limit: LimitReport): Tone {
  const tone = fullTone(limit.ratio);
  return !canEvict(limit) || (limit.unenforced !== undefined && tone === 'ok') ? 'unknown' : tone;
}

export function text(line: Line): BlockOf<'text'> {
  return { is: 'text', line };
}

/** Returns what is to be said of a limit that does not do what it seems to do; '' of others. */
export function unenforcedText({ unenforced }: LimitReport): string {
  return unenforced === undefined ? '' : `, not enforced: ${unenforcedNames[unenforced]}`;
}
