import { describe, expect, it } from 'vitest';

import { type Capture, capturesNeeded, hasCaptures, readCaptures } from '../support/captures.js';
import { predict, type Recording, type Semantics } from './predict.js';
import type { RawNode, RawPod, RawSummary } from './raw.js';
import { replayed } from './replayed.js';
import { differences, familiesOf, type SeriesTable } from './series.js';

const captures = readCaptures();

const allPods: Semantics = { attribution: 'measured', controllers: false };
const byController: Semantics = { ...allPods, controllers: true };

const waysOf = ({ pods }: Capture): readonly Semantics[] => [
  allPods,
  { ...allPods, attribution: 'even' },
  ...(pods.length === 0 ? [] : [byController, { ...byController, attribution: 'even' as const }]),
];

const cases = captures.flatMap((capture) =>
  waysOf(capture).map((semantics) => ({ ...semantics, name: capture.name, capture })),
);

const recordingOf = ({ summary, pods, nodes }: Capture): Recording => ({
  summary: JSON.parse(summary) as RawSummary,
  pods: pods as readonly RawPod[],
  nodes: nodes as readonly RawNode[],
});

async function servedFamilies(name: string): Promise<readonly string[]> {
  const capture = captures.find((candidate) => candidate.name === name);
  if (capture === undefined) throw new Error(`no capture ${name}`);
  return familiesOf(await replayed(capture, allPods));
}

/** The kubelet's own file for /etc/hosts takes one block. */
const restsBytes = [0, 4096];

/** The values of a family's series that have this text among their labels. */
const valuesOf = (served: SeriesTable, family: string, labels: string): readonly number[] =>
  [...served].flatMap(([key, value]) => (key.startsWith(`${family}{`) && key.includes(labels) ? [value] : []));

function subsetSums(values: readonly number[]): ReadonlySet<number> {
  return values.reduce((sums, value) => new Set([...sums, ...[...sums].map((total) => total + value)]), new Set([0]));
}

describe.skipIf(!hasCaptures)(`the exposition of a recorded summary (${capturesNeeded})`, () => {
  it.each(cases)(
    'recorded summaries have the predicted series alone: $name, $attribution, controllers: $controllers',
    async ({ capture, ...semantics }) => {
      const served = await replayed(capture, semantics);
      expect(served.size).toBeGreaterThan(0);
      expect(differences(predict(recordingOf(capture), semantics), served)).toEqual([]);
    },
  );

  it.each(captures)('kubelets count what this project counts, and one block: $name', async (capture) => {
    const served = await replayed(capture, allPods);
    for (const [key, restBytes] of served) {
      if (!/^pod_component_used_bytes.*"other"/.test(key)) continue;
      const ofPod = /namespace=.*pod="[^"]*"/.exec(key)?.[0] ?? 'no pod';
      // Those of which the API server's objects are not there.
      const volumes = subsetSums(valuesOf(served, 'volume_used_bytes', `${ofPod},type="unknown"`));
      expect(restsBytes.some((bytes) => volumes.has(restBytes - bytes))).toBe(true);
    }
  });

  it.each(['influxdata_telegraf_inline_summary.json', 'newrelic_nri-kubernetes_kubelet_summary_response_ok.json'])(
    'a recorded summary has no series of pods where the kubelet reports no ephemeral storage: %s',
    async (name) => {
      const served = await servedFamilies(name);
      expect(served.filter((family) => !family.startsWith('node_'))).toEqual([]);
    },
  );

  it('a recorded summary of Windows has what its kubelet reports: no inodes of layers and filesystems', async () => {
    const served = await servedFamilies('DataDog_integrations-core_stats_summary_windows.json');
    expect(served).toContain('container_rootfs_used_bytes');
    expect(served).not.toContain('container_rootfs_inodes_used');
    expect(served.filter((family) => family.startsWith('node_inodes'))).toEqual([]);
  });
});
