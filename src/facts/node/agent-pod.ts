/** What the kernel of a node counts for a pod as a whole, where it counts all of it there. */
interface Counted {
  readonly cpu: {
    readonly userUs: number | undefined;
    readonly systemUs: number | undefined;
    /** Periods of the pod's quota, and those in which it was used up. */
    readonly periods: number | undefined;
    readonly throttledPeriods: number | undefined;
    readonly throttledUs: number | undefined;
  };
  readonly memory: {
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
  };
  readonly io: {
    /** Over all devices, without those that lie below another one. */
    readonly writtenBytes: number | undefined;
    readonly devices: readonly DeviceIo[];
  };
  readonly pids: {
    readonly current: number | undefined;
    /** The highest since the pod started. */
    readonly peak: number | undefined;
    /** Undefined without a limit. */
    readonly max: number | undefined;
  };
  /** How long tasks have waited: at least one of the pod, or all that could have run. */
  readonly pressure: Readonly<
    Record<
      (typeof pressureResources)[number],
      { readonly someUs: number | undefined; readonly fullUs: number | undefined }
    >
  >;
}

export type ResourcePart = keyof Counted;

/** What the kernel does not count there is undefined. */
export type PodResources = { readonly [Part in ResourcePart]: Counted[Part] | undefined };

export const resourceParts: readonly ResourcePart[] = ['cpu', 'memory', 'io', 'pids', 'pressure'];

export const ioOperations = ['read', 'write', 'discard'] as const;
export type IoOperation = (typeof ioOperations)[number];

export interface DeviceIo {
  /** `sda`; `8:0` for a device whose name is not known. */
  readonly device: string;
  readonly bytes: Partial<Readonly<Record<IoOperation, number>>>;
  readonly operations: Partial<Readonly<Record<IoOperation, number>>>;
}

export const pressureResources = ['cpu', 'memory', 'io'] as const;

/** A pod as the agent on its node sees it. */
export interface AgentPod {
  readonly nodeName: string;
  readonly namespace: string;
  readonly name: string;
  readonly resources: PodResources;
}
