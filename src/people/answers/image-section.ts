import type { NodeImages } from '../../facts/node/node-images.js';
import { formatAge, formatBytes } from '../../lib/base/units.js';
import { bytes, type DocumentPart } from '../pens/document.js';
import type { ShownNode } from '../query/node-explanation.js';
import { section, table, text } from './parts.js';

const shownImageCount = 10;

export function imageSection({ images: of, listedImages }: ShownNode): DocumentPart {
  const texts = of === undefined ? [] : [text(imageTexts(of).join(' '))];
  const largest = table(
    { caption: 'Largest images', totalCount: listedImages.length, what: 'images' },
    [
      { title: 'Image', minWidth: 20, cell: ({ name }) => name ?? 'without a name' },
      { title: 'Size', isNumber: true, cell: ({ sizeBytes }) => bytes(sizeBytes) },
      {
        title: 'Use',
        rank: 1,
        cell: ({ isUnused }) => (isUnused === undefined ? 'not known' : isUnused ? 'unused' : 'in use'),
      },
    ],
    listedImages.slice(0, shownImageCount),
  );
  return section({ id: 'images', title: 'Images', detail: 'folded' }, [
    ...texts,
    listedImages.length === 0 ? text('The status of the node lists no images.') : largest,
  ]);
}

/** The images of a node in sentences: how large, in use or not, what garbage collection makes of them, and their copies. */
export function imageTexts(images: NodeImages): readonly string[] {
  const { collection, maxCopiesBytes } = images;
  return [
    sizeText(images),
    ...(collection === undefined ? [] : [collectionText(collection, images)]),
    ...(maxCopiesBytes === undefined
      ? []
      : [
          `Of the bytes that are neither pods' nor images', up to ${formatBytes(maxCopiesBytes)} are compressed copies.`,
        ]),
  ];
}

/** What the size of an image is. */
const imageSizeTexts = {
  compressed: 'compressed (more on disk)',
  unpacked: 'unpacked',
} as const;

function sizeText({ sizes, imageCount, sizeBytes, isCut, unusedBytes }: NodeImages): string {
  const which = isCut ? `the largest ${imageCount} (the kubelet lists no more)` : imageCount;
  const size = `${formatBytes(sizeBytes)}${sizes === undefined ? '' : ` ${imageSizeTexts[sizes]}`}`;
  const unused = !unusedBytes ? '' : `; no container uses ${formatBytes(unusedBytes)} of them`;
  return `Images: ${which}, ${size}${unused}.`;
}

function collectionText(collection: NonNullable<NodeImages['collection']>, images: NodeImages): string {
  const { startsInBytes, wantedBytes, minAgeMs, isEnough } = collection;
  if (startsInBytes === undefined)
    return 'Image garbage collection is off (imageGCHighThresholdPercent: 100): the kubelet deletes unused images below an eviction threshold only.';
  const start = startsInBytes < 0 ? 'is due' : `starts in ${formatBytes(startsInBytes)}`;
  const young = minAgeMs === 0 ? '' : `; images of the last ${formatAge(minAgeMs)} stay`;
  return `Image garbage collection ${start} and looks for ${formatBytes(wantedBytes)}: ${outcomeText(isEnough, images)}${young}.`;
}

function outcomeText(isEnough: boolean | undefined, { unusedBytes, isCut }: NodeImages): string {
  if (unusedBytes === undefined) return 'how much is unused is not known';
  const free = `it can free ${isCut ? 'at least ' : ''}${formatBytes(unusedBytes)} as the kubelet counts`;
  return isEnough === false ? `${free}, evictions follow` : free;
}
