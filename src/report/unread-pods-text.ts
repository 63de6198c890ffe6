/** Why it is not known which pods of a node would be evicted; `count`: see `NodeSnapshot.unreadPodCount`. */
export function unreadPodsText(count: number): string {
  if (count === 0) return 'pods that the settings leave out are not read';
  return count === 1 ? '1 pod of this node is not read' : `${count} pods of this node are not read`;
}
