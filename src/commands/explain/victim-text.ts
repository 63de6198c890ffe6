import { getOrAdd, groupBy } from '../../base/merge.js';
import { joinTruncated } from '../../base/text.js';
import { formatBytes } from '../../base/units.js';
import { countsInodes, type EvictionSignal } from '../../kubelet/eviction-signals.js';
import type { FreeingReport, SignalReport, VictimReport } from '../../report/signal-report.js';
import { type Column, renderTable } from '../text/table.js';
import { terminalText, wrap } from '../text/terminal-text.js';

const maxVictimCount = 10;
const maxNameCount = 8;

/** One section for all signals with the same order of the same values. */
export function victimSections(signals: readonly SignalReport[], width: number): readonly (readonly string[])[] {
  const groups = groupBy(signals, ({ signal, victims }) => JSON.stringify([countsInodes(signal), victims]));
  return [...groups.values()].map((group) => groupLines(group, width));
}

function groupLines(group: readonly SignalReport[], width: number): readonly string[] {
  const [first] = group;
  if (first === undefined) return [];
  const names = group.map(({ signal }) => signal).join(', ');
  const { signal, victims = [] } = first;
  if (victims.length === 0) return wrap(`Order of eviction for ${names}: no pod of this node is known.`, width);
  const shown = victims.slice(0, maxVictimCount);
  const hiddenCount = victims.length - shown.length;
  return [
    ...wrap(`Order of eviction for ${names}:`, width),
    ...renderTable(victimColumns(signal), shown, width).lines,
    ...(hiddenCount === 0 ? [] : [`and ${hiddenCount} more.`]),
    ...freeingTexts(group).flatMap((text) => wrap(text, width)),
  ];
}

function victimColumns(signal: EvictionSignal): readonly Column<VictimReport>[] {
  return [
    { header: 'RANK', text: ({ rank }) => String(rank), align: 'right' },
    { header: 'POD', text: ({ namespace, pod }) => `${namespace}/${pod}`, minWidth: 12 },
    { header: 'USAGE', text: ({ usage }) => amountText(signal, usage), align: 'right' },
    { header: 'REQUEST', text: ({ request }) => formatBytes(request), align: 'right', dropRank: 3 },
    { header: 'PRIORITY', text: ({ priority }) => String(priority), align: 'right', dropRank: 2 },
    { header: 'WHY', text: (victim) => reasonText(signal, victim), minWidth: 16, dropRank: 1 },
  ];
}

function reasonText(signal: EvictionSignal, victim: VictimReport): string {
  const place = placeText(signal, victim);
  return victim.exempt === undefined ? place : `${place}; never evicted: ${victim.exempt}`;
}

function placeText(signal: EvictionSignal, { place, usage = 0, request }: VictimReport): string {
  switch (place) {
    case 'no_statistics':
      return 'no statistics';
    case 'above_request':
      return countsInodes(signal) ? 'uses inodes' : `${formatBytes(usage - request)} above its request`;
    case 'within_request':
      return countsInodes(signal) ? 'uses no inodes' : `${formatBytes(request - usage)} below its request`;
  }
}

/** A text for each amount: signals of one order may lack different ones. */
function freeingTexts(group: readonly SignalReport[]): readonly string[] {
  const byText = new Map<string, EvictionSignal[]>();
  for (const { signal, toFree } of group) {
    if (toFree !== undefined) getOrAdd(byText, freeingText(signal, toFree), (): EvictionSignal[] => []).push(signal);
  }
  return byText.size <= 1
    ? [...byText.keys()]
    : Array.from(byText, ([text, signals]) => text.replace(': ', ` for ${signals.join(', ')}: `));
}

function freeingText(signal: EvictionSignal, { amount, isMissing, victims, freed, isEnough }: FreeingReport): string {
  const unit = countsInodes(signal) ? ' inodes' : '';
  const what = `To free ${isMissing ? 'the missing ' : ''}${amountText(signal, amount)}${unit}`;
  const names = joinTruncated(
    victims.map(({ namespace, pod }) => terminalText(`${namespace}/${pod}`)),
    maxNameCount,
  );
  if (isEnough) return `${what}: ${names}.`;
  return `${what}: not enough, all pods that may be evicted free ${amountText(signal, freed)}${unit}.`;
}

/** Bytes or inodes; `-` when it is unknown. */
export function amountText(signal: EvictionSignal, amount: number | undefined): string {
  if (amount === undefined) return '-';
  return countsInodes(signal) ? String(amount) : formatBytes(amount);
}
