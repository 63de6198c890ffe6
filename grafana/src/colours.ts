/** Fixed colours, the same as on the status page: a part and a state have one colour in every panel. */

/** Colours by the end of a series' name. */
export type Colours = Readonly<Record<string, string>>;

/** `unknown` is the colour of text: neither good nor bad. */
export const stateColours = {
  ok: '#2e9150',
  warning: '#cf8200',
  critical: '#d5382d',
  over: '#a81b12',
  unknown: 'text',
} as const;

export type State = keyof typeof stateColours;

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
  node_bytes: stateColours.critical,
  node_inodes: stateColours.over,
  node_admission: purple,
  other: grey,
};

/** Reasons of failed requests, and of nodes without data. */
const reasonColours: Colours = {
  timeout: stateColours.warning,
  connection: stateColours.critical,
  http_status: stateColours.over,
  tls: purple,
  unauthorized: '#6b3fa0',
  forbidden: '#9c4f96',
  skipped: '#a9b8c9',
};

/** Results of scrapes, requests, lists and watches. */
export const resultColours: Colours = {
  ...reasonColours,
  success: stateColours.ok,
  deadline: stateColours.warning,
  rejected: stateColours.critical,
  aborted: grey,
  fresh: stateColours.ok,
  refreshed: blue,
  stale: stateColours.warning,
  absent: stateColours.critical,
};

/** Nodes and pods with and without data. */
export const coverageColours: Colours = {
  ...reasonColours,
  'with data': stateColours.ok,
  'without data': stateColours.critical,
  'missing pods': stateColours.warning,
  'dangling pods': grey,
};

export const levelColours: Colours = {
  workload: blue,
  node: teal,
  pod: orange,
  container: purple,
  volume: grey,
};
