/** Bounds of what is kept of one pod: its author chooses its size, up to the 1.5 MB of an API object. */

/** Containers of a pod that are shown one by one; volumes as many. */
export const maxDetailCount = 100;

/** What the rest of a pod's containers, or volumes, is called together. No container and no volume can have this name. */
export const othersName = '(others)';

/** Containers, and volumes, behind those in detail whose limits are still compared one by one with what the kubelet lists. */
export const maxCheckedCount = 400;

/**
 * Containers, and volumes, that are kept one by one of a pod in a summary, which has them in no order: far more than both
 * together, so that those are among them in pods that a node can run. A pod of so many, with as many mounts as an API server
 * accepts, is derived in some tens of milliseconds.
 */
export const maxListedCount = 5_000;

/** Mounts of all containers together. */
export const maxMountCount = 1_000;

/** Characters of the paths of these. */
export const maxMountPathLength = 2 ** 16;

/**
 * Characters of the name of an image: a repository, and a tag or a digest.
 * https://github.com/distribution/reference/blob/main/reference.go
 */
export const maxImageNameLength = 512;

/** The longest name of an object. https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ */
export const maxNameLength = 253;
