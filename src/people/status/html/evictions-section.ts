import { formatAge } from '../../../lib/base/units.js';
import { emptyText, panel, timePart } from '../../pens/html-kit.js';
import { type Markup, markup } from '../../pens/markup.js';
import { causeText } from '../../report/eviction-cause-text.js';
import type { ShownEviction } from '../../report/eviction-report.js';
import type { HealthReport } from '../../report/health-report.js';
import type { Status } from '../status.js';
import type { Links } from './links.js';
import { countText, moreText } from './texts.js';

/** The others, and why nodes were short, are in the list. */
const shownCount = 3;

/** The pods that were evicted last for local storage. */
export function evictions(status: Status, links: Links): Markup {
  return panel({
    id: 'evictions',
    title: 'Recent evictions',
    aside: links.list('evictions', {}, 'all evictions'),
    body: bodyOf(status, links),
  });
}

/** A night without evictions looks like one before which the exporter was not there. Before the first lists, later ones may be missing. */
export function knownSince({ health, notListed }: Pick<Status, 'health' | 'notListed'>): Markup {
  if (notListed !== undefined) return markup`<p class="small t-warning">${notListed}</p>`;
  return markup`<p class="small muted">Evictions are known since ${timePart(health.evictionsSinceMs)}.${gapsText(health)}</p>`;
}

/** The newest ones. */
const shownGapCount = 3;

function gapsText({ evictionGaps: gaps }: HealthReport): Markup | undefined {
  if (gaps.length === 0) return undefined;
  const shown = gaps
    .slice(-shownGapCount)
    .map(({ fromMs, untilMs }) => markup` from ${timePart(fromMs)} to ${timePart(untilMs)},`);
  const moreCount = gaps.length - shown.length;
  const more = moreCount === 0 ? undefined : markup` and ${countText(moreCount, 'time', 'times')} before,`;
  return markup` <span class="t-warning">Pods were not watched${shown}${more} and evictions of that time may be missing.</span>`;
}

function bodyOf(status: Status, links: Links): Markup {
  const { evictions: seen, notListed } = status;
  const refused =
    seen.refusedCount === 0
      ? undefined
      : markup`<p class="more">Besides, ${countText(seen.refusedCount, 'pod was', 'pods were')} refused: their node was under disk pressure.</p>`;
  if (seen.items.length === 0) {
    const none = notListed ?? 'No eviction of a running pod for local storage was seen.';
    return markup`${emptyText(none)}${notListed === undefined ? knownSince(status) : undefined}${refused}`;
  }
  const shown = seen.items.slice(0, shownCount);
  return markup`<ul class="lines small">${shown.map((eviction) => item(eviction, links))}</ul>
${moreText({ items: shown, totalCount: seen.totalCount }, 'evictions')}${refused}`;
}

function item(eviction: ShownEviction, links: Links): Markup {
  const { uid, evictedAtMs, ageMs } = eviction;
  return markup`<li>${links.eviction(uid, timePart(evictedAtMs))} <span class="muted">${formatAge(ageMs)} ago</span> ${links.pod(eviction)}: ${causeText(eviction)}</li>`;
}
