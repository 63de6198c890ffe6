import { describe, expect, it } from 'vitest';

import { type Amount, parseAmount } from '../../src/cluster/kube/quantity.js';
import type { VolumeSummary } from '../../src/cluster/kubelet/summary.js';
import {
  hasUnknownUsage,
  type LimitRatio,
  limitRatios,
  type LimitRatiosInput,
} from '../../src/facts/node/limit-ratios.js';
import {
  aContainer,
  aContainerSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
  type ContainerSummaryFigures,
} from '../support/builders.js';

/** `rule container volume: used/limit`, one for each ratio. */
function told(input: Partial<LimitRatiosInput>): readonly string[] {
  const ratios = limitRatios({
    summary: aPodSummary({ usedBytes: undefined, containers: [] }),
    pod: aPod(),
    hasDedicatedImagefs: false,
    enforcesSidecars: true,
    resizesVolumes: false,
    ...input,
  });
  return ratios.map(
    ({ rule, container, volume, usedBytes, limitBytes }: LimitRatio) =>
      `${[rule, container, volume].filter((part) => part !== '').join(' ')}: ${usedBytes}/${limitBytes}`,
  );
}

it('a volume that the spec has twice, as no API server accepts it, has one ratio', () => {
  const twice = aPod({ volumes: [4, 3].map((sizeLimitBytes) => aVolume({ name: 'cache', sizeLimitBytes })) });
  const volumes = [aVolumeSummary({ name: 'cache', usedBytes: 5 })];
  const summary = aPodSummary({ usedBytes: undefined, containers: [], volumes });
  expect(told({ summary, pod: twice })).toEqual(['emptydir cache: 5/4']);
});

describe('limitRatios: pods', () => {
  const limited = (limitBytes: Amount | undefined, more = {}) =>
    aPod({ containers: [aContainer({ limitBytes })], ...more });

  it.each<
    [string, ContainerSummaryFigures & { size: VolumeSummary['usedBytes']; dedicated: boolean }, readonly string[]]
  >([
    ['a layer', { rootfsBytes: 'impossible', logsBytes: 1, size: 2, dedicated: false }, ['emptydir: 2/10', 'pod: 9/5']],
    ['logs', { rootfsBytes: 3, logsBytes: 'impossible', size: 2, dedicated: true }, ['emptydir: 2/10', 'pod: 9/5']],
    [
      'a layer that is not compared',
      { rootfsBytes: 'impossible', logsBytes: 1, size: 2, dedicated: true },
      ['emptydir: 2/10', 'pod: 9/5', 'container: 1/5'],
    ],
    [
      'an emptyDir',
      { rootfsBytes: 3, logsBytes: 1, size: 'impossible', dedicated: false },
      ['pod: 9/5', 'container: 4/5'],
    ],
  ])(
    'what is unknown is compared with nothing, and the rest is: %s',
    (_part, { size, dedicated, ...figures }, ratios) => {
      const volumes = [aVolumeSummary({ name: 'cache', usedBytes: size })];
      const summary = aPodSummary({ usedBytes: 9, containers: [aContainerSummary(figures)], volumes });
      const limits = [aContainer({ name: 'main', limitBytes: 5 })];
      const pod = aPod({ containers: limits, volumes: [aVolume({ name: 'cache', sizeLimitBytes: 10 })] });
      const found = told({ summary, pod, hasDedicatedImagefs: dedicated });
      expect(found.map((text) => text.replace(/ (?:main|cache):/, ':'))).toEqual(ratios);
      expect(hasUnknownUsage(summary, pod)).toBe(true);
    },
  );

  it('no limit of a pod counts what is unknown where it has none, or all is known', () => {
    const parts = { rootfsBytes: 'impossible', logsBytes: 'impossible' } as const;
    const unknown = aPodSummary({ usedBytes: 9, containers: [aContainerSummary(parts)] });
    const free = aPod({ containers: [aContainer()], volumes: [] });
    expect(hasUnknownUsage(unknown, free)).toBe(false);
    expect(hasUnknownUsage({ ...unknown, usedBytes: undefined }, free)).toBe(false);
    const known = aPodSummary({ usedBytes: 9, containers: [aContainerSummary({ rootfsBytes: 1, logsBytes: 1 })] });
    expect(hasUnknownUsage(known, limited(5))).toBe(false);
    expect(hasUnknownUsage({ ...known, usedBytes: undefined }, limited(5))).toBe(true);
    const volume = { ...known, volumes: [aVolumeSummary({ name: 'cache', usedBytes: 'impossible' })] };
    expect(hasUnknownUsage(volume, aPod({ volumes: [aVolume({ name: 'cache' })] }))).toBe(false);
  });

  it.each([
    [500, '500m'],
    [1_022_500, '1022500m'],
    [1_023_500, undefined],
    [2000, undefined],
  ])('a limit of %d thousandths of a byte has the quantity %s', (thousandths, limitQuantity) => {
    const input = { hasDedicatedImagefs: false, enforcesSidecars: true, resizesVolumes: false };
    const pod = limited(parseAmount(`${thousandths}m`));
    expect(limitRatios({ ...input, pod, summary: aPodSummary() })[0]?.limitQuantity).toBe(limitQuantity);
  });
});
