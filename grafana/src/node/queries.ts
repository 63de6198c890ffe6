import { by, largest, only, podLabels, podsUsed } from '../queries.js';

export const itself = { matchers: ['node="$node"'] } as const;
export const usedByPods = `sum by (cluster) (${podsUsed(itself)})`;

/**
 * Parts of the bytes used on nodefs. Writable layers count with the images: nodefs holds both when images share its
 * disk, and only the layers when the image filesystem is split. Where the layout is unknown, so is the remainder.
 */
export function partsOfNodefs(): string {
  const used = (filesystem: string): string =>
    largest('node_used_bytes', ['node'], { matchers: [...itself.matchers, `filesystem="${filesystem}"`] });
  const dedicated = largest('node_dedicated_imagefs', ['node'], itself);
  const split = largest('node_split_imagefs', ['node'], itself);
  const layers = only(used('containerfs'), ['node'], `${split} == 1`);
  const images = `(${only(used('imagefs'), ['node'], `${dedicated} == 0`)}) or (${layers})`;
  const ofPods = { matchers: [...itself.matchers, 'component!="rootfs"'] };
  const pods = `sum ${by(['node'])} (${largest('pod_component_used_bytes', [...podLabels, 'component'], ofPods)})`;
  const rest = `${used('nodefs')} - ${pods} - ((${images}) or ${dedicated} * 0)`;
  return [
    part('images and writable layers', images),
    part('logs and volumes of pods', pods),
    part('other: system, deleted files', rest),
  ].join(' or ');
}

function part(name: string, query: string): string {
  return `label_replace(${query}, "component", "${name}", "", "")`;
}
