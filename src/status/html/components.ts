import { formatBytes } from '../../base/units.js';
import { type ComponentBytes, componentOrder } from '../../report/component-bytes.js';
import { bar, type Mark } from './bar.js';
import { type Markup, markup } from './markup.js';

/** A limit beyond this multiple of the largest bar is not drawn: the bars would become too small. */
const maxStretch = 2;

interface Amounts {
  readonly usedBytes?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly requestBytes?: number | undefined;
}

/** One scale for all bars of a table, so that their lengths compare. */
export function commonScale(rows: readonly Amounts[]): number {
  const largestBytes = Math.max(1, ...rows.map(({ usedBytes = 0 }) => usedBytes));
  const limits = rows.map(({ limitBytes = 0 }) => limitBytes).filter((bytes) => bytes <= maxStretch * largestBytes);
  return Math.max(largestBytes, ...limits);
}

/** Bytes by component with marks at the limit and the request, and the same in words. */
export function componentBar(parts: ComponentBytes, amounts: Amounts, scale: number): Markup {
  const text = componentsText(parts);
  const segments = componentOrder.map((component) => ({
    colour: component,
    label: labelOf(component, parts),
    amount: parts[component],
  }));
  const { requestBytes } = amounts;
  const request = requestBytes === undefined ? undefined : markup`<span>request ${formatBytes(requestBytes)}</span>`;
  return markup`${bar({ segments, marks: marksOf(amounts), scale, text })}<div class="row small muted"><span>${text}</span>${request}</div>`;
}

export function usedOfLimit({ usedBytes, limitBytes }: Amounts): Markup {
  const limit = limitBytes === undefined ? 'no limit' : `of ${formatBytes(limitBytes)}`;
  return markup`<strong>${formatBytes(usedBytes)}</strong> <span class="small muted">${limit}</span>`;
}

export function componentLegend(): Markup {
  const swatches = componentOrder.map(
    (component) =>
      markup`<li><svg width="12" height="12" aria-hidden="true"><rect class="f-${component}" width="12" height="12" rx="2"/></svg>${component}</li>`,
  );
  return markup`<ul class="legend" aria-label="Parts of the bars">${swatches}<li><svg width="4" height="14" aria-hidden="true" class="bar"><rect class="mark" x="1" width="2" height="14"/></svg>limit</li><li><svg width="4" height="14" aria-hidden="true" class="bar"><rect class="mark request" x="1" y="6" width="2" height="8"/></svg>request</li></ul>`;
}

function marksOf({ limitBytes, requestBytes }: Amounts): readonly Mark[] {
  return [
    ...(requestBytes === undefined
      ? []
      : [{ kind: 'request', label: `request ${formatBytes(requestBytes)}`, amount: requestBytes } as const]),
    ...(limitBytes === undefined
      ? []
      : [{ kind: 'limit', label: `limit ${formatBytes(limitBytes)}`, amount: limitBytes } as const]),
  ];
}

/** The largest first. */
function componentsText(parts: ComponentBytes): string {
  const present = componentOrder.filter((component) => parts[component] > 0);
  if (present.length === 0) return 'no usage';
  return present
    .sort((a, b) => parts[b] - parts[a])
    .map((component) => labelOf(component, parts))
    .join(' · ');
}

function labelOf(component: keyof ComponentBytes, parts: ComponentBytes): string {
  return `${component} ${formatBytes(parts[component])}`;
}
