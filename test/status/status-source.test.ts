import { describe, expect, it } from 'vitest';

import type { ClusterSnapshot } from '../../src/scrape/snapshot.js';
import { type StatusInputs, StatusSource } from '../../src/status/status-source.js';
import type { SelfReport } from '../../src/telemetry/self-report.js';
import { ManualClock } from '../support/manual-clock.js';
import { aClusterSnapshot, anAbsentNode } from '../support/snapshot-builders.js';

const clockStart = { nowMs: 1_000_000, monotonicMs: 5_000 };

const selfReport: SelfReport = {
  stores: [{ resource: 'pods', objectCount: 3, isConnected: true, lastProgressAtMs: clockStart.nowMs - 4_000 }],
  scrapes: { success: 1 },
  kubeletRequests: { success: 2 },
  seriesCount: 9,
  seriesDroppedCount: 1,
  isLastReloadSuccessful: true,
  settingsLoadedAtMs: 900_000,
  isKubeletTlsUnverified: false,
  workloadNameClashCount: 0,
};

const settings = { scope: 'whole cluster', configuration: 'cache: {}', hidesPodsWithoutWorkload: false };

function setUp(inputs: Partial<StatusInputs> = {}) {
  const clock = new ManualClock(clockStart);
  const stopping = new AbortController();
  const calls = { count: 0 };
  const { collect = () => Promise.resolve(aClusterSnapshot()) } = inputs;
  const source = new StatusSource({
    inputs: {
      failureOf: () => undefined,
      checks: () => [{ name: 'pods', ok: true, message: 'not listed yet' }],
      selfReport: () => Promise.resolve(selfReport),
      droppedFamilies: () => ['pod_used_bytes'],
      settings: () => settings,
      ...inputs,
      collect: (signal) => {
        calls.count += 1;
        return collect(signal);
      },
    },
    version: '1.2.3',
    clock,
    stopping: stopping.signal,
  });
  return { source, clock, calls, stopping };
}

/** A collection that ends when its time is up. */
function untilCut(signal: AbortSignal): Promise<ClusterSnapshot> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve(aClusterSnapshot());
    });
  });
}

describe('a status', () => {
  it('says what the exporter is, how long it runs and how it does', async () => {
    const { source, clock } = setUp();
    await clock.advance(60_000);
    expect(await source.read()).toMatchObject({
      version: '1.2.3',
      scope: 'whole cluster',
      generatedAtMs: clockStart.nowMs + 60_000,
      uptimeMs: 60_000,
      isReady: true,
      problems: [{ text: '1 metric family left out by metrics.maxSeries' }],
      readinessChecks: [{ name: 'pods', isOk: true, message: undefined }],
      health: {
        stores: [{ resource: 'pods', objectCount: 3, isConnected: true, lastProgressAgeMs: 64_000 }],
        droppedSeriesCount: 1,
        droppedFamilies: ['pod_used_bytes'],
      },
      configuration: 'cache: {}',
    });
  });

  it('has no cluster and says what is missing before the first lists', async () => {
    const { source } = setUp({
      collect: () => Promise.resolve(undefined),
      checks: () => [{ name: 'pods', ok: false, message: 'not listed yet: forbidden' }],
    });
    const status = await source.read();
    expect(status).toMatchObject({
      isReady: false,
      cluster: undefined,
      readinessChecks: [{ name: 'pods', isOk: false, message: 'not listed yet: forbidden' }],
    });
  });

  it('has the age of the last failure of a node', async () => {
    const { source, clock } = setUp({
      collect: () => Promise.resolve(aClusterSnapshot({ nodes: [anAbsentNode('node-1', 'tls')] })),
      failureOf: (nodeName) => ({ reason: 'tls', message: `summary of ${nodeName}`, atMs: clockStart.monotonicMs }),
    });
    await clock.advance(3_000);
    expect((await source.read()).cluster?.nodes.items).toMatchObject([
      { failure: { reason: 'tls', message: 'summary of node-1', ageMs: 3_000 } },
    ]);
  });
});

describe('a collection for it', () => {
  it('is one for all who ask at the same time and within a second after', async () => {
    const { source, clock, calls } = setUp();
    const [first, second] = await Promise.all([source.read(), source.read()]);
    await clock.advance(999);
    expect(await source.read()).toBe(first);
    expect(second).toBe(first);
    expect(calls.count).toBe(1);
    await clock.advance(1);
    expect(await source.read()).not.toBe(first);
    expect(calls.count).toBe(2);
  });

  it('is made anew when other settings come into force, whether it is under way or kept', async () => {
    let inForce = settings;
    const apply = (scope: string): void => {
      inForce = { ...settings, scope };
    };
    const { source, calls } = setUp({
      settings: () => inForce,
      collect: () => {
        if (calls.count === 1) apply('shard 1 of 2');
        return Promise.resolve(aClusterSnapshot());
      },
    });
    expect((await source.read()).scope).toBe('shard 1 of 2');
    expect(calls.count).toBe(2);
    apply('node a');
    expect((await source.read()).scope).toBe('node a');
  });

  it('ends after two seconds with what there is', async () => {
    const { source, clock } = setUp({ collect: untilCut });
    const reading = source.read();
    await clock.advance(2_000);
    expect((await reading).cluster?.isCut).toBe(true);
    expect(clock.sleeperCount).toBe(0);
  });

  it('ends when the exporter stops', async () => {
    const { source, stopping } = setUp({ collect: untilCut });
    const reading = source.read();
    stopping.abort();
    expect((await reading).cluster?.isCut).toBe(true);
  });

  it('that fails fails for those who wait, and the next one is tried anew', async () => {
    let isBroken = true;
    const { source } = setUp({
      collect: () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(aClusterSnapshot())),
    });
    const both = await Promise.allSettled([source.read(), source.read()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    expect((await source.read()).cluster).toBeDefined();
  });
});
