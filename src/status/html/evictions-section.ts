import { formatAge } from '../../base/units.js';
import { causeText } from '../../report/eviction-cause-text.js';
import type { ShownEviction, ShownEvictions, Status } from '../status.js';
import { emptyText, panel } from './components.js';
import type { Links } from './links.js';
import { type Markup, markup } from './markup.js';
import { countText, moreText, timePart } from './texts.js';

/** The others, and why nodes were short, are in the list. */
const shownCount = 3;

/** The pods that were evicted last for local storage. */
export function evictions({ evictions: seen, health }: Status, links: Links): Markup {
  return panel({
    id: 'evictions',
    title: 'Recent evictions',
    aside: links.list('evictions', {}, 'all evictions'),
    body: seen === undefined ? undefined : bodyOf(seen, health, links),
  });
}

/** A night without evictions looks like one before which the exporter was not there. */
export function knownSince({ evictionsSinceMs }: Status['health']): Markup {
  return markup`<p class="small muted">Evictions are known since ${timePart(evictionsSinceMs)}.</p>`;
}

function bodyOf(seen: ShownEvictions, health: Status['health'], links: Links): Markup {
  const refused =
    seen.refusedCount === 0
      ? undefined
      : markup`<p class="more">Besides, ${countText(seen.refusedCount, 'pod was', 'pods were')} refused: their node was under disk pressure.</p>`;
  if (seen.items.length === 0)
    return markup`${emptyText('No eviction of a running pod for local storage was seen.')}${knownSince(health)}${refused}`;
  const shown = seen.items.slice(0, shownCount);
  return markup`<ul class="lines small">${shown.map((eviction) => item(eviction, links))}</ul>
${moreText({ items: shown, totalCount: seen.totalCount }, 'evictions')}${refused}`;
}

function item(eviction: ShownEviction, links: Links): Markup {
  const { uid, evictedAtMs, ageMs } = eviction;
  return markup`<li>${links.eviction(uid, timePart(evictedAtMs))} <span class="muted">${formatAge(ageMs)} ago</span> ${links.pod(eviction)}: ${causeText(eviction)}</li>`;
}
