/** What kubelets and API servers write, as far as the figures depend on it. Read with `JSON.parse` or a YAML parser alone. */

export interface RawFs {
  readonly time?: string;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
  readonly inodesUsed?: number;
}

export interface RawIo {
  readonly psi?: { readonly some?: { readonly total?: number }; readonly full?: { readonly total?: number } };
}

export interface RawContainerStats {
  readonly name: string;
  readonly rootfs?: RawFs;
  readonly logs?: RawFs;
}

export interface RawVolumeStats extends RawFs {
  readonly name: string;
  readonly pvcRef?: object;
}

export interface RawPodStats {
  readonly podRef: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly startTime?: string;
  readonly io?: RawIo;
  readonly containers?: readonly RawContainerStats[] | null;
  readonly volume?: readonly RawVolumeStats[];
  readonly 'ephemeral-storage'?: RawFs;
}

export interface RawSummary {
  readonly node: {
    readonly nodeName: string;
    readonly io?: RawIo;
    readonly fs?: RawFs;
    readonly runtime?: { readonly imageFs?: RawFs; readonly containerFs?: RawFs };
  };
  readonly pods: readonly RawPodStats[];
}

type Resources = Readonly<Record<string, string>>;

export interface RawContainer {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly limits?: Resources; readonly requests?: Resources };
  readonly volumeMounts?: readonly { readonly name: string }[];
}

/** Besides its name it has one key: its source. */
export interface RawVolume {
  readonly name: string;
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
}

export interface RawContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly imageID?: string;
  readonly state?: { readonly running?: { readonly startedAt?: string } };
}

export interface RawPod {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly controller?: boolean;
    }[];
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly priority?: number;
    readonly priorityClassName?: string;
    readonly overhead?: Resources;
    readonly initContainers?: readonly RawContainer[];
    readonly containers: readonly RawContainer[];
    readonly ephemeralContainers?: readonly RawContainer[];
    readonly volumes?: readonly RawVolume[];
  };
  readonly status: {
    readonly phase: string;
    readonly qosClass?: string;
    readonly hostIP?: string;
    readonly startTime?: string;
    readonly containerStatuses?: readonly RawContainerStatus[];
    readonly initContainerStatuses?: readonly RawContainerStatus[];
    readonly ephemeralContainerStatuses?: readonly RawContainerStatus[];
  };
}

export interface RawImage {
  readonly names?: readonly string[] | null;
  readonly sizeBytes?: number;
}

export interface RawNode {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly allocatable?: Resources;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly nodeInfo?: {
      readonly operatingSystem?: string;
      readonly kubeletVersion?: string;
      readonly containerRuntimeVersion?: string;
    };
    readonly images?: readonly RawImage[];
  };
}
