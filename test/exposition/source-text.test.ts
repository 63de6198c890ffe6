import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { detailGroups } from '../../src/exposition/families.js';
import { objectGroups } from '../../src/exposition/object-families.js';
import type { SourceParts } from '../../src/exposition/part-texts.js';
import { partsOfNode, partsOfObjects } from '../../src/exposition/pod-on-node.js';
import { type Compatibility, type Profile, profiles } from '../../src/exposition/profile.js';
import type { SourceGroup } from '../../src/exposition/source-groups.js';
import { type SourceText, TextMaker, Versions } from '../../src/exposition/source-text.js';
import type { NodeObjects, NodeSnapshot, PodSnapshot } from '../../src/node/node-state.js';
import type { PodUsage } from '../../src/node/usage.js';
import { aContainer, aMount, anFsStats, aNodeSummary, aPod, aVolume } from '../support/builders.js';
import { sourceTexts } from '../support/exposed-text.js';
import {
  aBoundPod,
  aContainerUsage,
  aDeployment,
  aLimitRatio,
  aNodeSnapshot,
  aPodSnapshot,
  aPodUsage,
  aVolumeUsage,
  aWorkload,
  someNodeObjects,
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

const pod: fc.Arbitrary<PodSnapshot> = fc
  .record({
    namespace: aName,
    name: aName,
    usage,
    isKnown: fc.boolean(),
    isNameless: fc.boolean(),
    ratio: fc.double({ noNaN: true, min: 0 }),
  })
  .map(({ namespace, name, usage: ofPod, isKnown, isNameless, ratio }) =>
    aPodSnapshot({
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
function expectSame<Source, Item extends object, Part>(
  groups: readonly SourceGroup<Source, Part>[],
  parts: SourceParts<Source, Item, Part>,
  { sources, leftOut }: { readonly sources: readonly Source[]; readonly leftOut: readonly ReadonlySet<number>[] },
): void {
  const maker = new TextMaker(groups, parts, new Versions());
  let former: SourceText<Source> | undefined;
  for (const [turn, source] of sources.entries()) {
    const notMade = leftOut[turn] ?? new Set();
    const text = maker.make('node-1', source, former, notMade);
    const whole = sourceTexts(groups, parts, source);
    const expected = whole.map((lines, place) => (notMade.has(place) ? '' : lines));
    expect(text.pieces.map(({ chunk }) => String(chunk))).toEqual(expected);
    expect(text.pieces.map(({ seriesCount }) => seriesCount)).toEqual(expected.map(lineCount));
    expect([...maker.count(source).ofFamilies]).toEqual(whole.map(lineCount));
    for (const [family, { chunk, version }] of text.pieces.entries()) {
      const before = former?.pieces[family];
      expect(version === before?.version).toBe(before?.chunk.equals(chunk) === true);
    }
    former = text;
  }
}

const lineCount = (lines: string): number => lines.split('\n').length - 1;

describe('the text of a source, made from its former one,', () => {
  it.each(
    profiles.flatMap((profile) =>
      compatibilities.map((compatibility): [Profile, Compatibility] => [profile, compatibility]),
    ),
  )('is that of its pods one by one: %s, %s', (profile, compatibility) => {
    fc.assert(
      fc.property(podLists, fc.array(fc.nat(2)), leftOuts, (lists, capacities, leftOut) => {
        const sources = lists.map((pods, index): NodeSnapshot =>
          aNodeSnapshot({
            summary: aNodeSummary({
              nodefs: anFsStats({ capacityBytes: capacities[index], inodes: capacities[index] }),
            }),
            pods,
            podsWithoutTotal: pods.slice(0, 1).map((first) => ({ ...first, usage: undefined })),
          }),
        );
        expectSame(detailGroups({ profile, compatibility }), partsOfNode({ compatibility }), { sources, leftOut });
      }),
      { numRuns: 25 },
    );
  });

  it('is that of its API objects one by one', () => {
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
        expectSame(objectGroups({ nodeLabels: [] }), partsOfObjects, { sources, leftOut });
      }),
      { numRuns: 25 },
    );
  });

  it('renders the pods that have changed and no others', () => {
    const rendered: string[] = [];
    const groups = detailGroups({ profile: 'minimal', compatibility: 'none' });
    const parts = partsOfNode({ compatibility: 'none' });
    const watched: typeof parts = {
      ...parts,
      partOf: (snapshot) => {
        const partOf = parts.partOf(snapshot);
        return (item) => {
          rendered.push(item.name);
          return partOf(item);
        };
      },
    };
    const maker = new TextMaker(groups, watched, new Versions());
    const pods = ['a', 'b', 'c'].map((name) => aPodSnapshot({ name }));
    const former = maker.make('node-1', aNodeSnapshot({ pods }), undefined);
    expect(rendered.splice(0)).toEqual(['a', 'b', 'c']);
    const changed = aNodeSnapshot({
      pods: [...pods.with(1, aPodSnapshot({ name: 'b' })), aPodSnapshot({ name: 'd' })],
    });
    const text = maker.make('node-1', changed, former);
    expect(rendered.splice(0)).toEqual(['b', 'd']);
    maker.make('node-2', { ...changed, nodeName: 'node-2' }, text);
    expect(rendered).toHaveLength(4);
  });

  it('is in one memory block', () => {
    const groups = detailGroups({ profile: 'full', compatibility: 'none' });
    const maker = new TextMaker(groups, partsOfNode({ compatibility: 'none' }), new Versions());
    const chunks = maker.make('node-1', aNodeSnapshot(), undefined).pieces.map(({ chunk }) => chunk);
    const blocks = new Set(chunks.filter(({ length }) => length > 0).map(({ buffer }) => buffer));
    expect(blocks.size).toBe(1);
    expect([...blocks][0]?.byteLength).toBe(chunks.reduce((sum, { length }) => sum + length, 0));
  });
});

describe('a pod with very many series', () => {
  const many = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) =>
      aContainer({ name: `${name}${index}`, limitBytes: 1, requestBytes: 1 }),
    );
  const volumesOf = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);

  function podWith(name: string, count: number): PodSnapshot {
    const mounts = volumesOf(count).map((volume) => aMount(volume));
    const containers = many(count, 'c').map((container) => ({ ...container, mounts }));
    return aPodSnapshot({
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
    'has at most 1,000, of whole families, and other pods have all: $profile, $compatibility',
    ({ profile, compatibility }) => {
      const pods = [podWith('small', 3), podWith('large', 100), podWith('last', 3)];
      const measured = new TextMaker(
        detailGroups({ profile, compatibility }),
        partsOfNode({ compatibility }),
        new Versions(),
      );
      const declared = new TextMaker(objectGroups({ nodeLabels: [] }), partsOfObjects, new Versions());
      const bound = pods.map(({ pod }) =>
        aBoundPod({ ...(pod && { pod }), workloads: [aWorkload(), aDeployment('cart')] }),
      );
      const [node, objects] = [aNodeSnapshot({ pods }), someNodeObjects({ pods: bound })];
      const texts = [measured.make('node-1', node, undefined), declared.make('node-1', objects, undefined)];
      const linesOf = (text: SourceText<unknown>, pod: string): readonly string[] =>
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
      const own = new TextMaker(
        detailGroups({ profile, compatibility }),
        partsOfNode({ compatibility }),
        new Versions(),
      );
      const small = own.make('node-1', aNodeSnapshot({ pods: [podWith('small', 3)] }), undefined);
      expect(linesOf(texts[0] as SourceText<unknown>, 'small')).toEqual(linesOf(small, 'small'));
      const counts = [measured.count(node), declared.count(objects)];
      for (const [index, { ofFamilies }] of counts.entries()) {
        expect([...ofFamilies]).toEqual(texts[index]?.pieces.map(({ seriesCount }) => seriesCount));
      }
    },
  );

  it('counts those that are left out', () => {
    const compatibility = 'k8s-ephemeral-storage-metrics';
    const groups = detailGroups({ profile: 'full', compatibility });
    const maker = new TextMaker(groups, partsOfNode({ compatibility }), new Versions());
    const all = sourceTexts(groups, partsOfNode({ compatibility }), aNodeSnapshot({ pods: [podWith('large', 100)] }));
    const { ofFamilies, leftOutCount } = maker.count(aNodeSnapshot({ pods: [podWith('large', 100)] }));
    const allCount = all.reduce((sum, lines) => sum + lineCount(lines), 0);
    expect(leftOutCount).toBeGreaterThan(0);
    expect(ofFamilies.reduce((sum, count) => sum + count, 0) + leftOutCount).toBe(allCount);
  });
});
