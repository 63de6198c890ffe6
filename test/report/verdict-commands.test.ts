import { describe, expect, it } from 'vitest';

import type { EvictionRecord } from '../../src/facts/history/eviction-record.js';
import { limitCommands, raisedLimitText } from '../../src/people/report/verdict-commands.js';
import { aLastUsage, anEvictionRecord } from '../support/eviction-builders.js';
import { aContainerUsage, aLimitRatio, aPodUsage, aWorkload } from '../support/snapshot-builders.js';
import { mib } from '../support/units.js';

const explain = 'kubectl ephemeral-storage explain eviction shop/cart-0';
const edit = 'kubectl edit -n shop deployment/cart';
const ofContainer = { cause: 'container_limit', container: 'app', volume: '' } as const;
const ofPod = { cause: 'pod_limit', container: '', volume: '', limitBytes: 300 * mib } as const;

/** The container `app` with 200Mi of its limit, and `proxy` without one. */
const twoContainers = (usedByProxy: number) =>
  aLastUsage({
    limitForAnHourBytes: 500 * mib + 1,
    usage: aPodUsage({
      containers: [
        aContainerUsage({ name: 'app', usedBytes: 150 * mib }),
        aContainerUsage({ name: 'proxy', usedBytes: usedByProxy }),
      ],
    }),
    ratios: [
      aLimitRatio({ rule: 'pod', usedBytes: 290 * mib, limitBytes: 300 * mib }),
      aLimitRatio({ rule: 'container', container: 'app', usedBytes: 150 * mib, limitBytes: 200 * mib }),
    ],
  });

/** 30Mi a minute. */
const leakFrom = (usedMib: number) => ({
  ...({ cause: 'container_limit', container: 'app', volume: '', limitBytes: 256 * mib } as const),
  lastUsage: aLastUsage({
    ...{ limitForAnHourBytes: undefined, growthBytesPerSecond: mib / 2 },
    ratios: [aLimitRatio({ rule: 'container', container: 'app', usedBytes: usedMib * mib, limitBytes: 256 * mib })],
  }),
});

