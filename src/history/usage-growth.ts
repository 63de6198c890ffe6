import type { UsageSample } from '../kubelet/lookup.js';

const hourSeconds = 3_600;
const mebibyte = 2 ** 20;

/**
 * How fast the usage grew between the first and the last sample, in bytes per second; below 0 when it shrank. Undefined
 * with fewer than two samples.
 */
export function growthBytesPerSecond(samples: readonly UsageSample[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
  return ((last.usedBytes - first.usedBytes) * 1_000) / (last.atMs - first.atMs);
}

/**
 * The limit under which a pod that grows at this rate would have lived for an hour more, rounded up to something that
 * people write in a manifest: whole MiB, at most 1/16 too large. Undefined for a pod that did not grow.
 */
export function limitForAnHour(usedBytes: number, bytesPerSecond: number): number | undefined {
  if (bytesPerSecond <= 0) return undefined;
  const mebibytes = Math.ceil((usedBytes + bytesPerSecond * hourSeconds) / mebibyte);
  const step = Math.max(1, 2 ** (Math.floor(Math.log2(mebibytes)) - 4));
  return Math.ceil(mebibytes / step) * step * mebibyte;
}
