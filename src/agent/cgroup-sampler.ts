import type { Clock } from '../lib/base/clock.js';
import type { Lane } from '../lib/base/lane.js';
import { FailureRun, type Logger } from '../lib/base/logger.js';
import { setNewest } from '../lib/base/maps.js';
import { numberIn, type ReadFile } from './cgroup-files.js';
import { type CgroupTree, filesOf, podFolders } from './cgroup-tree.js';

interface SampledPod {
  readonly firstSeenMs: number;
  /** By the names of the kernel's files for them, also where it has none. */
  readonly peaks: Map<string, number>;
}

const youngMs = 60_000;

/** How long a pod that has ended is kept, from when it was first seen. */
const keptMs = 360_000;

/** Younger and ended ones together; of more, the latest. */
const maxPodCount = 100;

/** The value of now, and the highest, which not every kernel has. */
const memoryFiles = {
  v1: ['memory.usage_in_bytes', 'memory.max_usage_in_bytes'],
  v2: ['memory.current', 'memory.peak'],
};
const pidFiles = ['pids.current', 'pids.peak'];

/**
 * Keeps the highest values of each pod that is younger than a minute, which may begin and end between two scrapes: until the minute is over,
 * or until minutes after its end. Pods that were there before the sampler are no younger than that.
 */
export class CgroupSampler {
  readonly #options;
  readonly #files: readonly (readonly string[])[];
  /** By the kubelet's UIDs. */
  readonly #pods = new Map<string, SampledPod>();
  #listed: ReadonlyMap<string, string> | undefined;

  constructor(options: {
    readonly cgroups: CgroupTree;
    readonly intervalMs: number;
    readonly clock: Clock;
    readonly lane: Lane;
    readonly logger: Logger;
  }) {
    this.#options = options;
    this.#files = [memoryFiles[options.cgroups.version], pidFiles];
  }

  /** Samples until `signal` aborts. The interval begins after each sample: one that is late is not made up for. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, lane, logger } = this.#options;
    const failures = new FailureRun(logger);
    while (!signal.aborted) {
      try {
        await lane.run(() => {
          this.#sample();
        });
        failures.ended('sampled the cgroups of pods', {});
      } catch (error) {
        failures.failed('failed to sample the cgroups of pods', {}, error);
      }
      await clock.sleep(intervalMs, signal).catch(() => undefined);
    }
  }

  /** Adds the peaks that are kept to what `read` has of a pod's files: undefined of one that has ended. */
  withPeaks(uid: string, read: ReadFile | undefined): ReadFile | undefined {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return read;
    return (name) => {
      const text = read?.(name);
      const [, highest] = this.#files.find((files) => files.includes(name)) ?? [];
      if (highest !== undefined) raise(pod.peaks, highest, text);
      return text ?? pod.peaks.get(name)?.toString();
    };
  }

  #sample(): void {
    const { cgroups, clock } = this.#options;
    const folders = podFolders(cgroups);
    // The exporter's own pod is always there: what cannot be listed now would be young when it is listed again.
    if (folders.size === 0) throw new Error(`${cgroups.listed}/${cgroups.kubepods} has no cgroups of pods`);
    const nowMs = clock.monotonicMs();
    for (const uid of folders.keys()) {
      if (this.#listed?.has(uid) !== false) continue;
      setNewest(this.#pods, uid, { firstSeenMs: nowMs, peaks: new Map() }, maxPodCount);
    }
    this.#listed = folders;
    for (const [uid, { firstSeenMs, peaks }] of this.#pods) {
      const folder = folders.get(uid);
      if (nowMs - firstSeenMs >= (folder === undefined ? keptMs : youngMs)) this.#pods.delete(uid);
      else if (folder !== undefined) this.#read(filesOf(cgroups, folder), peaks);
    }
  }

  #read(read: ReadFile, peaks: SampledPod['peaks']): void {
    for (const [now = '', highest = ''] of this.#files) raise(peaks, highest, read(highest) ?? read(now));
  }
}

function raise(peaks: SampledPod['peaks'], name: string, text: string | undefined): void {
  const value = numberIn(text);
  if (value !== undefined) peaks.set(name, Math.max(value, peaks.get(name) ?? 0));
}
