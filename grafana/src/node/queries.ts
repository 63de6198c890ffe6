import { by, largest, only, podLabels, podsUsed } from '../queries.js';

export const itself = { matchers: ['node="$node"'] } as const;
export const usedByPods = `sum by (cluster) (${podsUsed(itself)})`;

/**
 * Parts of the bytes used on nodefs. It holds writable layers too, except where images have a separate filesystem with
 * them. Where the layout is unknown, so are the parts.
 */
export function partsOfNodefs(): string {
  const used = largest('node_used_bytes', ['node'], { matchers: [...itself.matchers, 'filesystem="nodefs"'] });
  const isDedicated = largest('node_dedicated_imagefs', ['node'], itself);
  const isSplit = largest('node_split_imagefs', ['node'], itself);
  const withLayers = only(bytesOfPods(), ['node'], `${isDedicated} == 0 or ${isSplit} == 1`);
  const withoutLayers = only(bytesOfPods('component!="rootfs"'), ['node'], `${isDedicated} == 1`);
  const pods = `(${withLayers}) or (${withoutLayers})`;
  return [part('pods', pods), part('everything else', `${used} - (${pods})`)].join(' or ');
}

function bytesOfPods(...matchers: readonly string[]): string {
  const selection = { matchers: [...itself.matchers, ...matchers] };
  return `sum ${by(['node'])} (${largest('pod_component_used_bytes', [...podLabels, 'component'], selection)})`;
}

function part(name: string, query: string): string {
  return `label_replace(${query}, "component", "${name}", "", "")`;
}
