/** Series of nodes. */
import { countedIn, kindOfSpec } from './pods.js';
import { sumOfAll } from './quantity.js';
import type { RawFs, RawNode, RawPod, RawPodStats, RawSummary } from './raw.js';
import type { Labels, Prediction } from './series.js';
import { timeMs, toSeconds } from './times.js';

/** Undefined for a pod that the API server does not know. */
type SpecOf = (stats: RawPodStats) => RawPod | undefined;

export function predictNode(prediction: Prediction, summary: RawSummary, specOf: SpecOf): void {
  const { nodeName, runtime } = summary.node;
  const labels = { node: nodeName };
  predictFilesystems(prediction, summary);
  predictOwners(prediction, summary, specOf);
  prediction.add('node_dedicated_imagefs', labels, flag(isDedicated(summary)));
  prediction.add('node_split_imagefs', labels, flag(areTwoAtOnce(runtime?.imageFs, runtime?.containerFs)));
  prediction.add('node_data_available', labels, 1);
}

/** Those that have never responded. */
export function predictAbsentNodes(prediction: Prediction, nodes: readonly RawNode[]): void {
  for (const { metadata } of nodes) {
    prediction.add('node_data_available', { node: metadata.name }, 0);
    prediction.add('node_absent_info', { node: metadata.name, reason: 'never' }, 1);
  }
}

/** Each once: not under the name of its double. */
function predictFilesystems(prediction: Prediction, summary: RawSummary): void {
  const { nodeName, fs, runtime } = summary.node;
  const labels = { node: nodeName };
  const { imageFs, containerFs } = runtime ?? {};
  predictFilesystem(prediction, fs, { ...labels, filesystem: 'nodefs' });
  if (isDedicated(summary) !== false) {
    predictFilesystem(prediction, imageFs, { ...labels, filesystem: 'imagefs' });
  }
  if (areTwoAtOnce(imageFs, containerFs) !== false && (fs === undefined || areApart(fs, containerFs) === true)) {
    predictFilesystem(prediction, containerFs, { ...labels, filesystem: 'containerfs' });
  }
}

/** Whose bytes each filesystem holds: pods by their totals, else by all that is measured of them, images, and what is left. */
function predictOwners(prediction: Prediction, summary: RawSummary, specOf: SpecOf): void {
  const { fs, runtime = {} } = summary.node;
  const { imageFs, containerFs } = runtime;
  const { images, layers } = placesOf(summary);
  const layersBytes = sumOfAll(summary.pods.map((stats) => layersOf(stats, specOf)));
  const totalBytes = sumOfAll(summary.pods.map((stats) => totalOf(stats, specOf)));
  const owned = (filesystem: Place): OwnedBytes => {
    const layersHere = layers === filesystem ? layersBytes : 0n;
    const imagesHere = less(big(imageFs?.usedBytes), layersHere);
    const onNodefs = layers === 'nodefs' ? totalBytes : less(totalBytes, layersBytes);
    return {
      labels: { node: summary.node.nodeName, filesystem },
      pods: filesystem === 'nodefs' ? onNodefs : layersHere,
      images: images === filesystem ? imagesHere && atLeastZero(imagesHere) : images && 0n,
    };
  };
  if (fs !== undefined) predictOwnersOf(prediction, owned('nodefs'), big(fs.usedBytes));
  if (images === 'imagefs') predictOwnersOf(prediction, owned('imagefs'), imageFs && occupied(imageFs));
  if (layers === 'containerfs') predictOwnersOf(prediction, owned('containerfs'), containerFs && occupied(containerFs));
}

type Place = 'nodefs' | 'imagefs' | 'containerfs';

/** Where images and writable layers are. */
function placesOf(summary: RawSummary): { readonly images: Place | undefined; readonly layers: Place } {
  const { fs, runtime = {} } = summary.node;
  const dedicated = isDedicated(summary);
  if (dedicated !== true) return { images: dedicated === undefined ? undefined : 'nodefs', layers: 'nodefs' };
  if (areTwoAtOnce(runtime.imageFs, runtime.containerFs) !== true) return { images: 'imagefs', layers: 'imagefs' };
  return { images: 'imagefs', layers: areApart(fs, runtime.containerFs) === true ? 'containerfs' : 'nodefs' };
}

interface OwnedBytes {
  readonly labels: Labels;
  readonly pods: bigint | undefined;
  readonly images: bigint | undefined;
}

