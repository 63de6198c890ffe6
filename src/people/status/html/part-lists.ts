import { formatBytes } from '../../../lib/base/units.js';
import { type Markup, markup } from '../../pens/markup.js';
import type { ContainerReport } from '../../report/pod-report.js';
import type { VolumeReport } from '../../report/volume-report.js';
import type { ShownList } from './list-pages.js';
import { listPart } from './list-part.js';
import { limitRatioPart } from './object-parts.js';

export function containerList(shown: ShownList<ContainerReport>): Markup {
  const { links } = shown;
  return listPart({
    ...shown,
    kind: 'containers',
    caption: 'containers',
    columns: {
      Container: 'text',
      Pod: 'text',
      Node: 'text',
      Used: 'number',
      'Writable layer': 'number',
      Logs: 'number',
      Limit: 'number',
    },
    row: (of) =>
      markup`<tr role="row">${nameCell(of.container)}<td role="cell" class="low" data-label="Pod">${links.pod(of)}</td><td role="cell" class="low" data-label="Node">${nodePart(of, shown)}</td><td role="cell" class="number">${formatBytes(of.usedBytes)}</td><td role="cell" class="low number" data-label="Writable layer">${formatBytes(of.rootfsBytes)}</td><td role="cell" class="low number" data-label="Logs">${formatBytes(of.logsBytes)}</td><td role="cell" class="low number" data-label="Limit">${limitPart(of)}</td></tr>`,
  });
}

export function volumeList(shown: ShownList<VolumeReport>): Markup {
  const { links } = shown;
  return listPart({
    ...shown,
    kind: 'volumes',
    caption: 'volumes',
    columns: {
      Volume: 'text',
      Pod: 'text',
      Node: 'text',
      Used: 'number',
      'Size limit': 'number',
      'In the total': 'text',
    },
    row: (of) =>
      markup`<tr role="row">${nameCell(of.volume, markup` <span class="small muted">${of.type}${of.medium === '' ? '' : `, ${of.medium}`}</span>`)}<td role="cell" class="low" data-label="Pod">${links.pod(of)}</td><td role="cell" class="low" data-label="Node">${nodePart(of, shown)}</td><td role="cell" class="number">${formatBytes(of.usedBytes)}</td><td role="cell" class="low number" data-label="Size limit">${limitPart(of)}</td><td role="cell" class="low" data-label="In the total">${of.isCounted ? 'yes' : 'no'}: ${of.countedReason}</td></tr>`,
  });
}

/** Shows `-` for those that the pod's spec lacks: they have no name. */
function nameCell(name: string, kind?: Markup): Markup {
  return markup`<th scope="row" role="rowheader"><span class="name">${name || '-'}</span>${kind}</th>`;
}

function nodePart({ node }: ContainerReport | VolumeReport, { links }: Pick<ShownList<unknown>, 'links'>): Markup {
  return node === undefined ? markup`-` : links.node(node);
}

/** Shows the limit alone where the kubelet compares nothing with it. */
function limitPart({ limitBytes, nearestLimit }: ContainerReport | VolumeReport): Markup {
  return nearestLimit === undefined ? markup`${formatBytes(limitBytes)}` : limitRatioPart(nearestLimit);
}
