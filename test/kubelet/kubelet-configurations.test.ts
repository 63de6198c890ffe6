import { describe, expect, it } from 'vitest';

import type { Node } from '../../src/cluster/kube/objects.js';
import { KubeletCache } from '../../src/cluster/kubelet/kubelet-cache.js';
import type { KubeletConfiguration } from '../../src/cluster/kubelet/kubelet-configuration.js';
import { RequestError } from '../../src/lib/base/errors.js';
import type { LogFields } from '../../src/lib/base/logger.js';
import { aNode, aNodeSummary, aThreshold } from '../support/builders.js';
import { atOnce } from '../support/lanes.js';
import { ManualClock } from '../support/manual-clock.js';
import { loggerOf } from '../support/recording-logger.js';
import { never } from '../support/signals.js';

const gateMs = 600_000;

function configuration(amount: number): KubeletConfiguration {
  return {
    thresholds: [aThreshold({ value: { amount } })],
    logRotation: { maxFileBytes: amount, maxFileCount: 5 },
    images: undefined,
  };
}

/** Answers with what is set, in a new object each time; while it holds, not before `release` is called. */
class FakeKubelets {
  readonly requested: string[] = [];
  inFlightCount = 0;
  amount = 1;
  failure: Error | undefined;
  readonly #held: (() => void)[] = [];
  isHolding = false;

  readonly fetchConfiguration = async ({ name }: Node, signal: AbortSignal): Promise<KubeletConfiguration> => {
    this.requested.push(name);
    this.inFlightCount++;
    try {
      if (this.isHolding) await this.#untilReleased(signal);
      if (this.failure !== undefined) throw this.failure;
      return configuration(this.amount);
    } finally {
      this.inFlightCount--;
    }
  };

  release(): void {
    this.isHolding = false;
    for (const go of this.#held.splice(0)) go();
  }

  #untilReleased(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#held.push(resolve);
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  }
}

function setUp() {
  const clock = new ManualClock();
  const kubelets = new FakeKubelets();
  const lines: { readonly level: string; readonly message: string; readonly fields: LogFields | undefined }[] = [];
  const summaries = { isFailing: false };
  const cache = new KubeletCache({
    requests: atOnce,
    clock,
    observer: { lookedUp: () => undefined },
    logger: loggerOf((level, message, fields) => lines.push({ level, message, fields })),
  });
  const configure = ({ readsConfigurations }: { readonly readsConfigurations: boolean }): void => {
    cache.configure({
      ttlMs: 0,
      nearTtlMs: 0,
      maxConcurrentRequests: 64,
      fetchSummary: ({ name }) =>
        summaries.isFailing
          ? Promise.reject(new RequestError('forbidden', 'no summary'))
          : Promise.resolve(aNodeSummary({ nodeName: name })),
      fetchConfiguration: readsConfigurations ? kubelets.fetchConfiguration : undefined,
      expectsPods: () => false,
    });
  };
  configure({ readsConfigurations: true });
  /** One scrape of the node, and the background work that it starts. Resolves with the configuration that it knew. */
  const scrape = async (node: Node = aNode()): Promise<KubeletConfiguration | undefined> => {
    const lookup = await cache.get(node, never);
    await clock.advance(0);
    return lookup.state === 'absent' ? undefined : lookup.configuration;
  };
  return { clock, kubelets, summaries, lines, cache, configure, scrape };
}

it('a configuration is waited for by a caller that reads once', async () => {
  const { cache, scrape } = setUp();
  expect(await cache.readConfiguration(aNode(), never)).toBeUndefined();
  expect(await scrape()).toEqual(configuration(1));
});

it('a configuration that cannot be read has a reason', async () => {
  const { cache, kubelets, scrape } = setUp();
  kubelets.failure = new RequestError('forbidden', 'no configuration for you');
  expect(await cache.readConfiguration(aNode(), never)).toMatchObject({ reason: 'forbidden' });
  expect(await scrape()).toBeUndefined();
});

it('the permission is missing when no kubelet allows the request, until one does', async () => {
  const { cache, kubelets, configure } = setUp();
  expect(cache.isConfigurationForbidden).toBe(false);
  kubelets.failure = new RequestError('timeout', 'no answer');
  await cache.readConfiguration(aNode({ name: 'a' }), never);
  expect(cache.isConfigurationForbidden).toBe(false);
  kubelets.failure = new RequestError('forbidden', 'no configuration for you');
  await cache.readConfiguration(aNode({ name: 'b' }), never);
  expect(cache.isConfigurationForbidden).toBe(true);
  kubelets.failure = undefined;
  await cache.readConfiguration(aNode({ name: 'c' }), never);
  expect(cache.isConfigurationForbidden).toBe(false);
  configure({ readsConfigurations: false });
  expect(cache.isConfigurationForbidden).toBe(false);
});

