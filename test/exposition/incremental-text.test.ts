import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { NodeObjects, NodeSnapshot } from '../../src/facts/node/node-view.js';
import type { PodRecord } from '../../src/facts/node/pod-record.js';
import type { PodUsage } from '../../src/facts/node/usage.js';
import { detailGroups } from '../../src/metrics/exposition/families.js';
import {
  type Compatibility,
  familyGroup,
  type Profile,
  profiles,
  seriesOf,
  type SourceGroup,
} from '../../src/metrics/exposition/family.js';
import {
  chunkIds,
  type Division,
  FamilyRenderer,
  type NodeText,
} from '../../src/metrics/exposition/incremental-text.js';
import { objectGroups } from '../../src/metrics/exposition/object-families.js';
import { nodeDivision, objectDivision } from '../../src/metrics/exposition/pod-on-node.js';
import { aContainer, aMount, anFsStats, aNodeSummary, aPod, aVolume } from '../support/builders.js';
import { sourceTexts } from '../support/exposed-text.js';
import {
  aBoundPod,
  aContainerUsage,
  aDeployment,
  aLimitRatio,
  aMeasuredPod,
  aNodeSnapshot,
  aPodUsage,
  aVolumeUsage,
  aWorkload,
  someNodeObjects,
  withoutTotal,
} from '../support/snapshot-builders.js';

const compatibilities: readonly Compatibility[] = ['none', 'k8s-ephemeral-storage-metrics'];

const aName = fc.constantFrom('a', 'b', 'größe', '容量📦', 'say "hi"\n', String.raw`C:\n`, '');
const bytes = fc.option(fc.nat(2 ** 40), { nil: undefined });

const usage: fc.Arbitrary<PodUsage> = fc
  .record({
    usedBytes: fc.nat(),
    rootfsBytes: bytes,
    volumesPending: fc.boolean(),
    containers: fc.array(aName, { maxLength: 3 }),
    volumes: fc.array(aName, { maxLength: 2 }),
  })
  .map(({ usedBytes, rootfsBytes, volumesPending, containers, volumes }) =>
    aPodUsage({
      usedBytes,
      volumesPending,
      containers: containers.map((name) => aContainerUsage({ name, rootfsBytes })),
      volumes: volumes.map((name) => aVolumeUsage({ name, capacityBytes: rootfsBytes })),
    }),
  );

const pod = fc
  .record({
    namespace: aName,
    name: aName,
    usage,
    isKnown: fc.boolean(),
    isNameless: fc.boolean(),
    ratio: fc.double({ noNaN: true, min: 0 }),
  })
  .map(({ namespace, name, usage: ofPod, isKnown, isNameless, ratio }) =>
    aMeasuredPod({
      namespace,
      name,
      usage: ofPod,
      pod: isKnown ? aPod({ namespace, name, containers: [aContainer({ name: 'a' })] }) : undefined,
      isNameless: isNameless && !isKnown,
      ratios: [{ ...aLimitRatio(), ratio }],
    }),
  );

/** Pods of a pool of objects, so that a list shares some with the one before it, in another order. */
const podLists = fc
  .array(pod, { minLength: 1, maxLength: 8 })
  .chain((pool) => fc.array(fc.array(fc.constantFrom(...pool), { maxLength: 8 }), { minLength: 2, maxLength: 5 }));

/** Places of families that are not made, for one source after the other. */
const leftOuts = fc.array(
  fc.oneof(fc.constant([]), fc.uniqueArray(fc.nat(70))).map((places) => new Set(places)),
  {
    minLength: 5,
    maxLength: 5,
  },
);

