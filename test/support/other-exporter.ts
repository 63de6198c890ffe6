/**
 * The metrics of k8s-ephemeral-storage-metrics for a kubelet's summary: its published formulas on the raw JSON, without
 * the code under test. Each documented difference can be applied to the formulas.
 */

export type Difference = 'own usage' | 'factor' | 'clamp' | 'sidecars' | 'node filesystem' | 'unreported';

interface RawFs {
  readonly usedBytes?: number;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
  readonly inodesUsed?: number;
}

interface RawPodStats {
  readonly podRef: { readonly namespace: string; readonly name: string };
  readonly containers?: readonly { readonly name: string; readonly rootfs?: RawFs; readonly logs?: RawFs }[] | null;
  readonly volume?: readonly (RawFs & { readonly name: string })[];
  readonly 'ephemeral-storage'?: RawFs;
}

export interface RawSummary {
  readonly node: { readonly nodeName: string; readonly fs?: RawFs; readonly runtime?: { readonly imageFs?: RawFs } };
  readonly pods?: readonly RawPodStats[];
}

interface RawContainer {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

/** A pod of the API server. */
export interface RawPod {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: {
    readonly initContainers?: readonly RawContainer[];
    readonly containers: readonly RawContainer[];
    readonly volumes?: readonly { readonly name: string; readonly emptyDir?: { readonly sizeLimit?: string } }[];
  };
}

interface Sample {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined: no series. */
  readonly value: number | undefined;
}

/** Of two samples with the same labels, the last one counts. */
export function* theirSamples(
  { node, pods = [] }: RawSummary,
  objects: readonly RawPod[],
  applies: (difference: Difference) => boolean,
): Generator<Sample> {
  const formulas = new Formulas(applies, isDedicated(node));
  const nodefs = applies('node filesystem') ? (node.fs ?? {}) : undefined;
  const byNode = { node_name: node.nodeName };
  if (nodefs !== undefined) yield* formulas.ofNode(nodefs, byNode);
  for (const stats of pods.filter((pod) => !formulas.isLeftOut(pod))) {
    const { namespace, name } = stats.podRef;
    const total = stats['ephemeral-storage'] ?? {};
    const filesystem = nodefs ?? total;
    if (nodefs === undefined) yield* formulas.ofNode(total, byNode);
    const labels = { ...byNode, pod_namespace: namespace, pod_name: name };
    yield* formulas.ofPod(total, filesystem, labels);
    yield* formulas.ofFiles(stats, labels);
    for (const object of objects.filter(({ metadata }) => metadata.namespace === namespace && metadata.name === name)) {
      yield* formulas.ofLimits(stats, object, filesystem, labels);
      yield* formulas.ofVolumes(stats, object, labels);
    }
  }
}

class Formulas {
  readonly #applies: (difference: Difference) => boolean;
  readonly #isDedicated: boolean;

  constructor(applies: (difference: Difference) => boolean, dedicated: boolean) {
    this.#applies = applies;
    this.#isDedicated = dedicated;
  }

