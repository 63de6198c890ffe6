import { type NodeDiskOwners, unmeasuredDisk } from '../../src/node/agent-disk.js';

/** Of node-1, of which nothing is measured yet. */
export function aNodeDisk(disk: Partial<NodeDiskOwners> = {}): NodeDiskOwners {
  return { nodeName: 'node-1', ...unmeasuredDisk, ...disk };
}
