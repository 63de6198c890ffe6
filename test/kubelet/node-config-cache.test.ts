import { describe, expect, it } from 'vitest';

import { RequestError } from '../../src/base/errors.js';
import type { LogFields } from '../../src/base/logger.js';
import type { Node } from '../../src/kube/objects.js';
import type { EvictionThresholds } from '../../src/kubelet/eviction-thresholds.js';
import { type ConfigFetcher, NodeConfigCache } from '../../src/kubelet/node-config-cache.js';
import { aNode } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';

const refreshMs = 600_000;
const none = { available: undefined, inodesFree: undefined };

function thresholds(amount: number): EvictionThresholds {
  return { nodefs: { ...none, available: { amount } }, imagefs: none };
}

/** Answers with what is set, in a new object each time; while it holds, not before `release` is called. */
class FakeKubelets implements ConfigFetcher {
  readonly asked: string[] = [];
  inFlightCount = 0;
  amount = 1;
  failure: Error | undefined;
  readonly #held: (() => void)[] = [];
  isHolding = false;

  async fetchEvictionThresholds({ name }: Node, signal: AbortSignal): Promise<EvictionThresholds> {
    this.asked.push(name);
    this.inFlightCount++;
    try {
      if (this.isHolding) await this.#untilReleased(signal);
      if (this.failure !== undefined) throw this.failure;
      return thresholds(this.amount);
    } finally {
      this.inFlightCount--;
    }
  }

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
  const log = (level: string) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, fields });
  };
  const cache = new NodeConfigCache({
    fetcher: kubelets,
    clock,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
  });
  /** As scrapes do it, one after the other. */
  const refresh = async (node: Node = aNode()) => {
    cache.refresh(node);
    await clock.advance(0);
  };
  return { clock, kubelets, lines, cache, refresh };
}

describe('a configuration', () => {
  it('is read in the background and known from then on', async () => {
    const { cache, kubelets, clock } = setUp();
    kubelets.isHolding = true;
    cache.refresh(aNode());
    await clock.advance(0);
    expect(cache.thresholdsOf('node-1')).toBeUndefined();
    kubelets.release();
    await clock.advance(0);
    expect(cache.thresholdsOf('node-1')).toEqual(thresholds(1));
    expect(cache.thresholdsOf('node-2')).toBeUndefined();
  });

  it('is read once in 10 minutes, however often it is asked for', async () => {
    const { kubelets, clock, refresh } = setUp();
    for (let minute = 0; minute < 30; minute++) {
      await refresh();
      await refresh();
      await clock.advance(60_000);
    }
    expect(kubelets.asked).toHaveLength(3);
  });

  it('is read again after 10 minutes, and not before', async () => {
    const { cache, kubelets, clock, refresh } = setUp();
    await refresh();
    kubelets.amount = 2;
    await clock.advance(refreshMs - 1);
    await refresh();
    expect(cache.thresholdsOf('node-1')).toEqual(thresholds(1));
    await clock.advance(1);
    await refresh();
    expect(cache.thresholdsOf('node-1')).toEqual(thresholds(2));
  });

  it('that has not changed is the same object', async () => {
    const { cache, kubelets, clock, refresh } = setUp();
    await refresh();
    const before = cache.thresholdsOf('node-1');
    await clock.advance(refreshMs);
    await refresh();
    expect(kubelets.asked).toHaveLength(2);
    expect(cache.thresholdsOf('node-1')).toBe(before);
  });

  it('is not asked for twice while an answer takes longer than 10 minutes', async () => {
    const { kubelets, clock, refresh } = setUp();
    kubelets.isHolding = true;
    await refresh();
    await clock.advance(2 * refreshMs);
    await refresh();
    expect(kubelets.asked).toHaveLength(1);
  });
});

