import { createHash } from 'node:crypto';

import { wholeBlocks } from './growth.js';
import type { ImageSpec, NodeSpec } from './specs.js';

const defaultImagesBytes = 6 * 2 ** 30;

/** The images of a node that names none, by share. */
const defaultShares: readonly (Omit<ImageSpec, 'sizeBytes'> & { readonly share: number })[] = [
  { name: 'registry.example/models:3', share: 0.375 },
  { name: 'registry.example/models:2', share: 0.25, isUnused: true },
  { name: 'registry.example/build-tools:8', share: 0.25 },
  { name: 'registry.example/base:12', share: 0.125 },
];

export function initialImages({ images, imagesBytes = defaultImagesBytes }: NodeSpec): readonly ImageSpec[] {
  return (
    images ?? defaultShares.map(({ share, ...image }) => ({ ...image, sizeBytes: wholeBlocks(share * imagesBytes) }))
  );
}

export function totalBytes(images: readonly ImageSpec[]): number {
  return images.reduce((total, { sizeBytes }) => total + wholeBlocks(sizeBytes), 0);
}

/** Of the compressed copies, which are beside the images on the same filesystem. */
export function contentBytes(images: readonly ImageSpec[]): number {
  return images.reduce((total, image) => total + wholeBlocks(image.contentBytes ?? 0), 0);
}

/** `registry.example/app@sha256:…` for `registry.example/app:1`: the `imageID` of a container, and a name of its image. */
export function imageIdOf(name: string): string {
  return `${name.replace(/:[^/]*$/, '')}@sha256:${createHash('sha256').update(name).digest('hex')}`;
}
