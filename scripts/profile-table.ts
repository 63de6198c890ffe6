/** The table of profiles: what a pod costs in each, and what each leaves out. */
import { markdownTable } from '../src/commands/metrics.js';
import { type Profile, profiles } from '../src/metrics/exposition/family.js';
import { costOfPods } from '../test/support/profile-cost.js';

const whatIsLost: Readonly<Record<Profile, string>> = {
  minimal: 'components, containers, volumes, limits, the mapping of pods to workloads, inodes and thresholds of nodes',
  standard:
    'files of containers, specs of containers, requests, inodes of pods, volumes other than emptyDirs, `pod_info`',
  full: 'nothing',
};

/** For a pod with two containers with limits, an emptyDir with a size limit, a configMap and a projected token. */
export async function profileTable(): Promise<string> {
  const rows = await Promise.all(
    profiles.map(async (profile) => {
      const { seriesCount, sizeBytes } = await costOfPods(1, profile);
      return [`\`${profile}\``, String(seriesCount), `${(sizeBytes / 1024).toFixed(1)} KiB`, whatIsLost[profile]];
    }),
  );
  return markdownTable(['Profile', 'Series for a pod', 'Size for a pod', 'Not included'], rows);
}
