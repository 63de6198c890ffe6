import { timestamp } from '../../../sim/model/object-format.js';
import { type BenchPod, digits, nodeNameOf } from './pods.js';
import { fillAt, numberSlot, Template, textSlot } from './template.js';

/** Times differ by pod, as kubelets measure one after the other. */
const timeCount = 10;
const partWidth = 9;
/** Writable layers and logs of two containers, and the emptyDir. */
const partsPerPod = 5;
const leastPartBytes = 150_000_000;
/** So little that no pod ever seems to be near a limit. */
const partSpreadBytes = 2_000_000;
const configBytes = 4096;
const capacityBytes = 107_374_182_400;

const fsOf = (time: string, usedBytes: string | number): object => ({
  time,
  availableBytes: numberSlot('available', 11),
  capacityBytes,
  usedBytes,
  inodesFree: 6_400_000,
  inodes: 6_553_600,
  inodesUsed: 153_600,
});

const compute = (time: string): object => ({
  cpu: { time, usageNanoCores: numberSlot('cores', 9), usageCoreNanoSeconds: 123_456_789_000 },
  memory: {
    time,
    usageBytes: 201_326_592,
    workingSetBytes: 150_994_944,
    rssBytes: 134_217_728,
    pageFaults: 123_456,
    majorPageFaults: 12,
  },
});

function pressure(time: string): object {
  const stall = (total: number): object => ({ total, avg10: 0.12, avg60: 0.1, avg300: 0.08 });
  return { time, psi: { full: stall(1_234_567), some: stall(4_938_268) } };
}

function podStats(index: number): object {
  const slot = (name: string, width: number): string => textSlot(`pod${index}.${name}`, width);
  const part = (at: number): string => numberSlot(`pod${index}.part${at}`, partWidth);
  const time = textSlot(`time${index % timeCount}`, 20);
  const container = (name: string, firstPart: number): object => ({
    name,
    startTime: slot('startedAt', 20),
    ...compute(time),
    io: pressure(time),
    rootfs: { ...fsOf(time, part(firstPart)), inodesUsed: 321 },
    logs: { ...fsOf(time, part(firstPart + 1)), inodesUsed: 3 },
    swap: { time, swapAvailableBytes: 0, swapUsageBytes: 0 },
  });
  return {
    podRef: { name: slot('name', 27), namespace: slot('namespace', 7), uid: slot('uid', 36) },
    startTime: slot('startedAt', 20),
    containers: [container('app', 0), container('proxy', 2)],
    ...compute(time),
    io: pressure(time),
    network: {
      time,
      name: 'eth0',
      rxBytes: 123_456_789,
      rxErrors: 0,
      txBytes: 987_654_321,
      txErrors: 0,
      interfaces: [{ name: 'eth0', rxBytes: 123_456_789, rxErrors: 0, txBytes: 987_654_321, txErrors: 0 }],
    },
    volume: [
      { ...fsOf(time, part(4)), inodesUsed: 45, name: 'cache' },
      { ...fsOf(time, configBytes), inodesUsed: 5, name: 'config' },
      { ...fsOf(time, configBytes * 3), inodesUsed: 9, name: `kube-api-access-${slot('tokenSuffix', 5)}` },
    ],
    'ephemeral-storage': { ...fsOf(time, numberSlot(`pod${index}.total`, partWidth)), inodesUsed: 383 },
    process_stats: { process_count: 12 },
    swap: { time, swapAvailableBytes: 0, swapUsageBytes: 0 },
  };
}

function summary(podCount: number): object {
  const time = textSlot('time0', 20);
  const startTime = '2026-01-01T00:00:00Z';
  const image = { ...fsOf(time, 21_474_836_480), inodesUsed: 120 };
  return {
    node: {
      nodeName: textSlot('node', 10),
      systemContainers: ['kubelet', 'runtime', 'pods'].map((name) => ({ name, startTime, ...compute(time) })),
      startTime,
      ...compute(time),
      io: pressure(time),
      fs: fsOf(time, numberSlot('used', 11)),
      runtime: { imageFs: image, containerFs: image },
      rlimit: { time, maxpid: 32_768, curproc: 812 },
    },
    pods: Array.from({ length: podCount }, (_, index) => podStats(index)),
  };
}

interface PodSlots {
  readonly parts: readonly (readonly number[])[];
  readonly total: readonly number[];
}

/** The bodies of `/stats/summary`, in the format of a kubelet: one buffer for each node, patched before each response. */
export class Summaries {
  readonly #template: Template;
  readonly #pods: readonly PodSlots[];
  readonly #bodies = new Map<number, Buffer>();
  readonly #changedShare: number;
  /** Of a small pseudo-random sequence: values need only differ. */
  #state = 1;

  /** `changedShare`: of the pods of a node, how many have other sizes in its next body; from 0 to 1. */
  constructor(podsPerNode: number, changedShare = 1) {
    this.#changedShare = changedShare;
    const template = new Template(summary(podsPerNode), 1);
    this.#template = template;
    this.#pods = Array.from({ length: podsPerNode }, (_, index) => ({
      parts: Array.from({ length: partsPerPod }, (_, part) => template.offsets(`pod${index}.part${part}`)),
      total: template.offsets(`pod${index}.total`),
    }));
  }

  /** The node's body as of `nowMs`; overwritten by the next call for the same node. */
  body(nodeIndex: number, pods: readonly BenchPod[], nowMs: number): Buffer {
    const former = this.#bodies.get(nodeIndex);
    const body = former ?? this.#create(nodeIndex, pods);
    const count = Math.min(timeCount, pods.length);
    for (let index = 0; index < count; index++)
      fillAt(body, 0, this.#template.offsets(`time${index}`), timestamp(nowMs - index * 1_000));
    const usedBytes = 40_000_000_000 + this.#next(1_000_000);
    this.#template.fill(body, 0, {
      used: String(usedBytes),
      available: String(capacityBytes - usedBytes),
      cores: String(100_000_000 + this.#next(99_999_999)),
    });
    for (const slots of this.#pods) {
      if (former === undefined || this.#next(100) < 100 * this.#changedShare) this.#fillPod(body, slots);
    }
    return body;
  }

  /** To be called when another pod runs in the place of one of the node's. */
  replaced(pod: BenchPod): void {
    const body = this.#bodies.get(pod.nodeIndex);
    if (body !== undefined) this.#name(body, pod);
  }

  #create(nodeIndex: number, pods: readonly BenchPod[]): Buffer {
    const body = Buffer.from(this.#template.skeleton);
    this.#template.fill(body, 0, { node: nodeNameOf(nodeIndex) });
    for (const pod of pods) this.#name(body, pod);
    this.#bodies.set(nodeIndex, body);
    return body;
  }

  #name(body: Buffer, { position, name, namespace, uid, startedAt, tokenSuffix }: BenchPod): void {
    const values = { name, namespace, uid, startedAt, tokenSuffix };
    for (const [slot, text] of Object.entries(values))
      fillAt(body, 0, this.#template.offsets(`pod${position}.${slot}`), text);
  }

  #fillPod(body: Buffer, { parts, total }: PodSlots): void {
    let totalBytes = configBytes;
    for (const part of parts) {
      const bytes = leastPartBytes + this.#next(partSpreadBytes);
      totalBytes += bytes;
      fillAt(body, 0, part, String(bytes));
    }
    fillAt(body, 0, total, digits(totalBytes, partWidth));
  }

  /** From 0 up to, not including, `bound`. */
  #next(bound: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * bound);
  }
}
