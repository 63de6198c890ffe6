import fc from 'fast-check';
import { expect, it } from 'vitest';

import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { NodeTrackers } from '../../src/facts/node/node-trackers.js';
import type { NodeView } from '../../src/facts/node/node-view.js';
import type { Exposition } from '../../src/metrics/exposition/exposition.js';
import { type Compatibility, type Profile, profiles } from '../../src/metrics/exposition/family.js';
import {
  aContainer,
  aContainerFs,
  aMount,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { anExposition, asking } from '../support/exposition-settings.js';
import { never } from '../support/signals.js';
import { aClusterSnapshot } from '../support/snapshot-builders.js';
import { aFreshLookup, podsOfNode, trackerOptions } from '../support/tracker-options.js';

const compatibilities: readonly Compatibility[] = ['none', 'k8s-ephemeral-storage-metrics'];
const names = ['web-0', 'web-1', 'web-2'];

const pods = names.map((name) =>
  aPod({
    name,
    uid: name,
    kubeletUid: name,
    nodeName: aNode().name,
    containers: ['app', 'proxy'].map((container) =>
      aContainer({ name: container, limitBytes: 100, mounts: [aMount('cache')] }),
    ),
    volumes: [aVolume({ name: 'cache', sizeLimitBytes: 50 }), aVolume({ name: 'config', type: 'configmap' })],
  }),
);

/** Few values, so that a pod often has those of before. */
const few = fc.constantFrom(undefined, 0, 3, 7);
const filesystem = fc.option(
  fc.record({ usedBytes: few, inodesUsed: few, availableBytes: few, capacityBytes: few }).map(aContainerFs),
  { nil: undefined },
);
const aContainerEntry = fc.record({
  name: fc.constantFrom('app', 'proxy', 'else'),
  rootfs: filesystem,
  logs: filesystem,
});
const aVolumeEntry = fc
  .record({
    name: fc.constantFrom('cache', 'config', 'data'),
    hasClaim: fc.boolean(),
    usedBytes: few,
    inodesUsed: few,
    timeMs: fc.constantFrom(1_000, 2_000),
  })
  .map(aVolumeSummary);
const anEntry: fc.Arbitrary<Partial<PodSummary>> = fc.record({
  usedBytes: few,
  inodesUsed: few,
  startTimeMs: fc.constantFrom(undefined, 500),
  containers: fc.array(aContainerEntry, { maxLength: 2 }),
  volumes: fc.option(fc.array(aVolumeEntry, { minLength: 1, maxLength: 2 }), { nil: undefined }),
});

/** A change of one value of an entry at a time, and none. */
const nextEntry = fc.tuple(
  anEntry,
  fc.constantFrom<readonly (keyof PodSummary)[]>(
    [],
    ['usedBytes'],
    ['containers'],
    ['volumes'],
    ['inodesUsed', 'startTimeMs'],
  ),
);

const history = fc.tuple(
  fc.array(anEntry, { minLength: names.length, maxLength: names.length }),
  fc.array(fc.array(nextEntry, { minLength: names.length, maxLength: names.length }), { minLength: 1, maxLength: 4 }),
);

class Scraped {
  readonly #trackers: NodeTrackers;
  readonly #exposition: Exposition;

  constructor(profile: Profile, compatibility: Compatibility) {
    this.#trackers = new NodeTrackers(trackerOptions({ pods: podsOfNode(() => pods) }));
    this.#exposition = anExposition({ settings: { profile, compatibility } });
  }

  async text(entries: readonly Partial<PodSummary>[]): Promise<string> {
    const node = aNode();
    const listed = entries.map((entry, index) =>
      aPodSummary({ ...entry, name: names[index] ?? '', uid: names[index] ?? '' }),
    );
    const summary = aNodeSummary({ pods: listed });
    const view: NodeView = this.#trackers.of(node).view(node, aFreshLookup(summary));
    const { chunks } = await this.#exposition.render(
      aClusterSnapshot({ nodes: [view], workloads: [] }),
      asking('text'),
      never,
    );
    return Buffer.concat(chunks).toString();
  }
}

it.each(profiles.flatMap((profile) => compatibilities.map((compatibility) => ({ profile, compatibility }))))(
  'pods that have the sizes of before are served as if nothing were known of them: $profile, $compatibility',
  async ({ profile, compatibility }) => {
    await fc.assert(
      fc.asyncProperty(history, async ([first, changes]) => {
        const known = new Scraped(profile, compatibility);
        let entries = first;
        await known.text(entries);
        for (const change of changes) {
          entries = entries.map((entry, index) => {
            const [other, keys] = change[index] ?? [entry, []];
            const changed = Object.fromEntries(keys.map((key) => [key, other[key]]));
            return structuredClone({ ...entry, ...changed });
          });
          expect(await known.text(entries)).toBe(await new Scraped(profile, compatibility).text(entries));
        }
      }),
      { numRuns: 15 },
    );
  },
);
