import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { cutPod } from '../../src/cluster/kubelet/pod-others.js';
import { aContainerFs, aContainerSummary, aPodSummary, aVolumeSummary } from '../support/builders.js';

const maxCount = 5_000;
const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `c${String(index).padStart(5, '0')}`);
const namesOf = (items: readonly { readonly name: string }[] = []): readonly string[] =>
  items.map(({ name }) => name).toSorted();

it('a pod beyond the bound has the first by name and the sum of the others, in whatever order', () => {
  const names = numbered(maxCount + 30);
  const bytesOf = (name: string): number => 1 + Number(name.slice(1)) ** 2;
  const orders = fc.shuffledSubarray([...names], { minLength: names.length });
  const sum = names.slice(maxCount).reduce((total, name) => total + bytesOf(name), 0);
  fc.assert(
    fc.property(orders, (order) => {
      const containers = order.map((name) =>
        aContainerSummary({ name, rootfsBytes: bytesOf(name), logsBytes: 2 * bytesOf(name) }),
      );
      const volumes = order.map((name) => aVolumeSummary({ name, usedBytes: bytesOf(name), inodesUsed: 3 }));
      const cut = cutPod(aPodSummary({ usedBytes: 7, containers, volumes }));
      const kept = [...names.slice(0, maxCount), '(others)'].toSorted();
      expect([namesOf(cut.containers), namesOf(cut.volumes)]).toEqual([kept, kept]);
      expect(cut).toMatchObject({ usedBytes: 7, others: { containerCount: 30, volumeCount: 30 } });
      expect(cut.containers.at(-1)).toMatchObject({ rootfs: { usedBytes: sum }, logs: { usedBytes: 2 * sum } });
      expect(cut.volumes?.at(-1)).toMatchObject({ usedBytes: sum, inodesUsed: 90, hasClaim: false });
    }),
    { numRuns: 5 },
  );
});

it('a pod of very many has the sum of all others, which are summed while it is read', () => {
  const names = numbered(3 * maxCount).toReversed();
  const volumes = names.map((name) => aVolumeSummary({ name, usedBytes: 2 }));
  const cut = cutPod(aPodSummary({ volumes }));
  expect(cut.others).toEqual({ containerCount: 0, volumeCount: 2 * maxCount });
  expect(cut.volumes?.at(-1)).toMatchObject({ name: '(others)', usedBytes: 4 * maxCount });
  expect(namesOf(cut.volumes?.slice(0, -1))).toEqual(numbered(maxCount));
});

it('a pod may have more of one kind alone', () => {
  const volumes = numbered(maxCount + 1).map((name) => aVolumeSummary({ name }));
  const cut = cutPod(aPodSummary({ volumes }));
  expect(cut).toMatchObject({ containers: [{ name: 'main' }], others: { containerCount: 0, volumeCount: 1 } });
  expect(cutPod(aPodSummary({ containers: volumes.map(({ name }) => aContainerSummary({ name })) }))).toMatchObject({
    volumes: undefined,
    others: { containerCount: 1, volumeCount: 0 },
  });
});

describe('the sum of the others', () => {
  const first = numbered(maxCount);
  const others = (name: string) => `x-${name}`;
  const containersOf = (...more: Parameters<typeof aContainerSummary>[0][]) =>
    cutPod(
      aPodSummary({
        containers: [
          ...first.map((name) => aContainerSummary({ name })),
          ...more.map((one, index) => aContainerSummary({ ...one, name: others(String(index)) })),
        ],
      }),
    ).containers.at(-1);

  it('the sum of the others lacks the logs of a container without a root filesystem', () => {
    expect(containersOf({ rootfsBytes: 5, logsBytes: 2 }, { logsBytes: 100 }, { rootfsBytes: 1 })).toEqual({
      name: '(others)',
      rootfs: aContainerFs({ usedBytes: 6 }),
      logs: aContainerFs({ usedBytes: 2 }),
    });
    expect(containersOf({ logsBytes: 100 }, { logsBytes: 1 })).toMatchObject({
      rootfs: undefined,
      logs: { usedBytes: 101 },
    });
  });

  it('the sum of the other volumes has the time of the oldest, and no size', () => {
    const volumes = [
      ...first.map((name) => aVolumeSummary({ name })),
      aVolumeSummary({ name: others('a'), timeMs: 7_000, usedBytes: 1, capacityBytes: 10, availableBytes: 5 }),
      aVolumeSummary({ name: others('b'), timeMs: 6_000, hasClaim: true, capacityBytes: 10, availableBytes: 5 }),
      aVolumeSummary({ name: others('c') }),
    ];
    expect(cutPod(aPodSummary({ volumes })).volumes?.at(-1)).toEqual({
      name: '(others)',
      hasClaim: false,
      timeMs: 6_000,
      usedBytes: 1,
      inodesUsed: undefined,
      capacityBytes: undefined,
      availableBytes: undefined,
    });
  });
});
