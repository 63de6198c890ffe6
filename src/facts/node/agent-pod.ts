/** What the kernel of a node counts for a pod as a whole. What it does not count there is undefined. */
export interface PodResources {
  readonly cpu: CpuCounters | undefined;
  readonly memory: MemoryCounters | undefined;
  readonly io: IoCounters | undefined;
  readonly pids: PidCounts | undefined;
  readonly pressure: PressureTimes | undefined;
}

export type ResourcePart = keyof PodResources;

export const resourceParts: readonly ResourcePart[] = ['cpu', 'memory', 'io', 'pids', 'pressure'];

interface CpuCounters {
  readonly userUs: number | undefined;
  readonly systemUs: number | undefined;
  /** Periods of the pod's quota, and those in which it was used up. */
  readonly periods: number | undefined;
  readonly throttledPeriods: number | undefined;
  readonly throttledUs: number | undefined;
}

interface MemoryCounters {
  readonly currentBytes: number | undefined;
  /** The highest that `currentBytes` has been since the pod started. */
  readonly peakBytes: number | undefined;
  /** Without the page cache that can be reclaimed at once, as the kubelet computes it. */
  readonly workingSetBytes: number | undefined;
  readonly anonBytes: number | undefined;
  readonly fileBytes: number | undefined;
  /** Undefined without a limit. */
  readonly highBytes: number | undefined;
  readonly maxBytes: number | undefined;
  /** All page faults, the major ones included. */
  readonly faults: number | undefined;
  readonly majorFaults: number | undefined;
}

export interface IoCounters {
  /** Over all devices, without those that lie below another one. */
  readonly writtenBytes: number | undefined;
  readonly devices: readonly DeviceIo[];
}

export const ioOperations = ['read', 'write', 'discard'] as const;
export type IoOperation = (typeof ioOperations)[number];

export interface DeviceIo {
  /** `sda`; `8:0` for a device whose name is not known. */
  readonly device: string;
  readonly bytes: Partial<Readonly<Record<IoOperation, number>>>;
  readonly operations: Partial<Readonly<Record<IoOperation, number>>>;
}

interface PidCounts {
  readonly current: number | undefined;
  /** The highest since the pod started. */
  readonly peak: number | undefined;
  /** Undefined without a limit. */
  readonly max: number | undefined;
}

export const pressureResources = ['cpu', 'memory', 'io'] as const;

type PressureTimes = Readonly<Record<(typeof pressureResources)[number], StallTimes>>;

/** How long tasks have waited for a resource. */
export interface StallTimes {
  /** At least one task of the pod. */
  readonly someUs: number | undefined;
  /** All tasks of the pod that could have run. */
  readonly fullUs: number | undefined;
}

/** A pod as the agent on its node sees it. */
export interface AgentPod {
  readonly nodeName: string;
  readonly namespace: string;
  readonly name: string;
  readonly resources: PodResources;
}
