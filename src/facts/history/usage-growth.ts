import type { UsageSample } from '../../cluster/kubelet/lookup.js';

const hourSeconds = 3_600;
const mebibyte = 2 ** 20;

/**
 * How fast the usage grew between the first and the last sample, in bytes per second; below 0 when it shrank. Undefined
 * with fewer than two samples, and where it rose in less than most of the time between them: what was flat has no rate.
 */
export function growthBytesPerSecond(samples: readonly UsageSample[]): number | undefined {
  const growth = growthOf(samples);
  if (growth === undefined) return undefined;
  const { bytes, windowMs, risingMs } = growth;
  return bytes > 0 && risingMs <= windowMs / 2 ? undefined : (bytes * 1_000) / windowMs;
}

/** `risingMs`: from the first rise to the last, with what is flat in between; `sinceMs`: from the first one to the end. */
export function growthOf(samples: readonly UsageSample[]) {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
  const rises = (sample: UsageSample | undefined, at: number): boolean =>
    sample !== undefined && at > 0 && sample.usedBytes > (samples[at - 1]?.usedBytes ?? Infinity);
  const beganAtMs = samples[samples.findIndex(rises) - 1]?.atMs ?? last.atMs;
  const endedAtMs = samples.findLast(rises)?.atMs ?? last.atMs;
  return {
    bytes: last.usedBytes - first.usedBytes,
    windowMs: last.atMs - first.atMs,
    risingMs: endedAtMs - beganAtMs,
    sinceMs: last.atMs - beganAtMs,
  };
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
