import { readFileSync } from 'node:fs';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { projectNode, projectPod } from '../../src/cluster/kube/projection.js';
import { decodeKubeletConfiguration } from '../../src/cluster/kubelet/decode-configuration.js';
import { decodeSummary } from '../../src/cluster/kubelet/summary-reader.js';

const folder = new URL('../cases/images/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const asIs = (text: string): string => text;

/** What containerd has on the disk. */
interface ContainerdStore {
  readonly snapshots: readonly { readonly kind: 'Active' | 'Committed'; readonly bytes: number }[];
  readonly content: readonly { readonly digest: string }[];
  /** Bytes in blocks, by `du`. */
  readonly du: { readonly content: number };
}

/** A live node and the disk of its images: see test/cases/images/README.md. */
export function readImageCase() {
  const pods = (JSON.parse(read('pods.json')) as { readonly items: readonly object[] }).items;
  return {
    node: projectNode(JSON.parse(read('node.json')), asIs),
    pods: pods.map((pod): Pod => projectPod(pod, asIs)),
    summary: decodeSummary(read('summary.json'), 'summary.json'),
    configuration: decodeKubeletConfiguration(read('configz.json'), 'configz.json'),
    store: JSON.parse(read('store.json')) as ContainerdStore,
  };
}
