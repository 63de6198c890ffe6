import type { Controller, Labels } from '../kube/objects.js';

/** Where a workload comes from; with what stands behind it. Names are unique over all sources. */
type WorkloadOrigin =
  | { readonly source: 'configured' }
  | { readonly source: 'labels'; readonly labels: Labels }
  | { readonly source: 'controller'; readonly namespace: string; readonly controller: Controller };

/** A workload: a name under which the bytes of pods are added up. */
export interface Workload {
  readonly name: string;
  readonly origin: WorkloadOrigin;
}