/** As each source's text is made from the one before. */
function expectSame<Source extends object, Item extends object, Part>(
  groups: readonly SourceGroup<Source, Part>[],
  division: Division<Source, Item, Part>,
  { sources, leftOut }: { readonly sources: readonly Source[]; readonly leftOut: readonly ReadonlySet<number>[] },
): void {
  const renderer = new FamilyRenderer(groups, division, chunkIds());
  let former: NodeText<Source> | undefined;
  for (const [turn, source] of sources.entries()) {
    const notMade = leftOut[turn] ?? new Set();
    const rows = new Set(renderer.families.filter((_, place) => notMade.has(place)));
    const text = renderer.make('node-1', source, former, { leftOut: rows });
    const whole = sourceTexts(groups, division, source);
    const expected = whole.map((lines, place) => (notMade.has(place) ? '' : lines));
    expect(text.pieces.map(({ chunk }) => String(chunk))).toEqual(expected);
    expect(text.pieces.map(({ seriesCount }) => seriesCount)).toEqual(expected.map(lineCount));
    expect([...renderer.count(source).ofFamilies]).toEqual(whole.map(lineCount));
    for (const [family, { chunk, chunkId }] of text.pieces.entries()) {
      const before = former?.pieces[family];
      expect(chunkId === before?.chunkId).toBe(before?.chunk.equals(chunk) === true);
    }
    former = text;
  }
}

const lineCount = (lines: string): number => lines.split('\n').length - 1;

it.each(
  profiles.flatMap((profile) =>
    compatibilities.map((compatibility): [Profile, Compatibility] => [profile, compatibility]),
  ),
)('the text of a node is that of its pods one by one: %s, %s', (profile, compatibility) => {
  fc.assert(
    fc.property(podLists, fc.array(fc.nat(2)), leftOuts, (lists, capacities, leftOut) => {
      const sources = lists.map((pods, index): NodeSnapshot =>
        aNodeSnapshot({
          summary: aNodeSummary({
            nodefs: anFsStats({ capacityBytes: capacities[index], inodes: capacities[index] }),
          }),
          pods,
          podsWithoutTotal: pods.slice(0, 1).map(withoutTotal),
        }),
      );
      expectSame(detailGroups({ profile, compatibility }), nodeDivision({ compatibility, showsSizesAlone: false }), {
        sources,
        leftOut,
      });
    }),
    { numRuns: 25 },
  );
});

it('the text of API objects is that of each of them, one by one', () => {
  const bound = fc
    .record({ namespace: aName, name: aName, volumes: fc.array(aName, { maxLength: 3 }), limitBytes: bytes })
    .map(({ volumes, limitBytes, ...named }) =>
      aBoundPod({
        pod: aPod({ ...named, volumes: volumes.map((name) => aVolume({ name, sizeLimitBytes: limitBytes })) }),
        limitBytes,
        workloads: [aWorkload(), aDeployment('cart'), aWorkload()],
      }),
    );
  const lists = fc
    .array(bound, { minLength: 1, maxLength: 8 })
    .chain((pool) => fc.array(fc.array(fc.constantFrom(...pool), { maxLength: 8 }), { minLength: 2, maxLength: 5 }));
  fc.assert(
    fc.property(lists, leftOuts, (drawn, leftOut) => {
      const sources = drawn.map((pods): NodeObjects => someNodeObjects({ pods }));
      expectSame(objectGroups({ nodeLabels: [] }), objectDivision, { sources, leftOut });
    }),
    { numRuns: 25 },
  );
});

it('the pods that have changed are rendered and no others', () => {
  const rendered: string[] = [];
  const groups = detailGroups({ profile: 'minimal', compatibility: 'none' });
  const division = nodeDivision({ compatibility: 'none', showsSizesAlone: false });
  const watched: typeof division = {
    ...division,
    partOf: (snapshot) => {
      const partOf = division.partOf(snapshot);
      return (item) => {
        if ('summary' in item) rendered.push(item.summary.name);
        return partOf(item);
      };
    },
  };
  const renderer = new FamilyRenderer(groups, watched, chunkIds());
  const pods = ['a', 'b', 'c'].map((name) => aMeasuredPod({ name }));
  const former = renderer.make('node-1', aNodeSnapshot({ pods }), undefined);
  expect(rendered.splice(0)).toEqual(['a', 'b', 'c']);
  const changed = aNodeSnapshot({
    pods: [...pods.with(1, aMeasuredPod({ name: 'b' })), aMeasuredPod({ name: 'd' })],
  });
  const text = renderer.make('node-1', changed, former);
  expect(rendered.splice(0)).toEqual(['b', 'd']);
  renderer.make('node-2', { ...changed, nodeName: 'node-2' }, text);
  expect(rendered).toHaveLength(4);
});

