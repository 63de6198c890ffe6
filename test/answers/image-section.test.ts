import { expect, it } from 'vitest';

import type { NodeImages } from '../../src/facts/node/node-images.js';
import { imageTexts } from '../../src/people/answers/image-section.js';

const gib = 2 ** 30;
const textOf = (images: Partial<NodeImages>): readonly string[] =>
  imageTexts({
    sizes: 'compressed',
    imageCount: 4,
    sizeBytes: 8 * gib,
    isCut: false,
    unusedBytes: 2 * gib,
    maxCopiesBytes: undefined,
    collection: undefined,
    ...images,
  });
const collection = { startsInBytes: 6 * gib, wantedBytes: 5 * gib, isEnough: false, minAgeMs: 0 };

it.each<[Partial<NodeImages>, string]>([
  [{}, 'Images: 4, 8Gi compressed (more on disk); no container uses 2Gi of them.'],
  [{ sizes: 'unpacked' }, 'Images: 4, 8Gi unpacked; no container uses 2Gi of them.'],
  [{ sizes: undefined, unusedBytes: undefined }, 'Images: 4, 8Gi.'],
  [{ sizes: undefined, unusedBytes: 0 }, 'Images: 4, 8Gi.'],
  [
    { isCut: true, imageCount: 50 },
    'Images: the largest 50 (the kubelet lists no more), 8Gi compressed (more on disk); no container uses 2Gi of them.',
  ],
])('the images of a node %j: %s', (images, text) => {
  expect(textOf(images)).toEqual([text]);
});

it.each<[Partial<NodeImages>, string]>([
  [
    { collection },
    'Image garbage collection starts in 6Gi and looks for 5Gi: it can free 2Gi as the kubelet counts, evictions follow.',
  ],
  [
    { collection: { ...collection, startsInBytes: -1, isEnough: true, minAgeMs: 120_000 }, unusedBytes: 5 * gib },
    'Image garbage collection is due and looks for 5Gi: it can free 5Gi as the kubelet counts; images of the last 2m stay.',
  ],
  [
    { collection: { ...collection, isEnough: undefined }, isCut: true },
    'Image garbage collection starts in 6Gi and looks for 5Gi: it can free at least 2Gi as the kubelet counts.',
  ],
  [
    { collection: { ...collection, isEnough: undefined }, unusedBytes: undefined },
    'Image garbage collection starts in 6Gi and looks for 5Gi: how much is unused is not known.',
  ],
  [
    { collection: { ...collection, startsInBytes: undefined } },
    'Image garbage collection is off (imageGCHighThresholdPercent: 100): the kubelet deletes unused images below an eviction threshold only.',
  ],
])('the garbage collection of images %j: %s', (images, text) => {
  expect(textOf(images)[1]).toBe(text);
});

it('the bound of the compressed copies is said of the bytes that are neither', () => {
  expect(textOf({ maxCopiesBytes: 8 * gib })[1]).toBe(
    "Of the bytes that are neither pods' nor images', up to 8Gi are compressed copies.",
  );
});
