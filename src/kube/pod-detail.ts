/** Containers of a pod that are shown one by one; volumes as many. Authors of pods decide how many a pod has. */
export const maxDetailCount = 100;

/** What the rest of a pod's containers, or volumes, is called together. No container and no volume can have this name. */
export const othersName = '(others)';