describe('a kubelet that fails', () => {
  it.each(['forbidden', 'not_found', 'timeout'] as const)('with %s is left alone for 10 minutes', async (reason) => {
    const { cache, kubelets, clock, refresh } = setUp();
    kubelets.failure = new RequestError(reason, 'no');
    await refresh();
    await clock.advance(refreshMs - 1);
    await refresh();
    expect(kubelets.asked).toHaveLength(1);
    expect(cache.thresholdsOf('node-1')).toBeUndefined();
    kubelets.failure = undefined;
    await clock.advance(1);
    await refresh();
    expect(cache.thresholdsOf('node-1')).toEqual(thresholds(1));
  });

  it('once keeps what it said before, for 20 minutes since then', async () => {
    const { cache, kubelets, clock, refresh } = setUp();
    await refresh();
    kubelets.failure = new RequestError('timeout', 'no');
    await clock.advance(refreshMs);
    await refresh();
    expect(cache.thresholdsOf('node-1')).toEqual(thresholds(1));
    await clock.advance(refreshMs - 1);
    expect(cache.thresholdsOf('node-1')).toEqual(thresholds(1));
    await clock.advance(1);
    expect(cache.thresholdsOf('node-1')).toBeUndefined();
  });

  it('is logged once per reason at info, and once when it answers again', async () => {
    const { kubelets, clock, refresh, lines } = setUp();
    for (const failure of ['forbidden', 'forbidden', 'timeout', undefined, undefined, 'forbidden'] as const) {
      kubelets.failure = failure === undefined ? undefined : new RequestError(failure, `failed: ${failure}`);
      await refresh();
      await clock.advance(refreshMs);
    }
    const fails = 'kubelet does not give its configuration';
    const node = 'node-1';
    expect(lines).toEqual([
      { level: 'info', message: fails, fields: { node, reason: 'forbidden', error: 'failed: forbidden' } },
      { level: 'info', message: fails, fields: { node, reason: 'timeout', error: 'failed: timeout' } },
      { level: 'info', message: 'kubelet gives its configuration again', fields: { node } },
      { level: 'info', message: fails, fields: { node, reason: 'forbidden', error: 'failed: forbidden' } },
    ]);
  });

  it('without a reason of its own counts as a failed connection', async () => {
    const { kubelets, refresh, lines } = setUp();
    kubelets.failure = new Error('boom');
    await refresh();
    expect(lines.map(({ fields }) => fields)).toEqual([
      { node: 'node-1', reason: 'connection', error: 'configuration of node node-1: connection failed: boom' },
    ]);
  });
});

describe('many nodes', () => {
  const nodes = Array.from({ length: 10 }, (_, index) => aNode({ name: `node-${index}`, uid: `uid-${index}` }));

  it('are asked four at a time, each once', async () => {
    const { cache, kubelets, clock } = setUp();
    kubelets.isHolding = true;
    for (const node of nodes) cache.refresh(node);
    for (const node of nodes) cache.refresh(node);
    await clock.advance(0);
    expect([kubelets.inFlightCount, kubelets.asked.length]).toEqual([4, 4]);
    kubelets.release();
    await clock.advance(0);
    expect(kubelets.asked.toSorted()).toEqual(nodes.map(({ name }) => name));
  });

  it('have the 10 minutes of each counted from its request, not from the wait for its turn', async () => {
    const { cache, kubelets, clock } = setUp();
    kubelets.isHolding = true;
    for (const node of nodes) cache.refresh(node);
    await clock.advance(10_000);
    kubelets.release();
    await clock.advance(refreshMs - 10_000);
    for (const node of nodes) cache.refresh(node);
    await clock.advance(0);
    expect(kubelets.asked).toHaveLength(14);
  });

  it('that left are forgotten, their requests ended and those that wait not made', async () => {
    const { cache, kubelets, clock, lines } = setUp();
    kubelets.isHolding = true;
    for (const node of nodes) cache.refresh(node);
    await clock.advance(0);
    cache.retain(new Set(['node-9']));
    await clock.advance(0);
    expect(kubelets.asked).toEqual(['node-0', 'node-1', 'node-2', 'node-3', 'node-9']);
    kubelets.release();
    await clock.advance(0);
    expect(cache.thresholdsOf('node-0')).toBeUndefined();
    expect(cache.thresholdsOf('node-9')).toEqual(thresholds(1));
    expect(lines).toEqual([]);
  });
});

describe('another machine under the same name', () => {
  it('is asked for itself, and what the former one answers late is dropped', async () => {
    const { cache, kubelets, clock, refresh } = setUp();
    await refresh(aNode({ uid: 'old' }));
    await clock.advance(refreshMs);
    kubelets.isHolding = true;
    await refresh(aNode({ uid: 'old' }));
    kubelets.amount = 2;
    await refresh(aNode({ uid: 'new' }));
    expect(cache.thresholdsOf('node-1')).toBeUndefined();
    kubelets.release();
    await clock.advance(0);
    expect(cache.thresholdsOf('node-1')).toEqual(thresholds(2));
    expect(kubelets.asked).toHaveLength(3);
  });
});

describe('a cache that takes the place of another', () => {
  it('knows what that one knew, and asks at once', async () => {
    const former = setUp();
    await former.refresh();
    const { cache, kubelets, refresh } = setUp();
    cache.inherit(former.cache);
    former.cache[Symbol.dispose]();
    expect(cache.thresholdsOf('node-1')).toEqual(thresholds(1));
    kubelets.amount = 2;
    await refresh();
    expect(cache.thresholdsOf('node-1')).toEqual(thresholds(2));
  });
});

describe('disposal', () => {
  it('ends the requests and allows no further one', async () => {
    const { cache, kubelets, clock, refresh } = setUp();
    kubelets.isHolding = true;
    await refresh();
    expect(kubelets.inFlightCount).toBe(1);
    cache[Symbol.dispose]();
    await clock.advance(0);
    expect(kubelets.inFlightCount).toBe(0);
    await refresh(aNode({ name: 'node-2' }));
    expect(kubelets.asked).toEqual(['node-1']);
  });
});
