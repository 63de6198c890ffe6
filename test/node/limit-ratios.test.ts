import { describe, expect, it } from 'vitest';

import { type Amount, parseAmount } from '../../src/kube/quantity.js';
import { type LimitRatio, limitRatios, type LimitRatiosInput } from '../../src/node/limit-ratios.js';
import {
  aContainer,
  aContainerSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
  type ContainerSummaryFigures,
} from '../support/builders.js';
import { mib } from '../support/units.js';

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

const around = [
  ['just below', -1],
  ['at', 0],
  ['just above', 1],
] as const;

describe('limitRatios: emptyDirs', () => {
  const pod = (sizeLimitBytes: Amount | undefined, medium = '') =>
    aPod({ volumes: [aVolume({ name: 'cache', medium, sizeLimitBytes })] });
  const summary = (usedBytes: number | undefined) =>
    aPodSummary({ usedBytes: undefined, containers: [], volumes: [aVolumeSummary({ name: 'cache', usedBytes })] });

  it.each(around)('an emptyDir %s its size limit has the ratio of what the kubelet reports', (_where, difference) => {
    expect(told({ summary: summary(10 * mib + difference), pod: pod(10 * mib) })).toEqual([
      `emptydir cache: ${10 * mib + difference}/${10 * mib}`,
    ]);
  });

  it('emptyDirs in memory have a ratio, although they are no part of the total', () => {
    expect(told({ summary: summary(5), pod: pod(4, 'Memory') })).toEqual(['emptydir cache: 5/4']);
  });

  it.each([
    ['without a size limit', 5, undefined],
    ['without a figure', undefined, 4],
  ])('a volume %s has no ratio', (_which, usedBytes, sizeLimitBytes) => {
    expect(told({ summary: summary(usedBytes), pod: pod(sizeLimitBytes) })).toEqual([]);
  });

  it('a volume that the spec has twice, as no API server accepts it, has one ratio', () => {
    const twice = aPod({ volumes: [4, 3].map((sizeLimitBytes) => aVolume({ name: 'cache', sizeLimitBytes })) });
    expect(told({ summary: summary(5), pod: twice })).toEqual(['emptydir cache: 5/4']);
  });

  it('the ratios of volumes are in the order of the spec', () => {
    const volumes = ['b', 'a'].map((name) => aVolumeSummary({ name, usedBytes: 2 }));
    const specs = ['a', 'b'].map((name) => aVolume({ name, sizeLimitBytes: 1 }));
    expect(
      told({ summary: aPodSummary({ usedBytes: undefined, containers: [], volumes }), pod: aPod({ volumes: specs }) }),
    ).toEqual(['emptydir a: 2/1', 'emptydir b: 2/1']);
  });
});