it('a configuration is read once in 10 minutes, however often the node is scraped', async () => {
  const { kubelets, clock, scrape } = setUp();
  for (let minute = 0; minute < 30; minute++) {
    await scrape();
    await scrape();
    await clock.advance(60_000);
  }
  expect(kubelets.requested).toHaveLength(3);
});

it('a configuration that has not changed is the same object', async () => {
  const { kubelets, clock, scrape } = setUp();
  await scrape();
  const before = await scrape();
  await clock.advance(gateMs);
  await scrape();
  expect(kubelets.requested).toHaveLength(2);
  expect(await scrape()).toBe(before);
});

it('a configuration is not requested from a kubelet without a summary', async () => {
  const { kubelets, summaries, scrape } = setUp();
  summaries.isFailing = true;
  await scrape();
  expect(kubelets.requested).toEqual([]);
  summaries.isFailing = false;
  await scrape();
  expect(kubelets.requested).toEqual(['node-1']);
});

it('a kubelet that fails once keeps its last configuration, for 20 minutes since it was read', async () => {
  const { kubelets, clock, scrape } = setUp();
  await scrape();
  kubelets.failure = new RequestError('timeout', 'no');
  await clock.advance(gateMs);
  await scrape();
  await clock.advance(gateMs - 1);
  expect(await scrape()).toEqual(configuration(1));
  await clock.advance(1);
  expect(await scrape()).toBeUndefined();
});

it('a kubelet that fails is logged once per reason at info, and once when it recovers', async () => {
  const { kubelets, clock, scrape, lines } = setUp();
  for (const failure of ['forbidden', 'forbidden', 'timeout', undefined, undefined, 'forbidden'] as const) {
    kubelets.failure = failure === undefined ? undefined : new RequestError(failure, `failed: ${failure}`);
    await scrape();
    await clock.advance(gateMs);
  }
  const failed = 'failed to read kubelet configuration';
  const node = 'node-1';
  expect(lines).toEqual([
    { level: 'info', message: failed, fields: { node, reason: 'forbidden', error: 'failed: forbidden' } },
    { level: 'info', message: failed, fields: { node, reason: 'timeout', error: 'failed: timeout' } },
    { level: 'info', message: 'kubelet configuration is readable again', fields: { node } },
    { level: 'info', message: failed, fields: { node, reason: 'forbidden', error: 'failed: forbidden' } },
  ]);
});

describe('many nodes', () => {
  const nodes = Array.from({ length: 10 }, (_, index) => aNode({ name: `node-${index}`, uid: `uid-${index}` }));
  const scrapeAll = async ({ scrape }: ReturnType<typeof setUp>) => {
    await Promise.all(nodes.map((node) => scrape(node)));
  };

  it('the configurations of many nodes are read four at a time, each once', async () => {
    const world = setUp();
    const { kubelets, clock } = world;
    kubelets.isHolding = true;
    await scrapeAll(world);
    await scrapeAll(world);
    expect([kubelets.inFlightCount, kubelets.requested.length]).toEqual([4, 4]);
    kubelets.release();
    await clock.advance(0);
    expect(kubelets.requested.toSorted()).toEqual(nodes.map(({ name }) => name));
  });

  it('nodes that left are forgotten: their requests end, and queued ones are not sent', async () => {
    const world = setUp();
    const { cache, kubelets, clock, lines, scrape } = world;
    kubelets.isHolding = true;
    await scrapeAll(world);
    cache.retain(new Set(['node-9']));
    await clock.advance(0);
    expect(kubelets.requested).toEqual(['node-0', 'node-1', 'node-2', 'node-3', 'node-9']);
    kubelets.release();
    await clock.advance(0);
    expect(await scrape(nodes[0])).toBeUndefined();
    expect(await scrape(nodes[9])).toEqual(configuration(1));
    expect(lines).toEqual([]);
  });
});

it('new settings forget configurations that are no longer read', async () => {
  const { configure, kubelets, scrape } = setUp();
  await scrape();
  configure({ readsConfigurations: false });
  expect(await scrape()).toBeUndefined();
  expect(kubelets.requested).toHaveLength(1);
});
