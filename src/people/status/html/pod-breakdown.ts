import { formatCount } from '../../../lib/base/text.js';
import { formatBytes, formatPercent } from '../../../lib/base/units.js';
import { dataTable, emptyText, panel, term, timePart } from '../../pens/html-kit.js';
import { type Markup, markup } from '../../pens/markup.js';
import type { MeasuredPodWithOutlook } from '../../query/pod-outlook.js';
import { componentOrder } from '../../report/pod-report.js';
import type { VolumeReport } from '../../report/volume-report.js';
import { componentBar, componentLegend } from './components.js';

/** By component and by container, to the byte. */
export function breakdownPanel(pod: MeasuredPodWithOutlook): Markup {
  const { components, usedBytes, limitBytes, requestBytes, containers } = pod;
  const parts = markup`${componentBar(components, { usedBytes, limitBytes, requestBytes }, Math.max(1, usedBytes))}
${dataTable('dense totals', 'Bytes by component', { Component: 'text', Bytes: 'number', Size: 'number' }, [
  ...componentOrder.map((component) => sumRow(term(component), components[component])),
  sumRow(markup`<strong>total</strong>`, usedBytes),
])}`;
  return panel({
    id: 'breakdown',
    title: 'What it is made of',
    aside: componentLegend(),
    body: markup`<div class="pair"><div>${parts}</div><div>${containers.length === 0 ? emptyText('The kubelet lists no container.') : containerTable(pod)}</div></div>`,
  });
}

function sumRow(what: Markup, bytes: number | undefined, className = ''): Markup {
  return markup`<tr role="row"><th scope="row" role="rowheader" class="${className}">${what}</th><td role="cell" class="number">${formatCount(bytes)}</td><td role="cell" class="number">${formatBytes(bytes)}</td></tr>`;
}

/** Each with its parts, then the total. */
function containerTable({ containers, usedBytes, split }: MeasuredPodWithOutlook): Markup {
  const rows = containers.flatMap(
    ({ container, usedBytes: bytes, rootfsBytes, logsBytes, volumeShares, otherBytes }) => {
      const own = [
        sumRow(term('rootfs'), rootfsBytes, 'part'),
        sumRow(term('logs'), logsBytes, 'part'),
        ...volumeShares.map((share) =>
          sumRow(markup`share of volume <span class="name">${share.volume}</span>`, share.bytes, 'part'),
        ),
      ];
      return [
        sumRow(markup`<span class="name">${container}</span>`, bytes),
        ...(split === 'measured' ? own : []),
        sumRow(markup`${split === 'measured' ? 'share of other' : 'even part of the total'}`, otherBytes, 'part'),
      ];
    },
  );
  return dataTable('dense totals', 'Bytes by container', { Container: 'text', Bytes: 'number', Size: 'number' }, [
    ...rows,
    sumRow(markup`<strong>total</strong>`, usedBytes),
  ]);
}

export function volumesPanel({ volumes }: MeasuredPodWithOutlook): Markup | undefined {
  if (volumes.length === 0) return undefined;
  const columns = {
    Volume: 'text',
    Used: 'number',
    'Size limit': 'number',
    'In the total': 'text',
    Measured: 'text',
  } as const;
  return panel({
    id: 'volumes',
    title: 'Volumes',
    body: dataTable('stack dense', 'Volumes', columns, volumes.map(volumeRow)),
  });
}

function volumeRow(volume: VolumeReport): Markup {
  const {
    volume: name,
    type,
    medium,
    usedBytes,
    limitBytes,
    nearestLimit,
    isCounted,
    countedReason,
    measuredAtMs,
  } = volume;
  const limit =
    limitBytes === undefined
      ? '-'
      : `${formatBytes(limitBytes)}${nearestLimit === undefined ? '' : `, ${formatPercent(nearestLimit.ratio)}`}`;
  return markup`<tr role="row"><th scope="row" role="rowheader"><span class="name">${name}</span> <span class="small muted">${type}${medium === '' ? '' : `, ${medium}`}</span></th>
<td role="cell" class="number">${formatBytes(usedBytes)}</td>
<td role="cell" class="low number" data-label="Size limit">${limit}</td>
<td role="cell" class="low" data-label="In the total">${isCounted ? 'yes' : 'no'}: ${countedReason}</td>
<td role="cell" class="low" data-label="Measured">${measuredAtMs === undefined ? '-' : timePart(measuredAtMs)}</td></tr>`;
}
