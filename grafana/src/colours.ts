/** Fixed colours of series, the same as on the status page: a part has one colour in every panel. */

/** Colours by the end of a series' name. */
export type Colours = Readonly<Record<string, string>>;

const blue = '#2f6fc4';
const orange = '#c26a00';
const teal = '#0f8a7e';
const purple = '#8052b8';
const grey = '#768390';

export const componentColours: Colours = {
  rootfs: blue,
  logs: orange,
  emptydir: teal,
  configmap: purple,
  other: grey,
};

/** Whose bytes a filesystem holds. */
export const ownerColours: Colours = { pods: blue, images: purple, other: grey, free: '#a9b8c9' };

export const causeColours: Colours = {
  emptydir_limit: teal,
  pod_limit: blue,
  container_limit: orange,
  node_bytes: '#d5382d',
  node_inodes: '#a81b12',
  node_admission: purple,
  other: grey,
};
