/** The settings of the agent on the node. */
import { isAbsolute } from 'node:path';

import { boolean, duration, share, text } from './scalars.js';
import { section } from './setting.js';

export const agent = section({
  enabled: boolean({
    default: false,
    help: 'Read on the node itself what the kernel counts for each pod, and whose bytes its disk has beside those of pods: `pod_io_written_bytes_total`, `node_unattributed_owner_bytes` and, in the full profile, `pod_cgroup_*`. Requires `cluster.nodeLocal` or `cluster.node`, and paths of the host as in the overlay `node-local-agent`.',
  }),
  hostRoot: text({
    default: '/host',
    accepts: (path) => isAbsolute(path) && !path.includes('\0'),
    allowed: 'the absolute path of a folder',
    help: 'Folder in which the paths of the host are mounted, such as `/host/sys/fs/cgroup`. `/` on the host itself.',
  }),
  sampleInterval: duration({
    default: '0s',
    minMs: 50,
    maxMs: 10_000,
    zero: 'for never',
    help: 'How often pods younger than a minute are sampled between scrapes: their peaks of memory and processes, which `pod_cgroup_memory_bytes` and `pod_cgroup_pids` in the full profile then have for pods too that have ended since the last scrape.',
  }),
  directories: section({
    budget: share({
      default: '5%',
      help: 'Share of the time in which `du` may run, which measures what is on the disk: directories of pods, and for `node_unattributed_owner_bytes` all else. It is stopped in between, and while tasks of the node wait for I/O for more than 20 % of the time.',
    }),
  }),
});
