import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { attributePod } from '../../src/facts/node/attribute.js';
import { limitRatios } from '../../src/facts/node/limit-ratios.js';
import { podFindings } from '../../src/facts/node/pod-findings.js';
import { signalUsage } from '../../src/facts/node/signal-usage.js';
import { foldUnknown } from '../../src/facts/node/unknown-items.js';
import { unlistedVolumeReports, volumeReports } from '../../src/people/report/volume-report.js';
import {
  aContainer,
  aContainerSummary,
  aMount,
  aNode,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { aFreshNode, aMeasuredPod } from '../support/snapshot-builders.js';

interface Input {
  readonly pod: Pod;
  readonly summary: PodSummary;
  /** Has its names counted when they are read. */
  readonly counted: <T extends object>(item: T) => T;
}

const containerCount = 4;

/** Every volume has a size limit and a mount; `prefix`: of the names in the summary. Counts how often names are read. */
function countedReads(volumeCount: number, prefix: string, work: (input: Input) => unknown): number {
  let reads = 0;
  const counted = <T extends object>(item: T): T =>
    new Proxy(item, {
      get: (target, key, receiver): unknown => {
        if (key === 'name' || key === 'volumeName' || key === 'volume') reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
  const names = Array.from({ length: volumeCount }, (_, index) => `data-${index}`);
  const containers = Array.from({ length: containerCount }, (_, index) =>
    aContainer({
      name: `main-${index}`,
      mounts: names.filter((_name, at) => at % containerCount === index).map((name) => counted(aMount(name))),
    }),
  );
  const pod = aPod({ containers, volumes: names.map((name) => counted(aVolume({ name, sizeLimitBytes: 10 }))) });
  const summary = aPodSummary({
    containers: containers.map(({ name }) => aContainerSummary({ name, rootfsBytes: 1, logsBytes: 1 })),
    volumes: names.map((name) => counted(aVolumeSummary({ name: `${prefix}${name}`, usedBytes: 1 }))),
  });
  work({ pod, summary, counted });
  return reads;
}

const attributed = ({ pod, summary }: Pick<Input, 'pod' | 'summary'>) =>
  attributePod({ pod, summary, mode: 'measured' });
const ratios = ({ pod, summary }: Pick<Input, 'pod' | 'summary'>) =>
  limitRatios({ pod, summary, hasDedicatedImagefs: false, enforcesSidecars: true, resizesVolumes: false });

function foundPod({ pod, summary, counted }: Input) {
  const usage = attributed({ pod, summary });
  return {
    node: aFreshNode(),
    pod: aMeasuredPod({ pod, summary, usage, ratios: ratios({ pod, summary }).map(counted) }),
  };
}

const uses: Readonly<Record<string, (input: Input) => unknown>> = {
  'its findings': ({ pod, summary }) =>
    podFindings({ pod, summary, node: aNode(), isNearPressure: true, logRotation: undefined, unenforced: undefined }),
  'its usage': attributed,
  'its usage with the names of its spec': ({ pod, summary }) => foldUnknown(attributed({ pod, summary }), pod),
  'its limits': ratios,
  'its usage for a signal of its node': ({ pod, summary }) =>
    signalUsage({ pod, summary, signal: 'nodefs.available', layout: 'shared' }),
  'the reports of its volumes': (input) => volumeReports(foundPod(input)),
  'the reports of its volumes that are not listed': (input) => unlistedVolumeReports(foundPod(input)),
};

describe.each([
  ['lists', ''],
  ['lists under other names', 'other-'],
])('a pod with many volumes that its kubelet %s', (_case, prefix) => {
  it.each(Object.entries(uses))('a pod with many volumes costs reads in proportion to them for %s', (_use, work) => {
    const [few, many] = [countedReads(200, prefix, work), countedReads(2_000, prefix, work)];
    expect(many).toBeLessThanOrEqual(11 * few);
    expect(many).toBeLessThanOrEqual(2_000 * 40);
  });
});
