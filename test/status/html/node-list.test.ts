import { expect, it } from 'vitest';

import type { ListedNodeReport } from '../../../src/people/query/list-nodes.js';
import { parseListQuery } from '../../../src/people/query/list-query.js';
import { renderView } from '../../../src/people/status/html/page.js';
import { aMeasuredNode, anAbsentNodeStatus, aStatus } from '../../support/status-builders.js';
import { gib } from '../../support/units.js';

function pageOf(...items: readonly ListedNodeReport[]): string {
  const frame = {
    status: aStatus(),
    path: '/nodes',
    search: '',
    metricsPath: '/metrics',
    documentationUrl: './docs',
  };
  const data = { items, totalCount: items.length, offset: 0, limit: 50 };
  return renderView({ kind: 'nodes', query: parseListQuery('nodes', {}), data }, frame);
}

function textOf(page: string): string {
  const [, table = ''] = /<tbody[^>]*>([^]*?)<\/tbody>/.exec(page) ?? [];
  return table
    .replaceAll(/<title>[^<]*<\/title>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const pressure = {
  node: 'node-1',
  signal: 'nodefs.available',
  isAssumed: true,
  available: 1,
  headroom: gib,
  timeToEvictionMs: 240_000,
  dataState: 'fresh',
  dataAgeMs: 1,
} as const;
const threshold = { signal: 'nodefs.available', headroom: gib, isAssumed: true, timeToEvictionMs: 240_000 } as const;
const verdict = { kind: 'pods', text: 'Pods are the cause.', commands: [] } as const;

it('a node is listed with its state, how full it is, headroom, time, pods and verdict', () => {
  const page = pageOf({ ...aMeasuredNode({ verdict }), condition: 'near', threshold, pressure });
  expect(textOf(page)).toBe('node-1 near a threshold 40 % nodefs 1Gi assumed 4m 1 of 1 Pods are the cause.');
  expect(page).toContain('href="./nodes/node-1"');
});

it('the mark of the bar is the threshold, where it is known', () => {
  const filesystems = [
    { filesystem: 'nodefs', fullRatio: 0.85, capacityBytes: 1000, evictionThresholdBytes: 100 },
    { filesystem: 'imagefs', sameAs: 'nodefs', fullRatio: 0.99 },
  ] as const;
  const page = pageOf({ ...aMeasuredNode({ filesystems }), condition: 'full' });
  expect(page).toMatch(/f-warning-bar" x="0%" width="85%"[^]*class="mark limit" x="90%"/);
});

it('a node without data has what was last known in no colour of a state, with its age and what to do', () => {
  const page = pageOf({
    ...anAbsentNodeStatus({ lastKnown: aMeasuredNode({ dataAgeMs: 720_000 }) }),
    condition: 'silent',
  });
  expect(textOf(page)).toBe(
    'node-2 no data: no answer in time 40 % nodefs last known 12m ago - - 0 of 2 Look at the node.',
  );
  expect(page).toContain('<tr role="row" class="last">');
  expect(page).not.toMatch(/f-(?:ok|warning|critical)-bar"/);
});

it('a node that never had data is not known, and one that evicts does so now', () => {
  expect(textOf(pageOf({ ...anAbsentNodeStatus(), condition: 'silent' }))).toContain(
    'no data: no answer in time not known - -',
  );
  expect(textOf(pageOf({ ...anAbsentNodeStatus(), condition: 'awaited' }))).toContain('not responded yet not known');
  const below = { ...aMeasuredNode(), condition: 'evicting', threshold: { ...threshold, headroom: -gib } } as const;
  expect(textOf(pageOf({ ...below, pressure }))).toContain('-1Gi assumed now');
  expect(textOf(pageOf({ ...below, pressure: { ...pressure, victims: [] } }))).toContain('-1Gi assumed no pod left');
  expect(textOf(pageOf({ ...aMeasuredNode(), condition: 'ok', threshold }))).toContain('1Gi assumed 4m');
  expect(textOf(pageOf({ ...anAbsentNodeStatus(), condition: 'silent', threshold }))).toContain('not known - -');
});

it('a part behind the end of a list says where it ends', () => {
  const frame = {
    status: aStatus(),
    path: '/nodes',
    search: '',
    metricsPath: '/metrics',
    documentationUrl: './docs',
  };
  const data = { items: [], totalCount: 23, offset: 1_000, limit: 50 };
  const page = renderView({ kind: 'nodes', query: parseListQuery('nodes', { offset: '1000' }), data }, frame);
  expect(page).toContain('The list ends after 23 nodes.');
});
