import type { LayoutOfLife } from './node-layout.js';

/** What is remembered of a node as long as the process lives, whatever the settings. */
export interface NodeMemory {
  layout: LayoutOfLife | undefined;
  /** By the UID of a pod that the API server does not know: the monotonic time at which it was first seen, in milliseconds. */
  danglingSinceMs: ReadonlyMap<string, number>;
}

/** By the name of the node. */
export type NodeMemories = Map<string, NodeMemory>;
