import type { VolumeUsage } from '../../attribution/usage.js';
import { countedComponent } from '../../attribution/volume-usage.js';
import type { Pod, Volume, VolumeType } from '../../kube/objects.js';

export interface VolumeReport {
  readonly volume: string;
  readonly type: VolumeType;
  readonly medium: string;
  readonly usedBytes: number | undefined;
  readonly sizeLimitBytes: number | undefined;
  /** Whether its bytes are part of the pod's total. */
  readonly isCounted: boolean;
  /** Why, or why not. */
  readonly why: string;
  /** Wall time of the kubelet's measurement, since the epoch. */
  readonly measuredAtMs: number | undefined;
}

/** Those that the kubelet lists, then those of the spec that it does not. */
export function volumeReports(listed: readonly VolumeUsage[], pod: Pod | undefined): readonly VolumeReport[] {
  const names = new Set(listed.map(({ name }) => name));
  const unlisted = pod?.volumes.filter(({ name }) => !names.has(name)) ?? [];
  return [...listed.map(listedReport), ...unlisted.map(unlistedReport)];
}

function listedReport({ name, type, medium, usedBytes, sizeLimitBytes, measuredAtMs }: VolumeUsage): VolumeReport {
  const isPart = countedComponent({ type, medium }) !== undefined;
  const isCounted = isPart && usedBytes !== undefined;
  const why = isPart && !isCounted ? 'without a figure' : whyOf(type, medium);
  return { volume: name, type, medium, usedBytes, sizeLimitBytes, isCounted, why, measuredAtMs };
}

function unlistedReport({ name, type, medium, sizeLimitBytes }: Volume): VolumeReport {
  const isPart = countedComponent({ type, medium }) !== undefined;
  const why = isPart ? 'not measured yet' : whyOf(type, medium);
  const unmeasured = { usedBytes: undefined, measuredAtMs: undefined };
  return { volume: name, type, medium, sizeLimitBytes, isCounted: false, why, ...unmeasured };
}

const inMemory = 'in memory';
const ownStorage = 'own storage';

const reasons: Readonly<Record<VolumeType, string>> = {
  emptydir: 'part of emptydir',
  configmap: 'part of configmap',
  gitrepo: 'not measured by kubelets',
  secret: inMemory,
  projected: inMemory,
  downwardapi: inMemory,
  hostpath: 'files of the node',
  pvc: ownStorage,
  ephemeral: ownStorage,
  csi: ownStorage,
  nfs: ownStorage,
  image: 'image of the node',
  unknown: 'unknown type',
};

function whyOf(type: VolumeType, medium: string): string {
  return medium === '' ? reasons[type] : inMemory;
}
