import { filesystemLabels, largest, podsUsed } from '../queries.js';

export const itself = { matchers: ['node="$node"'] } as const;
export const usedByPods = `sum by (cluster) (${podsUsed(itself)})`;

/** Bytes of filesystems by owner. What belongs to neither pods nor images can be below 0, which no stack shows. */
export function ownersOf(matchers: readonly string[]): readonly { readonly expr: string; readonly legend: string }[] {
  const owned = (name: string): string => largest(name, filesystemLabels, { matchers });
  return [
    { expr: owned('node_pods_used_bytes'), legend: '{{filesystem}} pods' },
    { expr: owned('node_images_used_bytes'), legend: '{{filesystem}} images' },
    { expr: `clamp_min(${owned('node_unattributed_bytes')}, 0)`, legend: '{{filesystem}} other' },
    { expr: owned('node_available_bytes'), legend: '{{filesystem}} free' },
  ];
}
