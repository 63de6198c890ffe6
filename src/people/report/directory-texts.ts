import { joinTruncated } from '../../lib/base/text.js';
import { formatAge, formatBytes } from '../../lib/base/units.js';
import { isFromSummary, type PartReport, type PodDirectories } from './pod-directories.js';

const namedCount = 3;

/** The sum of a pod, and what of it was not found, in words. */
export function sumText({ usedBytes, parts }: PodDirectories): string {
  const missing = parts.filter((part) => part.part !== 'other' && isFromSummary(part));
  const [known, unknown] = [true, false].map((isKnown) =>
    partNames(missing.filter(({ summaryBytes }) => (summaryBytes !== undefined) === isKnown)),
  );
  const texts = [known && `with ${known} as in the summary`, unknown && `without ${unknown}`];
  return [`${formatBytes(usedBytes)} in all`, ...texts.filter((text) => text)].join(', ');
}

/** All logs together are `logs`. */
function partNames(parts: readonly PartReport[]): string {
  const names = parts.map((part) => (part.part === 'logs' ? part.part : partName(part)));
  return joinTruncated([...new Set(names)], namedCount);
}

/** What the summary has, beside what was found, in words; undefined without one. */
export function summaryText({
  summaryBytes,
  summaryAgeMs,
  differenceBytes,
  parts,
}: PodDirectories): string | undefined {
  if (summaryBytes === undefined) return undefined;
  const age = summaryAgeMs === undefined ? '' : `, ${formatAge(summaryAgeMs)} old,`;
  const text = `The summary${age} has ${formatBytes(summaryBytes)}`;
  if (differenceBytes === undefined) return `${text}.`;
  const isWhole = parts.every((part) => part.part === 'other' || !isFromSummary(part));
  return `${text}: ${differenceText(differenceBytes, isWhole)}`;
}

function differenceText(bytes: number, isWhole: boolean): string {
  if (bytes === 0) return isWhole ? 'the same.' : 'no difference in what was measured.';
  const found = `${formatBytes(Math.abs(bytes))} ${bytes > 0 ? 'more' : 'less'} was found.`;
  return `${found} Volumes in a summary are up to two minutes old.`;
}

export function partName({ part, container, volume }: Pick<PartReport, 'part' | 'container' | 'volume'>): string {
  const name = volume ?? container;
  return name === undefined ? part : `${part} ${name}`;
}

const stateTexts = {
  complete: undefined,
  unreadable: 'some of it could not be read',
  timeout: 'the time was up: at least this much',
  unmeasured: 'not measured',
} as const;

/** What is to be said of a part; '' for nothing. */
export function partNote({ state, skippedCount = 0 }: PartReport): string {
  const notes = [state && stateTexts[state], skippedCount > 0 ? `${skippedCount} names skipped` : undefined];
  return notes.filter((note) => note !== undefined).join('; ');
}
