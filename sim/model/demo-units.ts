import { type Growth, wholeBlocks } from './growth.js';
import type { ImageSpec } from './specs.js';

export const kib = 2 ** 10;
export const mib = 2 ** 20;
export const gib = 2 ** 30;
export const minuteMs = 60_000;

/** Content that does not grow. */
export const still = (initialBytes: number): Growth => ({ initialBytes });

/** Images of the containers of these names, and one that no container uses: together of this size. */
export function imagesOf(containerNames: readonly string[], imagesBytes: number): readonly ImageSpec[] {
  const unused = { ...imageOfSize('registry.example/models:2', imagesBytes / 4), isUnused: true };
  const usedBytes = (imagesBytes * 3) / 4 / containerNames.length;
  return [...containerNames.map((name) => imageOfSize(`registry.example/${name}:1`, usedBytes)), unused];
}

/** Compressed, it has two fifths of its size. */
export function imageOfSize(name: string, sizeBytes: number): ImageSpec {
  return { name, sizeBytes: wholeBlocks(sizeBytes), contentBytes: wholeBlocks(sizeBytes * 0.4) };
}
