import { existsSync } from 'node:fs';

import type { AgentPod, PodResources, ResourcePart } from '../facts/node/agent-pod.js';
import type { NodeObjects } from '../facts/node/node-view.js';
import type { ClusterSnapshot } from '../facts/scrape/snapshot.js';
import type { Clock } from '../lib/base/clock.js';
import { messageOf, UserError } from '../lib/base/errors.js';
import type { Lane } from '../lib/base/lane.js';
import type { Logger } from '../lib/base/logger.js';
import { BlockDevices } from './block-devices.js';
import type { ReadFile } from './cgroup-files.js';
import { CgroupSampler } from './cgroup-sampler.js';
import { type CgroupTree, filesOf, findCgroups, podFolders, readersOf } from './cgroup-tree.js';

interface NodeAgentOptions {
  /** Where the host's `/sys/fs/cgroup` is. Default: below `/host`, where the manifests mount it, else the machine's own. */
  readonly cgroupFolder?: string;
  /** The kernel's block devices by number. Default: those in sysfs. */
  readonly deviceFolder?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lane: Lane;
  /** Of pods younger than a minute, between scrapes; 0 for never. */
  readonly sampleIntervalMs: number;
}

/** Reads the cgroups of the pods of its node. */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  /** Undefined where there are none; the log has the reason. */
  readonly #cgroups: CgroupTree | undefined;
  readonly #sampler: CgroupSampler | undefined;

  /** `signal`: ends what runs in the background. */
  constructor(options: NodeAgentOptions, signal: AbortSignal) {
    this.#options = options;
    this.#cgroups = cgroupsOrNone(options);
    if (this.#cgroups === undefined || options.sampleIntervalMs === 0) return;
    this.#sampler = new CgroupSampler({ ...options, cgroups: this.#cgroups, intervalMs: options.sampleIntervalMs });
    void this.#sampler.run(signal);
  }

  /**
   * Reads these parts of each pod that runs on the node now. The folders are listed at each call: a pod that has started is there, and one
   * that has ended is not, unless it was sampled.
   */
  async read(
    nodes: readonly NodeObjects[],
    parts: ReadonlySet<ResourcePart>,
  ): Promise<NonNullable<ClusterSnapshot['agent']>> {
    const cgroups = this.#cgroups;
    if (cgroups === undefined || parts.size === 0) return { pods: [] };
    const devices = new BlockDevices(this.#options.deviceFolder ?? '/sys/dev/block');
    const readers = readersOf(cgroups);
    const folders = podFolders(cgroups);
    const pods: AgentPod[] = [];
    const resourcesOf = (read: ReadFile): PodResources => {
      const of = <Part extends ResourcePart>(part: Part): PodResources[Part] | undefined =>
        parts.has(part) ? readers[part](read, devices) : undefined;
      return { cpu: of('cpu'), memory: of('memory'), io: of('io'), pids: of('pids'), pressure: of('pressure') };
    };
    const sampler = this.#sampler;
    for (const { nodeName, pods: bound, formerPods } of nodes) {
      await this.#options.lane.each([...bound, ...formerPods], ({ pod: { namespace, name, kubeletUid } }) => {
        const folder = folders.get(kubeletUid);
        const kernel = folder === undefined ? undefined : filesOf(cgroups, folder);
        const read = sampler === undefined ? kernel : sampler.withPeaks(kubeletUid, kernel);
        if (read !== undefined) pods.push({ nodeName, namespace, name, resources: resourcesOf(read) });
      });
    }
    return { pods };
  }
}

const mountedFolder = '/host/sys/fs/cgroup';

function cgroupsOrNone({ cgroupFolder, logger }: NodeAgentOptions): CgroupTree | undefined {
  try {
    const cgroups = findCgroups(cgroupFolder ?? (existsSync(mountedFolder) ? mountedFolder : '/sys/fs/cgroup'));
    const { version, driver, listed, kubepods, missing } = cgroups;
    const missingFiles = missing.size === 0 ? undefined : [...missing].join(',');
    logger.info('found the cgroups of pods', { version, driver, folder: `${listed}/${kubepods}`, missingFiles });
    return cgroups;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    logger.warn('the agent has no values of cgroups', { error: messageOf(error) });
    return undefined;
  }
}
