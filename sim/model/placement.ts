import type { WorkloadSpec } from './simulated-workloads.js';

/** Moves a workload to nodes that exist. */
export type Placement = <Spec extends WorkloadSpec>(spec: Spec) => Spec;

/** Nodes of the demo's five that a smaller cluster lacks are replaced by those that it has, in turn. */
export function placementOn(nodeCount: number): Placement {
  return (spec) => ({ ...spec, nodeNames: [...new Set(spec.nodeNames.map((name) => placedNode(name, nodeCount)))] });
}

/** `node-4` of two nodes is `node-2`. */
export function placedNode(name: string, nodeCount: number): string {
  return `node-${((Number(name.replace('node-', '')) - 1) % nodeCount) + 1}`;
}