describe('the change that would have prevented an eviction', () => {
  const set = 'kubectl set resources -n shop deployment/cart -c app --limits=ephemeral-storage=';
  const lasting = (limitForAnHourBytes: number | undefined) => aLastUsage({ limitForAnHourBytes });
  const nobodyKnown = aLastUsage({ limitForAnHourBytes: mib, usage: undefined });

  it.each<readonly [string, Partial<EvictionRecord>, string]>([
    ['the limit of a container', { ...ofContainer, lastUsage: lasting(1_024 * mib) }, `${set}1Gi`],
    ['this limit, in whole Mi above it', { ...ofContainer, lastUsage: lasting(1_024 * mib + 1) }, `${set}1025Mi`],
    ['that of the container that used most', { ...ofPod, lastUsage: twoContainers(10 * mib) }, `${set}401Mi`],
    ['no limit known', { ...ofContainer, lastUsage: 'no_exporter' }, edit],
    ['no growth known', { ...ofContainer, lastUsage: lasting(undefined) }, edit],
    ['the container that used most has no limit', { ...ofPod, lastUsage: twoContainers(200 * mib) }, edit],
    ['no limit of the pod', { ...ofPod, limitBytes: undefined, lastUsage: twoContainers(10 * mib) }, edit],
    ['no container is known', { ...ofPod, lastUsage: nobodyKnown }, edit],
  ])('the change that would have prevented an eviction is one command: %s', (_what, record, command) => {
    expect(limitCommands(anEvictionRecord(record))).toEqual([explain, command]);
  });

  it.each<readonly [string, Partial<EvictionRecord>, string]>([
    [
      'of what was measured above the limit',
      {
        ...ofContainer,
        limitBytes: 256 * mib,
        lastUsage: aLastUsage({
          limitForAnHourBytes: 2_560 * mib,
          growthBytesPerSecond: mib / 2,
          ratios: [aLimitRatio({ rule: 'container', container: 'app', usedBytes: 257 * mib, limitBytes: 256 * mib })],
        }),
      },
      ' A limit of 2560Mi would have let it run for an hour more at its growth of 30Mi a minute: 257Mi + 60 × 30Mi, rounded up.',
    ],
    [
      'for the pod, of which a container has the rest',
      { ...ofPod, lastUsage: { ...twoContainers(10 * mib), growthBytesPerSecond: mib / 60 } },
      ' A limit of 501Mi would have let it run for an hour more at its growth of 1Mi a minute: 300Mi + 60 × 1Mi, rounded up; container app gets what is added.',
    ],
    ['that holds no leak', leakFrom(250), ' It leaks 30Mi a minute: no limit holds that, so look at what it writes.'],
    ['that a burst exceeded', leakFrom(1), ''],
    ['without growth', { ...ofContainer, lastUsage: aLastUsage({ limitForAnHourBytes: undefined }) }, ''],
    ['of nothing known', { ...ofContainer, lastUsage: 'no_exporter' }, ''],
  ])('the number in the change is shown with where it comes from: %s', (_what, record, text) => {
    expect(raisedLimitText(anEvictionRecord(record))).toBe(text);
  });

  it.each([
    ['deployment', 'kubectl ephemeral-storage explain workload shop/deployment/cart'],
    ['statefulset', 'kubectl ephemeral-storage explain pod shop/cart-0 --directories'],
  ])('of a %s that leaks, no limit is raised: where it writes is shown by %j', (type, command) => {
    const workloads = [aWorkload({ namespace: 'shop', name: 'cart', type })];
    expect(limitCommands(anEvictionRecord({ ...leakFrom(250), workloads }))).toEqual([explain, command]);
  });

  it.each([
    ['deployment', 'kubectl logs -n shop deployment/cart -c app --tail=20'],
    ['cronjob', undefined],
    ['job', undefined],
  ])('no limit is raised for logs: of a %s, what its pods log is shown by %j', (type, command) => {
    const container = aContainerUsage({ name: 'app', rootfsBytes: mib, logsBytes: 300 * mib });
    const lastUsage = aLastUsage({ usage: aPodUsage({ containers: [container] }) });
    const workloads = [aWorkload({ namespace: 'shop', name: 'cart', type })];
    const commands = limitCommands(anEvictionRecord({ ...ofPod, lastUsage, workloads }));
    expect(commands).toEqual([explain, ...(command === undefined ? [] : [command])]);
  });

  it.each(['rollout', 'deploymentconfig'])('no field of a %s can be set: it is edited', (type) => {
    const workloads = [aWorkload({ namespace: 'shop', name: 'cart', type })];
    const lastUsage = aLastUsage({ limitForAnHourBytes: 1_024 * mib });
    const commands = limitCommands(anEvictionRecord({ ...ofContainer, lastUsage, workloads }));
    expect(commands).toEqual([explain, `kubectl edit -n shop ${type}/cart`]);
  });

  it('a pod without a controller has none', () => {
    expect(limitCommands(anEvictionRecord({ workloads: [] }))).toEqual([explain]);
  });

  it('the emptyDir of a cron job is in the template of its jobs', () => {
    const workloads = [aWorkload({ namespace: 'shop', name: 'report', type: 'cronjob' })];
    const [, command = ''] = limitCommands(anEvictionRecord({ volume: 'data', lastUsage: aLastUsage(), workloads }));
    expect(command).toContain('kubectl patch -n shop cronjob/report --type=strategic');
    expect(command).toContain('{"spec":{"jobTemplate":{"spec":{"template":{"spec":{"volumes":[');
  });

  it('the limit of an emptyDir is raised by a strategic merge patch, which leaves the other volumes', () => {
    const [, command = ''] = limitCommands(anEvictionRecord({ volume: 'data', lastUsage: aLastUsage() }));
    const [, patch = ''] = /^kubectl patch -n shop deployment\/cart --type=strategic -p '(.*)'$/.exec(command) ?? [];
    // In a patch of this kind, volumes are merged by their names.
    expect(JSON.parse(patch)).toEqual({
      spec: { template: { spec: { volumes: [{ name: 'data', emptyDir: { sizeLimit: '2304Mi' } }] } } },
    });
  });
});
