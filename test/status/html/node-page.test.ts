import { describe, expect, it } from 'vitest';

import { parseListQuery } from '../../../src/people/query/list-query.js';
import type { NodeObject } from '../../../src/people/query/node-explanation.js';
import type { DiskReport } from '../../../src/people/report/disk-report.js';
import type { SignalReport } from '../../../src/people/report/signal-report.js';
import { renderView } from '../../../src/people/status/html/page.js';
import { sectionText as textOf } from '../../support/page-text.js';
import { aCluster, aGrid, aMeasuredNode, aStatus } from '../../support/status-builders.js';
import { gib } from '../../support/units.js';

const disk: DiskReport = {
  filesystem: 'nodefs',
  capacityBytes: 100 * gib,
  parts: [
    { kind: 'rootfs', bytes: 30 * gib },
    { kind: 'logs', bytes: 10 * gib },
    { kind: 'images', bytes: 20 * gib },
    { kind: 'unattributed', bytes: 10 * gib },
    { kind: 'free', bytes: 30 * gib },
  ],
  thresholdBytes: 10 * gib,
  headroomBytes: 20 * gib,
  isAssumed: true,
};

const signal: SignalReport = {
  signal: 'nodefs.available',
  thresholdBytes: 10 * gib,
  isAssumed: true,
  available: 30 * gib,
  headroom: 20 * gib,
  isCrossed: false,
  victims: [
    { rank: 1, namespace: 'shop', pod: 'big', usage: 9 * gib, request: 0, place: 'above_request', priority: 0 },
    {
      rank: 2,
      namespace: 'shop',
      pod: 'core',
      usage: 1,
      request: 5,
      place: 'within_request',
      priority: 7,
      exempt: 'critical',
    },
  ],
  toFree: {
    amount: gib,
    isMissing: false,
    victims: [{ namespace: 'shop', pod: 'big', freed: 9 * gib }],
    freed: 9 * gib,
    isEnough: true,
  },
};

const explained = {
  condition: 'ok',
  signals: [signal],
  findings: [],
  listedImages: [],
  kubeletVersion: 'v1.37.1',
} as const;

type ShownNode = NodeObject['node'];

function pageOf(node: Partial<ShownNode> = {}, more: Partial<NodeObject> = {}): string {
  const data: NodeObject = {
    node: { ...aMeasuredNode(), ...explained, ...node } as ShownNode,
    disks: [disk],
    pods: { items: [], totalCount: 0, limit: 50, isComplete: true },
    evictions: [],
    ...more,
  };
  const status = aStatus({ cluster: aCluster({ grid: aGrid({ commonSuffix: '.example.com' }) }) });
  const path = `/nodes/${encodeURIComponent(data.node.node)}`;
  const frame = {
    status,
    path,
    search: '',
    metricsPath: '/metrics',
    documentationUrl: './docs',
  };
  return renderView({ kind: 'node', query: parseListQuery('pods', {}), data }, frame);
}

const verdict = {
  kind: 'pods',
  text: 'Pods are the cause.',
  commands: ['kubectl delete pod -n shop cart-0'],
} as const;

describe('the verdict of a node', () => {
  it('of a node of a virtual cluster only what is known is said', () => {
    const signals = [{ ...signal, victims: undefined, toFree: undefined }];
    const filesystems = [{ filesystem: 'nodefs', fullRatio: 0.99 }] as const;
    const enforcement = ['virtual_cluster'] as const;
    const node = { condition: 'unknown', enforcement, signals, filesystems, unreadPodCount: 2 } as const;
    const page = pageOf(node, { disks: [] });
    expect(textOf(page, 'part-verdict')).toMatch(
      /^Nearly full: writes fail when nothing is free\. Not known whether it is close to evicting pods: the thresholds are those of the host\./,
    );
    expect(textOf(page, 'disk')).toContain('Not known: the disk of the host has pods');
    expect(textOf(page, 'eviction-order')).toContain('unknown, the other pods of the host are not read.');
  });

  it('what does not protect is said with the verdict, in no colour of health', () => {
    const unset = { enforcement: ['threshold_unset'], unsetSignals: ['imagefs.available'] } as const;
    const page = pageOf({ condition: 'unprotected', ...unset });
    expect(textOf(page, 'part-verdict')).toContain(
      'Warning: the kubelet has no eviction threshold for imagefs.available:',
    );
    expect(page).toContain('class="banner verdict unknown"');
    expect(page).not.toMatch(/class="(?:chip|banner verdict) ok"/);
  });

  it.each([
    ['near', 'near a threshold ; data fresh, 1s old'],
    ['ok', 'data fresh, 1s old'],
  ] as const)('a node that is %s has the state %s', (condition, state) => {
    expect(textOf(pageOf({ condition }), 'part-facts')).toContain(`State ${state} Kubelet v1.37.1`);
  });

  it('a node with a full disk and no threshold is not called far from one', () => {
    const page = pageOf({ condition: 'no_space', verdict: { ...verdict, kind: 'no_space', text: 'Writes fail.' } });
    expect(textOf(page, 'part-verdict')).toContain('Writes fail.');
    expect(page).toContain('class="banner verdict critical"');
    expect(page).toContain('Nobody: no threshold is in force for a disk that is full.');
    expect(page).not.toContain('Not close');
  });
});

