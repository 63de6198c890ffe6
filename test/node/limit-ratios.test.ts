import { describe, expect, it } from 'vitest';

import type { Amount } from '../../src/kube/quantity.js';
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

describe('the rule on emptyDirs', () => {
  const pod = (sizeLimitBytes: Amount | undefined, medium = '') =>
    aPod({ volumes: [aVolume({ name: 'cache', medium, sizeLimitBytes })] });
  const summary = (usedBytes: number | undefined) =>
    aPodSummary({ usedBytes: undefined, containers: [], volumes: [aVolumeSummary({ name: 'cache', usedBytes })] });

  it.each(around)('holds what the kubelet reports of the volume %s its size limit', (_where, difference) => {
    expect(told({ summary: summary(10 * mib + difference), pod: pod(10 * mib) })).toEqual([
      `emptydir cache: ${10 * mib + difference}/${10 * mib}`,
    ]);
  });

  it('covers those in memory, although they are no part of the total', () => {
    expect(told({ summary: summary(5), pod: pod(4, 'Memory') })).toEqual(['emptydir cache: 5/4']);
  });

  it.each([
    ['without a size limit', 5, undefined],
    ['without a figure', undefined, 4],
  ])('is absent for a volume %s', (_which, usedBytes, sizeLimitBytes) => {
    expect(told({ summary: summary(usedBytes), pod: pod(sizeLimitBytes) })).toEqual([]);
  });

  it('has a volume once that the spec has twice, as no API server accepts it', () => {
    const twice = aPod({ volumes: [4, 3].map((sizeLimitBytes) => aVolume({ name: 'cache', sizeLimitBytes })) });
    expect(told({ summary: summary(5), pod: twice })).toEqual(['emptydir cache: 5/4']);
  });

  it('names the volumes in the order of the spec', () => {
    const volumes = ['b', 'a'].map((name) => aVolumeSummary({ name, usedBytes: 2 }));
    const specs = ['a', 'b'].map((name) => aVolume({ name, sizeLimitBytes: 1 }));
    expect(
      told({ summary: aPodSummary({ usedBytes: undefined, containers: [], volumes }), pod: aPod({ volumes: specs }) }),
    ).toEqual(['emptydir a: 2/1', 'emptydir b: 2/1']);
  });
});

describe('the rule on pods', () => {
  const limited = (limitBytes: Amount | undefined, more = {}) =>
    aPod({ containers: [aContainer({ limitBytes })], ...more });

  it.each(around)("holds the pod's total %s its limit", (_where, difference) => {
    const summary = aPodSummary({ usedBytes: mib + difference, containers: [] });
    expect(told({ summary, pod: limited(mib) })).toEqual([`pod: ${mib + difference}/${mib}`]);
  });

  it('takes the limit as the kubelet adds it up, with the overhead', () => {
    const summary = aPodSummary({ usedBytes: 7, containers: [] });
    expect(told({ summary, pod: limited(100, { overheadBytes: 11 }) })).toEqual(['pod: 7/111']);
  });

  it('is absent without a limit, and without a total', () => {
    expect(told({ summary: aPodSummary({ containers: [] }), pod: limited(undefined) })).toEqual([]);
    expect(told({ summary: aPodSummary({ usedBytes: undefined, containers: [] }), pod: limited(5) })).toEqual([]);
  });

  it.each([
    [0, 0],
    [1, Infinity],
  ])('holds %d bytes against a limit of 0 as %d', (usedBytes, ratio) => {
    const input = { hasDedicatedImagefs: false, enforcesSidecars: true };
    const summary = aPodSummary({ usedBytes, containers: [] });
    expect(limitRatios({ ...input, summary, pod: limited(0) })).toMatchObject([{ rule: 'pod', limitBytes: 0, ratio }]);
  });

  it('is exact for limits with fractions of a byte', () => {
    const limit = { roundedUp: 10, nanosBelow: 500_000_000 };
    const ratioOf = (usedBytes: number) =>
      limitRatios({
        summary: aPodSummary({ usedBytes, containers: [] }),
        pod: aPod({ containers: [aContainer({ limitBytes: limit })] }),
        hasDedicatedImagefs: false,
        enforcesSidecars: true,
      })[0];
    expect(ratioOf(9)?.ratio).toBeLessThan(1);
    expect(ratioOf(10)?.ratio).toBeCloseTo(10 / 9.5);
  });

  it('covers static pods, which are never evicted for it', () => {
    const summary = aPodSummary({ usedBytes: 7, containers: [] });
    expect(told({ summary, pod: limited(5, { isStatic: true }) })).toEqual(['pod: 7/5']);
  });
});

describe('the rule on containers', () => {
  const usageOf = (figures: ContainerSummaryFigures) =>
    aPodSummary({ usedBytes: 1, containers: [aContainerSummary(figures)] });
  const onlyContainer = (lines: readonly string[]) => lines.filter((line) => line.startsWith('container'));

  it.each(around)('holds root filesystem and logs %s the limit', (_where, difference) => {
    const summary = usageOf({ rootfsBytes: 600 + difference, logsBytes: 400 });
    const pod = aPod({ containers: [aContainer({ limitBytes: 1000 })] });
    expect(onlyContainer(told({ summary, pod }))).toEqual([`container main: ${1000 + difference}/1000`]);
  });

  it.each([
    ['root filesystem and logs on one filesystem', { hasDedicatedImagefs: false }, '1000/500'],
    ['the logs alone with a dedicated image filesystem', { hasDedicatedImagefs: true }, '400/500'],
  ])('holds %s', (_what, layout, ratio) => {
    const summary = usageOf({ rootfsBytes: 600, logsBytes: 400 });
    const pod = aPod({ containers: [aContainer({ limitBytes: 500 })] });
    expect(onlyContainer(told({ summary, pod, ...layout }))).toEqual([`container main: ${ratio}`]);
  });

  it.each([
    ['the root filesystem', { logsBytes: 400 }, ['container main: 400/500']],
    ['the logs', { rootfsBytes: 600 }, ['container main: 600/500']],
    ['both', {}, ['container main: 0/500']],
  ])('takes what there is, as the kubelet does, when %s are not reported', (_what, figures, expected) => {
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
  ] as const)('concerns a container of kind %s (sidecars enforced: %s): %i', (kind, enforcesSidecars, count) => {
    const pod = aPod({ containers: [aContainer({ kind, limitBytes: 500 })] });
    expect(onlyContainer(told({ summary: usageOf({}), pod, enforcesSidecars }))).toHaveLength(count);
  });

  it('says nothing of a container that the kubelet does not list, nor of one without a limit', () => {
    const pod = aPod({ containers: [aContainer({ name: 'gone', limitBytes: 5 }), aContainer()] });
    expect(onlyContainer(told({ summary: usageOf({}), pod }))).toEqual([]);
  });
});

it('lists the rules in the order in which the kubelet checks them', () => {
  const summary = aPodSummary({
    usedBytes: 9,
    containers: [aContainerSummary()],
    volumes: [aVolumeSummary({ usedBytes: 1 })],
  });
  const pod = aPod({ containers: [aContainer({ limitBytes: 5 })], volumes: [aVolume({ sizeLimitBytes: 2 })] });
  expect(told({ summary, pod })).toEqual(['emptydir data: 1/2', 'pod: 9/5', 'container main: 0/5']);
});
