/** Series of the images of a node: all that its Node lists, and those of them that no container uses. */
import type { Recording } from './predict.js';
import type { RawContainerStatus, RawImage, RawPod } from './raw.js';
import type { Prediction } from './series.js';
import { hasEnded } from './workloads.js';

/** A Node lists no more images of a node by default, and no more names of an image. */
const [mostImages, mostNames] = [50, 5];

export function predictImages(prediction: Prediction, { summary, pods, nodes }: Recording): void {
  const labels = { node: summary.node.nodeName };
  const { images = [], nodeInfo } = nodes.find(({ metadata }) => metadata.name === labels.node)?.status ?? {};
  if (images.length === 0) return;
  const isContainerd = nodeInfo?.containerRuntimeVersion?.split('://')[0] === 'containerd';
  if (isContainerd && images.length < mostImages) prediction.add('node_image_content_bytes', labels, sizeOf(images));
  const areKnown = summary.pods.every(({ podRef: { namespace, name } }) =>
    pods.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  );
  const statuses = pods.filter((pod) => pod.spec.nodeName === labels.node && !hasEnded(pod)).flatMap(statusesOf);
  const unused = images.filter(
    ({ names }) =>
      names && names.length > 0 && names.length < mostNames && !statuses.some((status) => isOf(status, names)),
  );
  if (areKnown) prediction.add('node_images_unused_bytes', labels, sizeOf(unused));
}

function sizeOf(images: readonly RawImage[]): number {
  return images.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
}

function statusesOf({ status }: RawPod): readonly RawContainerStatus[] {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
}

/** By the digest in its ID, else by its name. */
function isOf({ image = '', imageID = '' }: RawContainerStatus, names: readonly string[]): boolean {
  const [, digest] = imageID.split('@');
  return digest === undefined ? names.includes(image) : names.some((name) => name.endsWith(`@${digest}`));
}
