import { formatCount } from '../../base/text.js';
import { formatAge, formatTime } from '../../base/units.js';
import { causeNames } from '../../report/eviction-cause-text.js';
import type { EvictionTimeline } from '../../report/eviction-timeline.js';
import { panel } from './components.js';
import { type Markup, markup } from './markup.js';
import { countText, timePart } from './texts.js';

const rowHeight = 40;
const markRadius = 4;
/** However many evictions a mark is for. */
const maxRadius = 10;

/** A line for each cause and a mark for each eviction; those that are too close together share one. Undefined without any. */
export function evictionTimelinePart(timeline: EvictionTimeline | undefined): Markup | undefined {
  if (timeline === undefined) return undefined;
  const { startMs, endMs, causes } = timeline;
  const spanMs = Math.max(1, endMs - startMs);
  const percentOf = (atMs: number): string => `${(1 + ((atMs - startMs) / spanMs) * 98).toFixed(2)}%`;
  const rows = causes.map(({ cause, evictionCount, marks }, index) => {
    const y = index * rowHeight + 26;
    const circles = marks.map(({ atMs, evictionCount: count }) => {
      const radius = Math.min(maxRadius, markRadius * Math.sqrt(count));
      return markup`<circle cx="${percentOf(atMs)}" cy="${y}" r="${radius.toFixed(1)}"><title>${formatTime(atMs)}: ${countText(count, 'eviction', 'evictions')}</title></circle>`;
    });
    return markup`<text x="0" y="${y - 14}">${causeNames[cause]}: ${formatCount(evictionCount)}</text><line x1="0" x2="100%" y1="${y}" y2="${y}"/>${circles}`;
  });
  const counts = causes
    .map(({ cause, evictionCount }) => `${causeNames[cause]}: ${formatCount(evictionCount)}`)
    .join('; ');
  return panel({
    id: 'timeline',
    title: 'Timeline',
    aside: markup`<p class="small muted">${formatAge(endMs - startMs)}, by cause</p>`,
    body: markup`<svg class="timeline" width="100%" height="${causes.length * rowHeight}" role="img" aria-label="Evictions by time, listed below: ${counts}">${rows}</svg>
<p class="row small muted"><span>${timePart(startMs)}</span><span>${timePart(endMs)}</span></p>`,
  });
}