describe('the disk of a node', () => {
  it('no more is drawn than is occupied, even if the runtime counts twice, and the page says so', () => {
    const parts = [
      { kind: 'rootfs', bytes: 45 * gib },
      { kind: 'images', bytes: 55 * gib },
      { kind: 'unattributed', bytes: -40 * gib },
      { kind: 'free', bytes: 40 * gib },
    ] as const;
    const page = pageOf({}, { disks: [{ ...disk, parts, thresholdBytes: undefined, headroomBytes: undefined }] });
    expect(page).toMatch(/<svg x="45%" y="0" width="15%"[^>]*><title>images 15Gi/);
    expect(textOf(page, 'disk')).toContain('Pods and images together have 40Gi more than is used');
    expect(textOf(page, 'disk')).toContain('other -40Gi');
  });

  it('parts that are not known are said to be unknown, with what they hold together', () => {
    const parts = [{ kind: 'images' }, { kind: 'unattributed' }, { kind: 'free', bytes: 40 * gib }] as const;
    const shown = textOf(pageOf({}, { disks: [{ ...disk, parts, unknownBytes: 60 * gib }] }), 'disk');
    expect(shown).toContain('images not known -');
    expect(shown).toContain('those not known, together 60Gi');
  });

  it('a disk of unknown size is not drawn', () => {
    expect(pageOf({}, { disks: [{ ...disk, capacityBytes: undefined }] })).not.toContain('class="icicle"');
  });

  it.each([
    [0.79, ''],
    [0.8, 't-warning'],
    [0.9, 't-critical'],
  ])('a filesystem that is full to %d has the colours of a limit, as its inodes', (ratio, colour) => {
    const filesystems = [
      { filesystem: 'nodefs', fullRatio: ratio, inodesFullRatio: ratio, inodes: 5000, inodesFree: 1 },
    ] as const;
    const page = pageOf({ filesystems });
    expect(page).toMatch(new RegExp(colour === '' ? ' \\d+ % full' : `<span class="${colour}">\\d+ %</span> full`));
    expect(page).toMatch(
      new RegExp(colour === '' ? 'inodes \\d+ % used: 1' : `inodes <span class="${colour}">\\d+ %</span> used: 1`),
    );
  });
});

describe('whom a node evicts next', () => {
  const pressure = {
    node: 'node-1',
    signal: 'nodefs.available',
    isAssumed: true,
    available: 1,
    dataState: 'fresh',
    dataAgeMs: 1,
  } as const;
  it('the time to an eviction is unknown where no growth is measured', () => {
    expect(textOf(pageOf({ pressure: { ...pressure, headroom: gib } }), 'eviction-order')).toContain(
      'Time to eviction: unknown: no steady growth is measured',
    );
  });

  it('below a threshold without a pod that is left to evict, nobody is evicted now', () => {
    const shown = textOf(
      pageOf({ signals: [{ ...signal, victims: [] }], pressure: { ...pressure, headroom: -gib } }),
      'eviction-order',
    );
    expect(shown).toContain('Nobody: it is below its threshold of nodefs.available, and no pod is left to evict.');
    expect(shown).not.toContain('Time to eviction: now');
  });
});