function predictOwnersOf(
  prediction: Prediction,
  { labels, pods, images }: OwnedBytes,
  usedBytes: bigint | undefined,
): void {
  prediction.add('node_pods_used_bytes', labels, pods);
  prediction.add('node_images_used_bytes', labels, images);
  prediction.add('node_unattributed_bytes', labels, less(less(usedBytes, pods), images));
}

const big = (figure: number | undefined): bigint | undefined => (figure === undefined ? undefined : BigInt(figure));
const less = (from: bigint | undefined, amount: bigint | undefined): bigint | undefined =>
  from === undefined || amount === undefined ? undefined : from - amount;
const atLeastZero = (amount: bigint): bigint => (amount > 0n ? amount : 0n);
const occupied = ({ capacityBytes, availableBytes }: RawFs): bigint | undefined =>
  capacityBytes === undefined || availableBytes === undefined ? undefined : BigInt(capacityBytes - availableBytes);

/** Undefined with a negative figure. */
const filesOf = ({ containers }: RawPodStats, place: 'rootfs' | 'logs'): bigint | undefined =>
  sumOfAll((containers ?? []).map((container) => figureOf(container[place]?.usedBytes)));
const figureOf = (figure = 0): bigint | undefined => (figure < 0 ? undefined : BigInt(figure));

function totalOf(stats: RawPodStats, specOf: SpecOf): bigint | undefined {
  const counted = specOf(stats)?.spec.volumes?.filter((volume) => countedIn(kindOfSpec(volume)) !== undefined) ?? [];
  const volumes = counted.map(({ name }) => figureOf(stats.volume?.findLast((one) => one.name === name)?.usedBytes));
  return (
    big(stats['ephemeral-storage']?.usedBytes) ??
    sumOfAll([filesOf(stats, 'rootfs'), filesOf(stats, 'logs'), ...volumes])
  );
}

/** At most the pod's total. */
function layersOf(stats: RawPodStats, specOf: SpecOf): bigint | undefined {
  const [layers, total] = [filesOf(stats, 'rootfs'), totalOf(stats, specOf)];
  return layers !== undefined && total !== undefined && layers > total ? total : layers;
}

function predictFilesystem(prediction: Prediction, figures: RawFs | undefined, labels: Labels): void {
  prediction.add('node_used_bytes', labels, figures?.usedBytes);
  prediction.add('node_available_bytes', labels, figures?.availableBytes);
  prediction.add('node_capacity_bytes', labels, figures?.capacityBytes);
  prediction.add('node_inodes', labels, figures?.inodes);
  prediction.add('node_inodes_free', labels, figures?.inodesFree);
  prediction.add('node_inodes_used', labels, figures?.inodesUsed);
  prediction.add('node_stats_timestamp_seconds', labels, toSeconds(timeMs(figures?.time)));
}

const flag = (isSet: boolean | undefined): number | undefined => (isSet === undefined ? undefined : Number(isSet));

/** Whether images lie apart from the kubelet's own files. */
export function isDedicated({ node }: RawSummary): boolean | undefined {
  const { imageFs, containerFs } = node.runtime ?? {};
  return areTwoAtOnce(imageFs, containerFs) === true || areTwoAtOnce(node.fs, imageFs);
}

/** As one summary shows: filesystems of one size, or of an unknown one, are two only after a second one. */
function areTwoAtOnce(a: RawFs | undefined, b: RawFs | undefined): boolean | undefined {
  if (a === undefined || b === undefined) return undefined;
  return areApart(a, b) !== undefined && a.capacityBytes !== b.capacityBytes;
}

/** Two filesystems differ in size, or by a hundredth in inodes or free bytes: more than what is written between two looks at one. */
function areApart(a: RawFs = {}, b: RawFs = {}): boolean | undefined {
  if (a.capacityBytes === undefined || b.capacityBytes === undefined) return undefined;
  if (a.capacityBytes !== b.capacityBytes) return true;
  const known = (figure: number | undefined): number => figure ?? Number.NaN;
  const inodes = Math.abs(known(a.inodes) - known(b.inodes));
  if (a.inodes !== 0 && b.inodes !== 0 && inodes * 100 > known(b.inodes)) return true;
  const freeApart = Math.abs(known(a.availableBytes) - known(b.availableBytes));
  return Number.isNaN(freeApart) ? undefined : freeApart * 100 > a.capacityBytes;
}