it('the text of a node is in one memory block', () => {
  const groups = detailGroups({ profile: 'full', compatibility: 'none' });
  const renderer = new FamilyRenderer(
    groups,
    nodeDivision({ compatibility: 'none', showsSizesAlone: false }),
    chunkIds(),
  );
  const chunks = renderer.make('node-1', aNodeSnapshot(), undefined).pieces.map(({ chunk }) => chunk);
  const blocks = new Set(chunks.filter(({ length }) => length > 0).map(({ buffer }) => buffer));
  expect(blocks.size).toBe(1);
  expect([...blocks][0]?.byteLength).toBe(chunks.reduce((sum, { length }) => sum + length, 0));
});

describe('FamilyRenderer: a pod with very many series', () => {
  const many = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) =>
      aContainer({ name: `${name}${index}`, limitBytes: 1, requestBytes: 1 }),
    );
  const volumesOf = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);

  function podWith(name: string, count: number): PodRecord {
    const mounts = volumesOf(count).map((volume) => aMount(volume));
    const containers = many(count, 'c').map((container) => ({ ...container, mounts }));
    return aMeasuredPod({
      name,
      pod: aPod({
        name,
        containers,
        volumes: volumesOf(count).map((volume) => aVolume({ name: volume, sizeLimitBytes: 1 })),
      }),
      usage: aPodUsage({
        containers: containers.map((container) => aContainerUsage({ name: container.name })),
        volumes: volumesOf(count).map((volume) => aVolumeUsage({ name: volume })),
      }),
      ratios: containers.map((container) => ({ ...aLimitRatio(), rule: 'container', container: container.name })),
    });
  }

  it.each(profiles.flatMap((profile) => compatibilities.map((compatibility) => ({ profile, compatibility }))))(
    'a pod has at most 1,000 series, of whole families, and others have all: $profile, $compatibility',
    ({ profile, compatibility }) => {
      const pods = [podWith('small', 3), podWith('large', 100), podWith('last', 3)];
      const measured = new FamilyRenderer(
        detailGroups({ profile, compatibility }),
        nodeDivision({ compatibility, showsSizesAlone: false }),
        chunkIds(),
      );
      const declared = new FamilyRenderer(objectGroups({ nodeLabels: [] }), objectDivision, chunkIds());
      const bound = pods.map(({ bound: known }) =>
        aBoundPod({ ...known, workloads: [aWorkload(), aDeployment('cart')] }),
      );
      const [node, objects] = [aNodeSnapshot({ pods }), someNodeObjects({ pods: bound })];
      const texts = [measured.make('node-1', node, undefined), declared.make('node-1', objects, undefined)];
      const linesOf = (text: NodeText<unknown>, pod: string): readonly string[] =>
        text.pieces.flatMap(({ chunk }) =>
          chunk
            .toString()
            .split('\n')
            .filter((line) => line.includes(`"${pod}"`)),
        );
      const seriesOf = (pod: string): readonly string[] => texts.flatMap((text) => linesOf(text, pod));
      expect(seriesOf('large').length).toBeLessThanOrEqual(1_000);
      expect(seriesOf('large').length).toBeGreaterThan(seriesOf('small').length);
      expect(seriesOf('large').some((line) => line.includes('pod_used_bytes'))).toBe(true);
      const families = new Map<string, number>();
      for (const line of seriesOf('large')) {
        const family = line.slice(0, line.indexOf('{'));
        families.set(family, (families.get(family) ?? 0) + 1);
      }
      for (const [family, count] of families)
        expect([family, [1, 2, 4, 100, 200].includes(count)]).toEqual([family, true]);
      const own = new FamilyRenderer(
        detailGroups({ profile, compatibility }),
        nodeDivision({ compatibility, showsSizesAlone: false }),
        chunkIds(),
      );
      const small = own.make('node-1', aNodeSnapshot({ pods: [podWith('small', 3)] }), undefined);
      expect(linesOf(texts[0] as NodeText<unknown>, 'small')).toEqual(linesOf(small, 'small'));
      const counts = [measured.count(node), declared.count(objects)];
      for (const [index, { ofFamilies }] of counts.entries()) {
        expect([...ofFamilies]).toEqual(texts[index]?.pieces.map(({ seriesCount }) => seriesCount));
      }
    },
  );

  it('the series of a pod that are left out are counted', () => {
    const compatibility = 'k8s-ephemeral-storage-metrics';
    const groups = detailGroups({ profile: 'full', compatibility });
    const renderer = new FamilyRenderer(groups, nodeDivision({ compatibility, showsSizesAlone: false }), chunkIds());
    const all = sourceTexts(
      groups,
      nodeDivision({ compatibility, showsSizesAlone: false }),
      aNodeSnapshot({ pods: [podWith('large', 100)] }),
    );
    const { ofFamilies, leftOutCount } = renderer.count(aNodeSnapshot({ pods: [podWith('large', 100)] }));
    const allCount = all.reduce((sum, lines) => sum + lineCount(lines), 0);
    expect(leftOutCount).toBeGreaterThan(0);
    expect(ofFamilies.reduce((sum, count) => sum + count, 0) + leftOutCount).toBe(allCount);
  });
});

