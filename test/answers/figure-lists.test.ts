import fc from 'fast-check';
import { expect, it } from 'vitest';

import type { NodeSnapshot, NodeView } from '../../src/facts/node/node-view.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { figures } from '../../src/people/answers/figures.js';
import type { Line, Link } from '../../src/people/pens/document.js';
import { lineText } from '../../src/people/pens/text-pen.js';
import { clusterReport } from '../../src/people/query/cluster-report.js';
import { viewOf } from '../../src/people/status/views.js';
import { aContainer, anFsStats, aNode, aNodeSummary, aPod } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  aBoundPod,
  aClusterSnapshot,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aNodeThreshold,
  aReading,
} from '../support/snapshot-builders.js';
import { aStatus, someStatusSettings } from '../support/status-builders.js';

const lane = new Scheduler(new ManualClock()).newLane();

const crossed = aNodeThreshold({ available: 90, threshold: 100, headroom: -10 });
const close = aNodeThreshold({ available: 110, threshold: 100, headroom: 10, isCrossed: false });
const disk = (availableBytes: number | undefined) =>
  aNodeSummary({ nodefs: anFsStats({ usedBytes: 50, availableBytes, capacityBytes: 100 }) });
const pressed = aNode({ diskPressure: true });
const pods = [
  { ratios: [aLimitRatio({ usedBytes: 9, limitBytes: 10 })] },
  { ratios: [aLimitRatio({ usedBytes: 11, limitBytes: 10 })] },
  { ratios: [], unenforced: { rule: 'all', reason: 'exempt' } as const },
].map((of, index) => aMeasuredPod({ ...of, name: `pod-${index}` }));

/** Disks in all troubles, with data or without, and pods that are near limits or have some that do not bind. */
const snapshots: Readonly<Record<string, Partial<NodeSnapshot>>> = {
  calm: { summary: disk(50) },
  crossed: { thresholds: [crossed] },
  close: { thresholds: [close] },
  'nearly full': { summary: disk(5) },
  full: { summary: disk(0), unsetSignals: ['nodefs.available'] },
  refusing: { summary: disk(50), node: pressed },
  unknown: { summary: disk(undefined) },
  'unknown and close': { summary: disk(undefined), thresholds: [close] },
  'with pods': { pods },
};

const states = ['fresh', 'stale', 'timeout', 'never', 'skipped'] as const;
const cases = states.flatMap((state) => Object.keys(snapshots).map((disks) => ({ state, disks })));

function nodesOf(all: typeof cases): readonly (NodeView & { readonly snapshot: NodeSnapshot })[] {
  return all.map(({ state, disks }, index) => {
    const nodeName = `node-${index}`;
    const snapshot = aNodeSnapshot({ pods: [], thresholds: [], nodeName, ...snapshots[disks] });
    if (state === 'fresh' || state === 'stale') return { ...aFreshNode(snapshot), state };
    const limited = aPod({ name: `silent-${index}`, uid: nodeName, containers: [aContainer({ limitBytes: 1 })] });
    const silent = { ...anAbsentNode(nodeName, state), node: snapshot.node, snapshot };
    return { ...silent, unmeasured: [aBoundPod({ pod: limited })] };
  });
}

function linksIn(line: Line, number: string): readonly (readonly [link: Link, count: number])[] {
  return [line].flat().flatMap((piece) => {
    if (typeof piece !== 'object' || !('path' in piece) || piece.query === undefined) return [];
    const [own = number] = /^\d+/.exec(lineText(piece)) ?? [];
    return [[piece, Number(own)]];
  });
}

it('the number on a tile is the length of the list that it leads to, where that is not of all', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.subarray(cases), async (all) => {
      const nodes = nodesOf(all);
      const reading = aReading({
        snapshot: aClusterSnapshot({ nodes }),
        lastKnownOf: ({ nodeName }) => {
          const snapshot = nodes.find((of) => of.nodeName === nodeName)?.snapshot;
          return snapshot && { snapshot, ageMs: 60_000 };
        },
      });
      const cluster = await clusterReport(reading, { isPartial: false, hidesPodsWithoutWorkload: false, lane });
      const status = aStatus({ cluster });
      for (const { name, value, note } of figures(status, cluster, []).figures) {
        const [number = ''] = lineText(value).split(' ');
        for (const [{ path, query = {} }, count] of [name, value, note].flatMap((line) => linksIn(line, number))) {
          const kind = path[0] as 'nodes' | 'pods';
          const request = { kind, path: [], parameters: { ...query, limit: '1000' } };
          const view = await viewOf(request, { status, reading, lane, settings: someStatusSettings });
          if (view.kind !== 'nodes' && view.kind !== 'pods') throw new Error(view.kind);
          const what = `${lineText(name)}: ${kind} ${query['only'] ?? ''}`;
          expect([what, view.data.totalCount]).toEqual([what, count]);
          seen.add(what);
        }
      }
    }),
  );
  expect([...seen].sort()).toEqual([
    'Disks in trouble: nodes near',
    'Disks in trouble: nodes unknown',
    'Pods in trouble: pods near',
    'Pods in trouble: pods unenforced',
  ]);
});