  isLeftOut(stats: RawPodStats): boolean {
    const { usedBytes, availableBytes, capacityBytes } = stats['ephemeral-storage'] ?? {};
    if (this.#applies('unreported')) return usedBytes === undefined;
    return [usedBytes, availableBytes, capacityBytes].every((bytes = 0) => bytes === 0);
  }

  *ofNode(fs: RawFs, labels: Sample['labels']): Generator<Sample> {
    yield { family: 'node_available', labels, value: this.#figure(fs.availableBytes) };
    yield { family: 'node_capacity', labels, value: this.#figure(fs.capacityBytes) };
    yield { family: 'node_percentage', labels, value: this.#nodePercentage(fs) };
  }

  *ofPod(total: RawFs, filesystem: RawFs, labels: Sample['labels']): Generator<Sample> {
    yield { family: 'pod_usage', labels, value: this.#figure(total.usedBytes) };
    yield { family: 'inodes', labels, value: this.#figure(filesystem.inodes) };
    yield { family: 'inodes_free', labels, value: this.#figure(filesystem.inodesFree) };
    yield { family: 'inodes_used', labels, value: this.#figure(total.inodesUsed) };
  }

  *ofFiles({ containers }: RawPodStats, podLabels: Sample['labels']): Generator<Sample> {
    for (const container of containers ?? []) {
      const labels = { ...podLabels, container: container.name };
      for (const part of ['rootfs', 'logs'] as const) {
        const fs = container[part] ?? {};
        const sample = (what: string, figure: number | undefined): Sample => ({
          family: `container_${part}_${what}`,
          labels,
          value: this.#figure(figure),
        });
        yield sample('used_bytes', fs.usedBytes);
        yield sample('available_bytes', fs.availableBytes);
        yield sample('capacity_bytes', fs.capacityBytes);
        yield sample('inodes', fs.inodes);
        yield sample('inodes_free', fs.inodesFree);
        yield sample('inodes_used', fs.inodesUsed);
        const { capacityBytes = 0 } = fs;
        const usedBytes = this.#figure(fs.usedBytes);
        if (capacityBytes === 0 || usedBytes === undefined) continue;
        const value = (usedBytes / capacityBytes) * 100;
        yield { family: `container_${part}_usage_percentage`, labels, value };
      }
    }
  }

  *ofLimits(stats: RawPodStats, { spec }: RawPod, filesystem: RawFs, podLabels: Sample['labels']): Generator<Sample> {
    for (const container of this.#containers(spec)) {
      const limitBytes = bytesOf(container.resources?.limits?.['ephemeral-storage']);
      const source = limitBytes === 0 ? 'node' : 'container';
      const usedBytes = this.#applies('own usage')
        ? this.#ownBytes(stats, container.name)
        : this.#figure(stats['ephemeral-storage']?.usedBytes);
      const value = limitBytes === 0 ? this.#nodePercentage(filesystem) : this.#percentage(usedBytes, limitBytes);
      const labels = { ...podLabels, container: container.name, source };
      yield { family: 'container_limit_percentage', labels, value };
    }
  }

  *ofVolumes({ volume = [] }: RawPodStats, { spec }: RawPod, podLabels: Sample['labels']): Generator<Sample> {
    const emptyDirs = (spec.volumes ?? []).filter(({ emptyDir }) => emptyDir !== undefined);
    for (const { name: container, volumeMounts = [] } of this.#containers(spec)) {
      for (const { name, mountPath } of volumeMounts) {
        const emptyDir = emptyDirs.find((candidate) => candidate.name === name)?.emptyDir;
        const stats = volume.find((candidate) => candidate.name === name);
        if (emptyDir === undefined || stats === undefined) continue;
        const labels = { ...podLabels, container, volume_name: name, mount_path: mountPath };
        const usedBytes = this.#figure(stats.usedBytes);
        yield { family: 'container_volume_usage', labels, value: usedBytes };
        const limitBytes = bytesOf(emptyDir.sizeLimit);
        if (limitBytes === 0) continue;
        yield {
          family: 'container_volume_limit_percentage',
          labels,
          value: this.#percentage(usedBytes, limitBytes),
        };
      }
    }
  }

  #figure(value: number | undefined): number | undefined {
    return value ?? (this.#applies('unreported') ? undefined : 0);
  }

  #nodePercentage(fs: RawFs): number | undefined {
    const availableBytes = this.#figure(fs.availableBytes);
    const capacityBytes = this.#figure(fs.capacityBytes);
    if (availableBytes === undefined || capacityBytes === undefined) return undefined;
    if (capacityBytes === 0) return this.#applies('unreported') ? undefined : Number.NaN;
    return (Math.max(capacityBytes - availableBytes, 0) * 100) / capacityBytes;
  }

  #percentage(usedBytes: number | undefined, limitBytes: number): number | undefined {
    if (usedBytes === undefined) return undefined;
    const percentage = ((usedBytes * (this.#applies('factor') ? 1 : 1.024)) / limitBytes) * 100;
    return this.#applies('clamp') ? percentage : Math.min(percentage, 100);
  }

  #ownBytes({ containers }: RawPodStats, name: string): number | undefined {
    const { rootfs, logs } = containers?.find((container) => container.name === name) ?? {};
    const parts = [this.#isDedicated ? undefined : rootfs?.usedBytes, logs?.usedBytes];
    const known = parts.filter((bytes) => bytes !== undefined);
    return known.length === 0 ? this.#figure(undefined) : known.reduce((sum, bytes) => sum + bytes, 0);
  }

  #containers({ initContainers = [], containers }: RawPod['spec']): readonly RawContainer[] {
    const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
    return this.#applies('sidecars') ? [...sidecars, ...containers] : containers;
  }
}

/** Whether images have a separate filesystem: one with another size or other free space. */
function isDedicated({ fs: nodefs = {}, runtime: { imageFs: imagefs = {} } = {} }: RawSummary['node']): boolean {
  if (nodefs.capacityBytes === undefined || imagefs.capacityBytes === undefined) return false;
  const differenceBytes = Math.abs((nodefs.availableBytes ?? 0) - (imagefs.availableBytes ?? 0));
  return nodefs.capacityBytes !== imagefs.capacityBytes || differenceBytes > nodefs.capacityBytes / 100;
}

const unitBytes: Readonly<Record<string, number>> = {
  '': 1,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  k: 1e3,
  M: 1e6,
  G: 1e9,
};

/** Default: 0. */
function bytesOf(quantity = '0'): number {
  const [, figure = '', unit = ''] = /^(\d+)(\D*)$/.exec(quantity) ?? [];
  const bytes = Number(figure) * (unitBytes[unit] ?? Number.NaN);
  if (figure === '' || Number.isNaN(bytes)) throw new Error(`unexpected quantity: ${quantity}`);
  return bytes;
}
