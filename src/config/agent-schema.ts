/** The settings of the agent on the node. */
import { boolean, duration } from './scalars.js';
import { section } from './setting.js';

export const agent = section({
  enabled: boolean({
    default: false,
    help: 'Read on the node itself what the kernel counts for each pod: `pod_io_written_bytes_total` and, in the full profile, `pod_cgroup_*`. Requires `cluster.nodeLocal` or --node, and `/sys/fs/cgroup` of the host as in the overlay `node-local-agent`.',
  }),
  sampleInterval: duration({
    default: '0s',
    minMs: 50,
    maxMs: 10_000,
    zero: 'for never',
    help: 'How often pods younger than a minute are sampled between scrapes: their peaks of memory and processes, which `pod_cgroup_memory_bytes` and `pod_cgroup_pids` in the full profile then have for pods too that have ended since the last scrape.',
  }),
});
