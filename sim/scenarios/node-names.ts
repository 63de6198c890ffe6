/** `node-1` and so on. */
export function nodeNamesOf(nodeCount: number): readonly string[] {
  return Array.from({ length: nodeCount }, (_, index) => `node-${index + 1}`);
}

/** Every `period`-th node, the `first`-th of all being the first one; counted from 1. */
export function everyNode(nodeNames: readonly string[], period: number, first: number): readonly string[] {
  return nodeNames.filter((_, index) => index % period === first - 1);
}
