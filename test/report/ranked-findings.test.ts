import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { parseAmount } from '../../src/cluster/kube/quantity.js';
import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import { findingReport, nodeFindings } from '../../src/people/report/finding-report.js';
import { type FindingKindReport, RankedFindings } from '../../src/people/report/finding-report.js';
import {
  aContainer,
  aContainerSummary,
  aMount,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
} from '../support/builders.js';
import { aNodeSnapshot, aNodeThreshold } from '../support/snapshot-builders.js';
import { mib } from '../support/units.js';

function rankedOf(...snapshots: readonly NodeSnapshot[]): readonly FindingKindReport[] {
  const findings = new RankedFindings(2);
  for (const snapshot of snapshots) findings.add(nodeFindings(snapshot));
  return findings.kinds();
}

/** Each has an emptyDir that nothing mounts. */
function nodeWith(nodeName: string, ...pods: readonly Partial<Pod>[]): NodeSnapshot {
  const podsOnNode = pods.map((pod) => aPod({ nodeName, volumes: [aVolume()], ...pod }));
  return aNodeSnapshot({ nodeName, podsOnNode });
}

it('a limit that never evicts a static pod is not said to be exceeded', () => {
  const finding = {
    ...({ kind: 'limit_not_enforced', rule: 'pod', unenforced: 'exempt' } as const),
    ...{ container: '', volume: '', limitBytes: 32 * mib },
  };
  const { what } = findingReport({ pod: aPod(), finding });
  expect(what).toBe('static or critical: its limit of 32Mi never evicts it');
});

describe('the findings of a cluster', () => {
  const ofSet = { controller: { kind: 'DaemonSet', name: 'agent' } };

  it('findings are one line for the pods of a controller, those of most pods first', () => {
    const [found, ...others] = rankedOf(
      nodeWith('node-1', { name: 'agent-b', ...ofSet }, { name: 'bare-1' }),
      nodeWith('node-2', { name: 'agent-a', ...ofSet }, { name: 'bare-0' }),
      nodeWith('node-3', { name: 'agent-c', namespace: 'other', ...ofSet }),
    );
    expect(others).toEqual([]);
    expect(found).toMatchObject({ kind: 'volume_not_mounted', findingCount: 5, totalCount: 4 });
    expect(found?.items.map(({ namespace, pod, node, podCount }) => [namespace, pod, node, podCount])).toEqual([
      ['shop', 'agent-a', 'node-2', 2],
      ['other', 'agent-c', 'node-3', 1],
    ]);
  });

  it('findings of one controller are several when they are about several volumes', () => {
    const volumes = [aVolume({ name: 'a', sizeLimitBytes: 9e3 }), aVolume({ name: 'b', sizeLimitBytes: 9e3 })];
    const containers = [aContainer({ limitBytes: 2e3, mounts: volumes.map(({ name }) => aMount(name)) })];
    const pods = ['agent-a', 'agent-b'].map((name) => ({ name, volumes, containers, ...ofSet }));
    expect(rankedOf(nodeWith('node-1', ...pods))).toMatchObject([
      {
        findingCount: 4,
        items: [
          { volume: 'a', podCount: 2 },
          { volume: 'b', podCount: 2 },
        ],
      },
    ]);
  });

  it('a sizeLimit of less than a byte names its emptyDir', () => {
    const volumes = [aVolume({ name: 'a', sizeLimitBytes: parseAmount('0.0000015') })];
    const containers = [aContainer({ mounts: [aMount('a')] })];
    const what = 'sizeLimit 1500n of emptyDir a is less than 1 byte: most likely 1500Mi is meant';
    expect(rankedOf(nodeWith('node-1', { volumes, containers }))).toMatchObject([{ items: [{ volume: 'a', what }] }]);
  });

  it('findings are one for the volumes of a pod that no container mounts', () => {
    const volumes = [aVolume({ name: 'a' }), aVolume({ name: 'b' }), aVolume({ name: 'c', type: 'configmap' })];
    expect(rankedOf(nodeWith('node-1', { name: 'agent-a', volumes }))).toMatchObject([
      { findingCount: 1, items: [{ volume: 'a', what: 'no container mounts emptyDir a and 2 other volumes' }] },
    ]);
  });
});

it.each([
  ['with little headroom', { thresholds: [aNodeThreshold({ threshold: 100, headroom: 24 })] }, 1],
  ['with more headroom', { thresholds: [aNodeThreshold({ threshold: 100, headroom: 25 })] }, 0],
  ['with the condition DiskPressure', { node: aNode({ diskPressure: true }) }, 1],
])('findings of a node %s name pods without limits: %s', (_case, overrides, count) => {
  expect(nodeFindings(aNodeSnapshot({ podsOnNode: [aPod()], ...overrides }))).toHaveLength(count);
});

it('findings of a node are in words, with the values and a fix', () => {
  const pod = aPod({
    containers: [
      aContainer({ limitBytes: 100 * mib, requestBytes: 50 * mib, mounts: [aMount('cache')] }),
      aContainer({ name: 'proxy' }),
    ],
    volumes: [aVolume({ name: 'cache', sizeLimitBytes: 200 * mib }), aVolume({ type: 'configmap', name: 'config' })],
    hasPodLevelResources: true,
  });
  const containers = [aContainerSummary({ logsBytes: 120 * mib }), aContainerSummary({ name: 'proxy' })];
  const snapshot = aNodeSnapshot({
    podsOnNode: [pod, aPod({ name: 'bare' })],
    summary: aNodeSummary({ pods: [aPodSummary({ containers })] }),
    logRotation: { maxFileBytes: 10 * mib, maxFileCount: 5 },
    thresholds: [aNodeThreshold()],
  });
  const reports = nodeFindings(snapshot).map(findingReport);
  expect(reports.map((report) => [report.pod, report.container ?? report.volume, report.what])).toEqual([
    ['cart-0', undefined, 'its request of 50Mi counts as 0 under node pressure, because it has pod-level resources'],
    ['cart-0', 'main', 'its limit of 100Mi comes from container main alone; the usage of proxy counts towards it'],
    ['cart-0', 'cache', 'sizeLimit 200Mi of emptyDir cache is above the limit of the pod, 100Mi'],
    ['cart-0', 'main', 'logs of container main use 120Mi; rotation keeps 5 files of 10Mi of each of two runs'],
    ['cart-0', 'config', 'no container mounts configMap config'],
    ['bare', undefined, 'no container declares a limit or a request of ephemeral-storage'],
  ]);
  for (const { fix, node, namespace } of reports) {
    expect([fix, node, namespace]).toEqual([expect.stringMatching(/^[A-Z].*\.$/), 'node-1', 'shop']);
  }
});
