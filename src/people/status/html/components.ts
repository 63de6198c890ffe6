import { formatBytes } from '../../../lib/base/units.js';
import { type Markup, markup } from '../../pens/markup.js';
import { type ComponentBytes, componentOrder } from '../../report/pod-report.js';
import { bar, type Mark } from './bar.js';

/** Above its limit a bar shows at most this multiple of it. */
const maxStretch = 2;

interface Amounts {
  readonly usedBytes?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly requestBytes?: number | undefined;
  /** What the bar shows, in words, where nothing beside it does. */
  readonly barText?: string | undefined;
}

/** One scale for all bars of a table that show bytes, so that their lengths compare. */
export function bytesScale(rows: readonly Amounts[]): number {
  return Math.max(1, ...rows.map((row) => (hasLimit(row) ? 0 : (row.usedBytes ?? 0))));
}

/**
 * By component, and the same in words. With a pod limit (a sum of them for a workload): its full width is the limit, or what is used above it. Without one: a
 * thin bar without an end, of bytes.
 */
export function componentBar(parts: ComponentBytes, amounts: Amounts, scaleBytes: number): Markup {
  const text = componentsText(parts);
  const segments = componentOrder.map((component) => ({
    colour: component,
    label: labelOf(component, parts),
    amount: parts[component] ?? 0,
  }));
  const { requestBytes, usedBytes = 0 } = amounts;
  const shape = hasLimit(amounts)
    ? {
        scale: Math.max(amounts.limitBytes, Math.min(usedBytes, maxStretch * amounts.limitBytes)),
        marks: marksOf(amounts),
      }
    : { scale: scaleBytes, isThin: true };
  const request = requestBytes === undefined ? undefined : `request ${formatBytes(requestBytes)}`;
  const notes = [amounts.barText, request].filter((note) => note !== undefined);
  return markup`${bar({ segments, text, ...shape })}<div class="row small muted"><span>${text}</span><span>${notes.join(' · ')}</span></div>`;
}

function hasLimit(amounts: Amounts): amounts is Amounts & { readonly limitBytes: number } {
  return amounts.limitBytes !== undefined && amounts.limitBytes > 0;
}

function marksOf({ limitBytes, requestBytes }: Amounts): readonly Mark[] {
  return [
    ...(requestBytes === undefined
      ? []
      : [{ kind: 'request', label: `request ${formatBytes(requestBytes)}`, amount: requestBytes } as const]),
    ...(limitBytes === undefined
      ? []
      : [{ kind: 'limit', label: `pod limit ${formatBytes(limitBytes)}`, amount: limitBytes } as const]),
  ];
}

/** The largest first. */
function componentsText(parts: ComponentBytes): string {
  const present = componentOrder.filter((component) => parts[component] !== 0);
  if (present.length === 0) return 'no usage';
  return present
    .sort((a, b) => (parts[b] ?? 0) - (parts[a] ?? 0))
    .map((component) => labelOf(component, parts))
    .join(' · ');
}

function labelOf(component: keyof ComponentBytes, parts: ComponentBytes): string {
  return `${component} ${formatBytes(parts[component])}`;
}
