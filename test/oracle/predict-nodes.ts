/** Series of nodes. */
import { storageOf } from './quantity.js';
import type { RawFs, RawNode, RawSummary } from './raw.js';
import type { Labels, Prediction } from './series.js';

/** One node has a summary; `nodes` may hold others that have none. */
export function predictNodes(prediction: Prediction, summary: RawSummary, nodes: readonly RawNode[]): void {
  const { nodeName, runtime } = summary.node;
  const labels = { node: nodeName };
  predictFilesystems(prediction, summary);
  prediction.add('node_dedicated_imagefs', labels, flag(isDedicated(summary)));
  prediction.add('node_split_imagefs', labels, flag(areApart(runtime?.imageFs, runtime?.containerFs)));
  prediction.add('node_data_available', labels, 1);
  for (const { metadata, status } of nodes) {
    prediction.add('node_allocatable_bytes', { node: metadata.name }, storageOf(status?.allocatable));
    if (metadata.name === nodeName) continue;
    prediction.add('node_data_available', { node: metadata.name }, 0);
    prediction.add('node_absent_info', { node: metadata.name, reason: 'never' }, 1);
  }
}

/** Each once: not under the name of its double. */
function predictFilesystems(prediction: Prediction, { node: { nodeName, fs, runtime } }: RawSummary): void {
  const labels = { node: nodeName };
  const { imageFs, containerFs } = runtime ?? {};
  predictFilesystem(prediction, fs, { ...labels, filesystem: 'nodefs' });
  const hasImagefs = !isDouble(fs, imageFs);
  if (hasImagefs) predictFilesystem(prediction, imageFs, { ...labels, filesystem: 'imagefs' });
  if (!isDouble(fs, containerFs) && !(hasImagefs && isDouble(imageFs, containerFs))) {
    predictFilesystem(prediction, containerFs, { ...labels, filesystem: 'containerfs' });
  }
}

function predictFilesystem(prediction: Prediction, figures: RawFs | undefined, labels: Labels): void {
  prediction.add('node_used_bytes', labels, figures?.usedBytes);
  prediction.add('node_available_bytes', labels, figures?.availableBytes);
  prediction.add('node_capacity_bytes', labels, figures?.capacityBytes);
  prediction.add('node_inodes', labels, figures?.inodes);
  prediction.add('node_inodes_free', labels, figures?.inodesFree);
  prediction.add('node_inodes_used', labels, figures?.inodesUsed);
}

const flag = (isSet: boolean | undefined): number | undefined => (isSet === undefined ? undefined : Number(isSet));

const isDouble = (a: RawFs | undefined, b: RawFs | undefined): boolean => areApart(a, b) === false;

/** Whether images lie apart from the kubelet's own files. */
export function isDedicated({ node }: RawSummary): boolean | undefined {
  return areApart(node.fs, node.runtime?.imageFs);
}

/** Two filesystems differ in size, in inodes, or in free bytes by more than what is written between two looks at one. */
function areApart(a: RawFs = {}, b: RawFs = {}): boolean | undefined {
  const isSame = (x: number | undefined, y: number | undefined): boolean | undefined =>
    x === undefined || y === undefined ? undefined : x === y;
  const isSameSize = isSame(a.capacityBytes, b.capacityBytes);
  if (isSameSize !== true) return isSameSize === undefined ? undefined : true;
  if (isSame(a.inodes, b.inodes) === false) return true;
  const freeApart = Math.abs((a.availableBytes ?? Number.NaN) - (b.availableBytes ?? Number.NaN));
  return Number.isNaN(freeApart) ? undefined : freeApart * 100 > (a.capacityBytes ?? 0);
}
