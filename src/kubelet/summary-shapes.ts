import { JsonShape } from '../base/json-shape.js';

/**
 * The objects of a summary, with their members in the order in which kubelets write them, those that are skipped too.
 * https://pkg.go.dev/k8s.io/kubelet/pkg/apis/stats/v1alpha1
 */

export const stallShape = new JsonShape({ total: undefined, avg10: undefined, avg60: undefined, avg300: undefined });
export const psiShape = new JsonShape({ full: stallShape, some: stallShape });
export const ioShape = new JsonShape({ time: undefined, psi: psiShape });

const cpuShape = new JsonShape({
  time: undefined,
  usageNanoCores: undefined,
  usageCoreNanoSeconds: undefined,
  psi: psiShape,
});
const memoryShape = new JsonShape({
  time: undefined,
  availableBytes: undefined,
  usageBytes: undefined,
  workingSetBytes: undefined,
  rssBytes: undefined,
  pageFaults: undefined,
  majorPageFaults: undefined,
  psi: psiShape,
});
const swapShape = new JsonShape({ time: undefined, swapAvailableBytes: undefined, swapUsageBytes: undefined });
const interfaceShape = new JsonShape({
  name: undefined,
  rxBytes: undefined,
  rxErrors: undefined,
  txBytes: undefined,
  txErrors: undefined,
});
const networkShape = new JsonShape({
  time: undefined,
  name: undefined,
  rxBytes: undefined,
  rxErrors: undefined,
  txBytes: undefined,
  txErrors: undefined,
  interfaces: interfaceShape,
});
const processShape = new JsonShape({ process_count: undefined });

/** Of a volume too: `name` and `pvcRef`. */
export const fsShape = new JsonShape({
  time: undefined,
  availableBytes: undefined,
  capacityBytes: undefined,
  usedBytes: undefined,
  inodesFree: undefined,
  inodes: undefined,
  inodesUsed: undefined,
  name: undefined,
  pvcRef: undefined,
});

export const containerShape = new JsonShape({
  name: undefined,
  startTime: undefined,
  cpu: cpuShape,
  memory: memoryShape,
  io: ioShape,
  rootfs: fsShape,
  logs: fsShape,
  swap: swapShape,
});

export const podRefShape = new JsonShape({ name: undefined, namespace: undefined, uid: undefined });

export const podShape = new JsonShape({
  podRef: podRefShape,
  startTime: undefined,
  containers: containerShape,
  cpu: cpuShape,
  memory: memoryShape,
  io: ioShape,
  network: networkShape,
  volume: fsShape,
  'ephemeral-storage': fsShape,
  process_stats: processShape,
  swap: swapShape,
});

export const runtimeShape = new JsonShape({ imageFs: fsShape, containerFs: fsShape });

export const nodeShape = new JsonShape({
  nodeName: undefined,
  systemContainers: containerShape,
  startTime: undefined,
  cpu: cpuShape,
  memory: memoryShape,
  io: ioShape,
  network: networkShape,
  fs: fsShape,
  runtime: runtimeShape,
  swap: swapShape,
});
