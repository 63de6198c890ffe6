import { describe, expect, it } from 'vitest';

import { type LimitRatio, limitRatios, type LimitRatiosInput } from '../../src/eviction/limit-ratios.js';
import { aContainer, aPod } from '../support/builders.js';
import { aContainerUsage, aPodUsage, aVolumeUsage } from '../support/snapshot-builders.js';

const mib = 2 ** 20;

/** `rule container volume: used/limit`, one for each ratio. */
function told(input: Partial<LimitRatiosInput>): readonly string[] {
  const ratios = limitRatios({
    usage: aPodUsage({ volumes: [] }),
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
  it.each(around)('holds what the kubelet reports of the volume %s its size limit', (_where, difference) => {
    const volume = aVolumeUsage({ name: 'cache', usedBytes: 10 * mib + difference, sizeLimitBytes: 10 * mib });
    expect(told({ usage: aPodUsage({ volumes: [volume] }) })).toEqual([
      `emptydir cache: ${10 * mib + difference}/${10 * mib}`,
    ]);
  });

  it('covers those in memory, although they are no part of the total', () => {
    const volume = aVolumeUsage({ name: 'shm', medium: 'Memory', usedBytes: 5, sizeLimitBytes: 4 });
    expect(told({ usage: aPodUsage({ volumes: [volume] }) })).toEqual(['emptydir shm: 5/4']);
  });

  it.each([
    ['without a size limit', { usedBytes: 5, sizeLimitBytes: undefined }],
    ['without a figure', { usedBytes: undefined, sizeLimitBytes: 4 }],
  ])('is absent for a volume %s', (_which, volume) => {
    expect(told({ usage: aPodUsage({ volumes: [aVolumeUsage(volume)] }) })).toEqual([]);
  });
});

describe('the rule on pods', () => {
  const limited = (limitBytes: number | undefined, more = {}) =>
    aPod({ containers: [aContainer({ limitBytes })], ...more });

  it.each(around)("holds the pod's total %s its limit", (_where, difference) => {
    const usage = aPodUsage({ usedBytes: mib + difference, containers: [], volumes: [] });
    expect(told({ usage, pod: limited(mib) })).toEqual([`pod: ${mib + difference}/${mib}`]);
  });

  it('takes the limit as the kubelet adds it up, with the overhead', () => {
    const usage = aPodUsage({ usedBytes: 7, containers: [], volumes: [] });
    expect(told({ usage, pod: limited(100, { overheadBytes: 11 }) })).toEqual(['pod: 7/111']);
  });

  it.each([undefined, 0])('is absent with the limit %s', (limitBytes) => {
    expect(told({ usage: aPodUsage({ containers: [], volumes: [] }), pod: limited(limitBytes) })).toEqual([]);
  });

  it('covers static pods, which are never evicted for it', () => {
    const usage = aPodUsage({ usedBytes: 7, containers: [], volumes: [] });
    expect(told({ usage, pod: limited(5, { isStatic: true }) })).toEqual(['pod: 7/5']);
  });
});

describe('the rule on containers', () => {
  const usageOf = (figures: Parameters<typeof aContainerUsage>[0]) =>
    aPodUsage({ usedBytes: 1, containers: [aContainerUsage(figures)], volumes: [] });
  const onlyContainer = (lines: readonly string[]) => lines.filter((line) => line.startsWith('container'));

  it.each(around)('holds root filesystem and logs %s the limit', (_where, difference) => {
    const usage = usageOf({ rootfsBytes: 600 + difference, logsBytes: 400 });
    const pod = aPod({ containers: [aContainer({ limitBytes: 1000 })] });
    expect(onlyContainer(told({ usage, pod }))).toEqual([`container main: ${1000 + difference}/1000`]);
  });

  it.each([
    ['root filesystem and logs on one filesystem', { hasDedicatedImagefs: false }, '1000/500'],
    ['the logs alone with a dedicated image filesystem', { hasDedicatedImagefs: true }, '400/500'],
  ])('holds %s', (_what, layout, ratio) => {
    const usage = usageOf({ rootfsBytes: 600, logsBytes: 400 });
    const pod = aPod({ containers: [aContainer({ limitBytes: 500 })] });
    expect(onlyContainer(told({ usage, pod, ...layout }))).toEqual([`container main: ${ratio}`]);
  });

  it.each([
    ['the root filesystem', { rootfsBytes: undefined, logsBytes: 400 }, ['container main: 400/500']],
    ['the logs', { rootfsBytes: 600, logsBytes: undefined }, ['container main: 600/500']],
    ['both', { rootfsBytes: undefined, logsBytes: undefined }, []],
  ])('takes what there is when %s are not reported', (_what, figures, expected) => {
    const pod = aPod({ containers: [aContainer({ limitBytes: 500 })] });
    expect(onlyContainer(told({ usage: usageOf(figures), pod }))).toEqual(expected);
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
    expect(onlyContainer(told({ usage: usageOf({}), pod, enforcesSidecars }))).toHaveLength(count);
  });

  it('says nothing of a container that the kubelet does not list, nor of one without a limit', () => {
    const pod = aPod({ containers: [aContainer({ name: 'gone', limitBytes: 5 }), aContainer()] });
    expect(onlyContainer(told({ usage: usageOf({}), pod }))).toEqual([]);
  });

  it('is not about the share of what the pod shares', () => {
    const usage = usageOf({ usedBytes: 9000, rootfsBytes: 10, logsBytes: 20 });
    const pod = aPod({ containers: [aContainer({ limitBytes: 100 })] });
    expect(onlyContainer(told({ usage, pod }))).toEqual(['container main: 30/100']);
  });
});

it('lists the rules in the order in which the kubelet checks them', () => {
  const usage = aPodUsage({ usedBytes: 9, volumes: [aVolumeUsage({ usedBytes: 1, sizeLimitBytes: 2 })] });
  const pod = aPod({ containers: [aContainer({ limitBytes: 5 })] });
  expect(told({ usage, pod })).toEqual(['emptydir data: 1/2', 'pod: 9/5', 'container main: 4000/5']);
});
