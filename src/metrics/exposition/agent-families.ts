/** What the agent on a node reads: the series of its pods, and their families. */
import {
  type AgentPod,
  type DeviceIo,
  ioOperations,
  type PodResources,
  pressureResources,
  type ResourcePart,
} from '../../facts/node/agent-pod.js';
import {
  type FamilyGroup,
  familyGroup,
  type FamilyOptions,
  microsecondsToSeconds as seconds,
  type Profile,
  seriesOf,
} from './family.js';
import { pods } from './pod-sources.js';
import { allowedBy, type FamilyRules } from './selection.js';

/** A value, and those of the family's labels after the ones of the pod. */
type PodValue = readonly [value: number | undefined, ...labels: readonly string[]];

/** By name, in the order of the table. `part`: of the resources, what it shows. `profile`: by default full. `labels`: after those of the pod. */
const agentFamilies: Readonly<
  Record<
    string,
    Pick<FamilyOptions<never>, 'help'> & {
      readonly part: ResourcePart;
      readonly profile?: Profile;
      readonly labels?: readonly string[];
      readonly values: (resources: PodResources) => readonly PodValue[];
    }
  >
> = {
  pod_io_written_bytes_total: {
    part: 'io',
    profile: 'standard',
    help: 'Bytes that the pod has written to block devices, logical volumes counted once. With cgroup v1, only those written without the page cache.',
    values: ({ io }) => [[io?.writtenBytes]],
  },
  pod_cgroup_cpu_seconds_total: {
    part: 'cpu',
    labels: ['mode'],
    help: 'CPU time of the pod, in user and in system mode.',
    values: ({ cpu }) => [
      [seconds(cpu?.userUs), 'user'],
      [seconds(cpu?.systemUs), 'system'],
    ],
  },
  pod_cgroup_cpu_periods_total: {
    part: 'cpu',
    help: "Periods of the pod's CPU quota in which it could run. A pod has a quota if all of its containers have CPU limits.",
    values: ({ cpu }) => [[cpu?.periods]],
  },
  pod_cgroup_cpu_throttled_periods_total: {
    part: 'cpu',
    help: 'Periods in which the pod used up its CPU quota. Quotas of single containers are not in it.',
    values: ({ cpu }) => [[cpu?.throttledPeriods]],
  },
  pod_cgroup_cpu_throttled_seconds_total: {
    part: 'cpu',
    help: 'Time for which the pod was throttled, as it had used up its CPU quota.',
    values: ({ cpu }) => [[seconds(cpu?.throttledUs)]],
  },
  pod_cgroup_memory_bytes: {
    part: 'memory',
    labels: ['kind'],
    help: 'Memory of the pod: all (current), the highest that has been since it started (peak, also of a pod that has ended, with agent.sampleInterval), without page cache that can be reclaimed at once (working_set), of processes (anon), of the page cache (file).',
    values: ({ memory }) => [
      [memory?.currentBytes, 'current'],
      [memory?.peakBytes, 'peak'],
      [memory?.workingSetBytes, 'working_set'],
      [memory?.anonBytes, 'anon'],
      [memory?.fileBytes, 'file'],
    ],
  },
  pod_cgroup_memory_limit_bytes: {
    part: 'memory',
    labels: ['kind'],
    help: 'Memory limit of the pod: from which on it is slowed down (high), and that it cannot exceed (max).',
    values: ({ memory }) => [
      [memory?.highBytes, 'high'],
      [memory?.maxBytes, 'max'],
    ],
  },
  pod_cgroup_memory_faults_total: {
    part: 'memory',
    labels: ['kind'],
    help: 'Page faults of the pod: all of them, and of these the ones that read from a disk (major).',
    values: ({ memory }) => [
      [memory?.faults, 'all'],
      [memory?.majorFaults, 'major'],
    ],
  },
  pod_cgroup_io_bytes_total: {
    part: 'io',
    labels: ['device', 'operation'],
    help: 'Bytes that the pod has read, written and discarded on each block device. What is written to a logical volume is counted again on the disk below it.',
    values: ({ io }) => deviceValues(io?.devices, ({ bytes }) => bytes),
  },
  pod_cgroup_io_operations_total: {
    part: 'io',
    labels: ['device', 'operation'],
    help: 'Reads, writes and discards of the pod on each block device.',
    values: ({ io }) => deviceValues(io?.devices, ({ operations }) => operations),
  },
  pod_cgroup_pids: {
    part: 'pids',
    labels: ['kind'],
    help: 'Processes and threads of the pod (current), the most since it started (peak, also of a pod that has ended, with agent.sampleInterval), and their limit (max).',
    values: ({ pids }) => [
      [pids?.current, 'current'],
      [pids?.peak, 'peak'],
      [pids?.max, 'max'],
    ],
  },
  pod_cgroup_pressure_seconds_total: {
    part: 'pressure',
    labels: ['resource', 'kind'],
    help: 'Time for which tasks of the pod waited for CPU, memory or I/O: at least one (some), or all of them (full). Only with cgroup v2.',
    values: ({ pressure }) =>
      pressureResources.flatMap((resource): readonly PodValue[] => [
        [seconds(pressure?.[resource].someUs), resource, 'some'],
        [seconds(pressure?.[resource].fullUs), resource, 'full'],
      ]),
  },
};

function deviceValues(
  devices: readonly DeviceIo[] = [],
  valuesOf: (device: DeviceIo) => DeviceIo['bytes'],
): readonly PodValue[] {
  return devices.flatMap((device) =>
    ioOperations.map((operation): PodValue => [valuesOf(device)[operation], device.device, operation]),
  );
}

export const agentGroups: readonly FamilyGroup<readonly AgentPod[]>[] = Object.entries(agentFamilies).map(
  ([familyName, { labels = [], values, profile = 'full', help }]) =>
    familyGroup(
      'pod',
      seriesOf(
        [...pods.labels, ...labels],
        (ofAgent: readonly AgentPod[]) =>
          ofAgent.flatMap((pod) => values(pod.resources).map((shown) => ({ pod, shown }))),
        ({ pod: { namespace, name, nodeName }, shown: [, ...own] }) => [namespace, name, nodeName, ...own],
      ),
      { [familyName]: { profile, help, value: ({ shown: [value] }) => value } },
    ),
);

/** Returns what the agent must read of each pod for the families that the settings allow. */
export function agentParts(rules: FamilyRules): ReadonlySet<ResourcePart> {
  const isAllowed = allowedBy(rules);
  const shown = Object.values(agentFamilies).filter((_, index) => agentGroups[index]?.families.some(isAllowed));
  return new Set(shown.map(({ part }) => part));
}
