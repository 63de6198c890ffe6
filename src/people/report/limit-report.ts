import { type LimitRatio, nearRatio } from '../../facts/node/limit-ratios.js';
import { canBind } from '../../facts/node/unenforced-limits.js';
import { formatCount } from '../../lib/base/text.js';
import { formatBytes } from '../../lib/base/units.js';
import type { Tone } from '../pens/document.js';

/** One limit that the kubelet enforces by eviction, and the usage that it compares with it. */
export interface LimitReport
  extends Omit<LimitRatio, 'container' | 'volume' | 'unenforced'>, Partial<Pick<LimitRatio, 'unenforced'>> {
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
}

/** The reasons in words. */
export const unenforcedNames: Readonly<Record<NonNullable<LimitRatio['unenforced']>, string>> = {
  isolation_disabled: 'the kubelet enforces no limits',
  exempt: 'static or critical pod',
  rootfs_not_measured: 'writable layers not measured',
  dedicated_imagefs: 'writable layers not compared',
  memory_medium: 'in memory, cannot hold more',
};

/**
 * Parts of a limit, or of a filesystem, in the colours of pages, commands and dashboards: near, from where the shipped alerts fire, and
 * reached. Which pods are near a limit, or above, is decided by `podStanding` alone.
 */
export const limitThresholds = { near: nearRatio, alerted: 0.9, reached: 1 } as const;

/** Returns the tone of how full something is. */
export function fullTone(ratio: number): Tone {
  if (ratio >= limitThresholds.alerted) return 'critical';
  return ratio >= limitThresholds.near ? 'warning' : 'ok';
}

/** The same of a limit; `unknown` for a low ratio that says little: only a part of what is written is compared with the limit. */
export function ratioTone(limit: LimitReport): Tone {
  const tone = fullTone(limit.ratio);
  return !canBind(limit) || (limit.unenforced !== undefined && tone === 'ok') ? 'unknown' : tone;
}

export function limitReport({ container, volume, ...of }: LimitRatio): LimitReport {
  return { ...of, container: container || undefined, volume: volume || undefined };
}

/** The limit, as it is written where rounding would make another one of it. */
export function limitText({ limitBytes, limitQuantity }: Pick<LimitReport, 'limitBytes' | 'limitQuantity'>): string {
  return limitQuantity ?? formatBytes(limitBytes);
}

/** The usage beside its limit: exact where both would read the same. */
export function usedText(usedBytes: number, limitBytes: number): string {
  const text = formatBytes(usedBytes);
  const isSame = usedBytes !== limitBytes && text === formatBytes(limitBytes);
  return isSame ? `${formatCount(usedBytes)} bytes` : text;
}

/** `container app` */
export function limitSubject({
  rule,
  container = '',
  volume = '',
}: Pick<LimitReport, 'rule' | 'container' | 'volume'>): string {
  return { pod: 'the pod', container: `container ${container}`, emptydir: `emptyDir ${volume}` }[rule];
}

/** The one with the highest ratio, of those that evict. */
export function nearestBinding(limits: readonly LimitReport[]): LimitReport | undefined {
  return limits.filter(canBind).toSorted((a, b) => (a.ratio === b.ratio ? 0 : b.ratio - a.ratio))[0];
}