describe('limitRatios: pods', () => {
  const limited = (limitBytes: Amount | undefined, more = {}) =>
    aPod({ containers: [aContainer({ limitBytes })], ...more });

  it.each(around)('a pod %s its limit has the ratio of its total', (_where, difference) => {
    const summary = aPodSummary({ usedBytes: mib + difference, containers: [] });
    expect(told({ summary, pod: limited(mib) })).toEqual([`pod: ${mib + difference}/${mib}`]);
  });

  it('the limit of a pod is as the kubelet adds it up, with the overhead', () => {
    const summary = aPodSummary({ usedBytes: 7, containers: [] });
    expect(told({ summary, pod: limited(100, { overheadBytes: 11 }) })).toEqual(['pod: 7/111']);
  });

  it('a pod without a limit, or without a total, has no ratio', () => {
    expect(told({ summary: aPodSummary({ containers: [] }), pod: limited(undefined) })).toEqual([]);
    expect(told({ summary: aPodSummary({ usedBytes: undefined, containers: [] }), pod: limited(5) })).toEqual([]);
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

  it.each([
    [0, 0],
    [1, Infinity],
  ])('a pod of %d bytes has, with a limit of 0, the ratio %d', (usedBytes, ratio) => {
    const input = { hasDedicatedImagefs: false, enforcesSidecars: true, resizesVolumes: false };
    const summary = aPodSummary({ usedBytes, containers: [] });
    expect(limitRatios({ ...input, summary, pod: limited(0) })).toMatchObject([{ rule: 'pod', limitBytes: 0, ratio }]);
  });

  it('a ratio is exact for limits with fractions of a byte', () => {
    const limit = { roundedUp: 10, nanosBelow: 500_000_000 };
    const ratioOf = (usedBytes: number) =>
      limitRatios({
        summary: aPodSummary({ usedBytes, containers: [] }),
        pod: aPod({ containers: [aContainer({ limitBytes: limit })] }),
        hasDedicatedImagefs: false,
        enforcesSidecars: true,
        resizesVolumes: false,
      })[0];
    expect(ratioOf(9)?.ratio).toBeLessThan(1);
    expect(ratioOf(10)?.ratio).toBeCloseTo(10 / 9.5);
  });

  it('static pods have a ratio, although they are never evicted for it', () => {
    const summary = aPodSummary({ usedBytes: 7, containers: [] });
    expect(told({ summary, pod: limited(5, { isStatic: true }) })).toEqual(['pod: 7/5']);
  });
});

describe('limitRatios: containers', () => {
  const usageOf = (figures: ContainerSummaryFigures) =>
    aPodSummary({ usedBytes: 1, containers: [aContainerSummary(figures)] });
  const onlyContainer = (lines: readonly string[]) => lines.filter((line) => line.startsWith('container'));

  it.each(around)('a container %s its limit has the ratio of its root filesystem and logs', (_where, difference) => {
    const summary = usageOf({ rootfsBytes: 600 + difference, logsBytes: 400 });
    const pod = aPod({ containers: [aContainer({ limitBytes: 1000 })] });
    expect(onlyContainer(told({ summary, pod }))).toEqual([`container main: ${1000 + difference}/1000`]);
  });

  it.each([
    ['root filesystem and logs on one filesystem', { hasDedicatedImagefs: false }, '1000/500'],
    ['the logs alone with a dedicated image filesystem', { hasDedicatedImagefs: true }, '400/500'],
  ])('the ratio of a container has %s', (_what, layout, ratio) => {
    const summary = usageOf({ rootfsBytes: 600, logsBytes: 400 });
    const pod = aPod({ containers: [aContainer({ limitBytes: 500 })] });
    expect(onlyContainer(told({ summary, pod, ...layout }))).toEqual([`container main: ${ratio}`]);
  });

  it.each([
    ['the root filesystem', { logsBytes: 400 }, ['container main: 400/500']],
    ['the logs', { rootfsBytes: 600 }, ['container main: 600/500']],
    ['both', {}, ['container main: 0/500']],
  ])('the ratio of a container is of what there is without %s', (_what, figures, expected) => {
    const pod = aPod({ containers: [aContainer({ limitBytes: 500 })] });
    expect(onlyContainer(told({ summary: usageOf(figures), pod }))).toEqual(expected);
  });

  it.each([
    ['app', true, 1],
    ['app', false, 1],
    ['sidecar', true, 1],
    ['sidecar', false, 0],
    ['init', true, 0],
    ['ephemeral', true, 0],
  ] as const)('containers of kind %s (sidecars enforced: %s) have ratios: %i', (kind, enforcesSidecars, count) => {
    const pod = aPod({ containers: [aContainer({ kind, limitBytes: 500 })] });
    expect(onlyContainer(told({ summary: usageOf({}), pod, enforcesSidecars }))).toHaveLength(count);
  });

  it('a container that the kubelet does not list has no ratio, nor has one without a limit', () => {
    const pod = aPod({ containers: [aContainer({ name: 'gone', limitBytes: 5 }), aContainer()] });
    expect(onlyContainer(told({ summary: usageOf({}), pod }))).toEqual([]);
  });
});

it('ratios are in the order in which the kubelet checks the rules', () => {
  const summary = aPodSummary({
    usedBytes: 9,
    containers: [aContainerSummary()],
    volumes: [aVolumeSummary({ usedBytes: 1 })],
  });
  const pod = aPod({ containers: [aContainer({ limitBytes: 5 })], volumes: [aVolume({ sizeLimitBytes: 2 })] });
  expect(told({ summary, pod })).toEqual(['emptydir data: 1/2', 'pod: 9/5', 'container main: 0/5']);
});
