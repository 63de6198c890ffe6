import { type JsonObject, objectOf, objectsOf, textOf } from '../../lib/json/json.js';
import type { Dedupe, Intern } from './dedupe.js';
import type { NodeImage, Pod } from './objects.js';
import { maxDetailCount, maxImageNameLength } from './pod-bounds.js';

/** Projects `status.images` of a node. Nodes have the same images by the thousand: each is one object. */
export function projectNodeImages(images: unknown, dedupe: Dedupe): readonly NodeImage[] {
  return objectsOf(images).flatMap(({ names, sizeBytes }) => {
    const all = namesOf(names);
    const name = all.find((candidate) => !hasDigest(candidate)) ?? all[0];
    return isSize(sizeBytes) ? [dedupe({ name, keys: all.map(keyOf), sizeBytes })] : [];
  });
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function namesOf(names: unknown): readonly string[] {
  return Array.isArray(names) ? names.filter((name): name is string => isImageName(name)) : [];
}

function isImageName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= maxImageNameLength;
}

/** Projects {@link Pod.images}. `statuses`: of the containers. */
export function projectPodImages(
  { volumes }: JsonObject,
  statuses: readonly JsonObject[],
  { intern, dedupe }: { readonly intern: Intern; readonly dedupe: Dedupe },
): Pod['images'] {
  const names = [
    ...statuses.map(({ image, imageID }) => (hasDigest(imageID) ? imageID : image)),
    ...objectsOf(volumes).map(({ image }) => textOf(objectOf(image)['reference'])),
    ...statuses.flatMap(({ volumeMounts }) => objectsOf(volumeMounts)).map(mountedImage),
  ];
  const keys = new Set(names.filter(isImageName).map(keyOf));
  return dedupe([...keys].slice(0, maxDetailCount).map(intern));
}

/** From 1.35 on, by its digest: https://kep.k8s.io/5365. */
function mountedImage({ volumeStatus }: JsonObject): string | undefined {
  return textOf(objectOf(objectOf(volumeStatus)['image'])['imageRef']);
}

/** The others are the hash of the image's configuration, which the status of a node does not have. */
function hasDigest(id: unknown): boolean {
  return textOf(id)?.includes('@') === true;
}

/** Returns the digest as a copy: a slice would keep the whole name. */
function keyOf(name: string): string {
  return hasDigest(name) ? Buffer.from(name.slice(name.indexOf('@') + 1)).toString() : shortReference(name);
}

/** Docker Hub and its library may be named or not, and `latest` too: https://pkg.go.dev/github.com/distribution/reference. */
function shortReference(name: string): string {
  const short = name.replace(/^(?:(?:index\.)?docker\.io\/)?(?:library\/(?=[^/]+$))?/, '');
  return /:[^/]*$/.test(short) ? short : `${short}:latest`;
}
