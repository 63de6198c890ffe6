import { readFileSync } from 'node:fs';

import { createInterner } from '../../src/cluster/kube/dedupe.js';
import type { Pod } from '../../src/cluster/kube/objects.js';
import { projectPod } from '../../src/cluster/kube/projection.js';
import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { decodeSummary } from '../../src/cluster/kubelet/summary-reader.js';

/** Answers that the kubelet's own eviction code gave to random pods: see test/cases/eviction/README.md. */
export function readCases(name: string): { readonly kubeletVersion: string; readonly cases: readonly unknown[] } {
  const url = new URL(`../cases/eviction/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as { kubeletVersion: string; cases: unknown[] }; // its README has the shape
}

interface RawPod {
  readonly metadata: object;
  readonly status?: { readonly phase: string };
}

/** What the API server and the kubelet say in one case. */
export interface CaseInput {
  readonly id: string;
  readonly layout: 'shared' | 'dedicated' | 'split';
  readonly pods: readonly RawPod[];
  readonly stats: readonly object[];
}

export interface CasePod {
  readonly key: string;
  readonly pod: Pod;
  /** Undefined when the summary lacks the pod. */
  readonly summary: PodSummary | undefined;
}

/** Through the exporter's own decoding of objects and summaries. */
export function casePods({ pods, stats }: CaseInput): readonly CasePod[] {
  const intern = createInterner(2 ** 20);
  const summary = decodeSummary(JSON.stringify({ node: { nodeName: 'node-1' }, pods: stats }), 'summary of the case');
  return pods.map(({ metadata, status = { phase: 'Running' }, ...rest }) => {
    const pod = projectPod({ ...rest, metadata: { resourceVersion: '1', ...metadata }, status }, intern);
    const found = summary.pods.find(
      ({ namespace, name, uid }) => namespace === pod.namespace && name === pod.name && uid === pod.kubeletUid,
    );
    return { key: `${pod.namespace}/${pod.name}`, pod, summary: found };
  });
}