describe('FamilyRenderer: a part that may have ten series', () => {
  /** The number of series in each of three families, which is what an item and its part are. */
  type Counts = readonly [number, number, number];

  const isOf = (family: number) =>
    ({ profile: 'minimal', help: '', value: (of: number) => (of === family ? 1 : undefined) }) as const;
  const group = familyGroup(
    'pod',
    seriesOf(
      [],
      (part: Counts) => part.flatMap((count, family) => Array.from({ length: count }, () => family)),
      () => [],
    ),
    { first: isOf(0), second: isOf(1), third: isOf(2) },
  );
  const renderer = new FamilyRenderer<readonly Counts[], Counts, Counts>(
    [{ per: 'part', group }],
    {
      items: (source) => source,
      partOf: () => (item) => item,
      keyOf: (item) => item,
      isSameFor: () => true,
      maxSeriesCount: 10,
      sizeOf: (item) => Math.max(...item),
    },
    chunkIds(),
  );

  it.each<[string, Counts, Counts]>([
    ['all when they fit for certain', [3, 3, 3], [3, 3, 3]],
    ['all when they fit', [8, 1, 1], [8, 1, 1]],
    ['none of the family that does not fit, and all of those behind it that do', [4, 9, 4], [4, 0, 4]],
    ['none of all families that do not fit', [11, 12, 10], [0, 0, 10]],
  ])('a part that may have ten series has %s', (_, item, left) => {
    const { ofFamilies, leftOutCount } = renderer.count([item]);
    expect([...ofFamilies]).toEqual(left);
    expect(leftOutCount).toBe(sumOf(item) - sumOf(left));
    expect(renderer.make('node-1', [item], undefined).pieces.map(({ seriesCount }) => seriesCount)).toEqual(left);
  });

  it('a part is large when it may have more series', () => {
    const small: Counts = [1, 2, 3];
    const large: Counts = [4, 0, 0];
    expect([[small], [small, large]].map((parts) => renderer.hasLargePart(parts))).toEqual([false, true]);
  });

  const sumOf = (counts: Counts): number => counts.reduce((sum, count) => sum + count, 0);
});
