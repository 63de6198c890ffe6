import { getEventListeners } from 'node:events';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Node } from '../../src/cluster/kube/objects.js';
import { KubeletCache } from '../../src/cluster/kubelet/kubelet-cache.js';
import type { CacheLookup } from '../../src/cluster/kubelet/lookup.js';
import type { NodeSummary } from '../../src/cluster/kubelet/summary.js';
import { type FailureReason, RequestError } from '../../src/lib/base/errors.js';
import type { Lane } from '../../src/lib/base/lane.js';
import type { LogFields } from '../../src/lib/base/logger.js';
import { aContainerSummary, anFsStats, aNode, aNodeSummary, aPodSummary, aVolumeSummary } from '../support/builders.js';
import { atOnce } from '../support/lanes.js';
import { ManualClock } from '../support/manual-clock.js';
import { loggerOf } from '../support/recording-logger.js';
import { never } from '../support/signals.js';

const ttlMs = 55_000;

/** A kubelet whose summaries carry the number of the request in `saturatedCount`, so that a test can tell them apart. */
class FakeKubelet {
  /** In the order of the requests. */
  readonly requestedNames: string[] = [];
  inFlightCount = 0;
  maxInFlightCount = 0;
  answer: (signal: AbortSignal) => Promise<NodeSummary> = () => this.summary();

  /** Who answers; the node that is asked without it. */
  nodeName: string | undefined;

  readonly fetchSummary = async ({ name }: Node, signal: AbortSignal): Promise<NodeSummary> => {
    this.requestedNames.push(name);
    this.inFlightCount++;
    this.maxInFlightCount = Math.max(this.maxInFlightCount, this.inFlightCount);
    try {
      return { ...(await this.answer(signal)), nodeName: this.nodeName ?? name };
    } finally {
      this.inFlightCount--;
    }
  };

  get requestCount(): number {
    return this.requestedNames.length;
  }

  summary(): Promise<NodeSummary> {
    return Promise.resolve(aNodeSummary({ pods: [aPodSummary()], saturatedCount: this.requestCount }));
  }

  fail(reason: FailureReason): void {
    this.answer = () => Promise.reject(new RequestError(reason, `failed: ${reason}`));
  }

  recover(): void {
    this.answer = () => this.summary();
  }

  /** Answers when the returned function is called, as it would at that time; fails when the signal aborts. */
  hang(): () => void {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.answer = async (signal) => {
      await new Promise<void>((resolve, reject) => {
        void released.then(resolve);
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
      return this.answer(signal);
    };
    return () => {
      this.recover();
      release();
    };
  }
}

interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

interface Settings {
  readonly ttlMs?: number;
  readonly nearTtlMs?: number;
  readonly maxConcurrentRequests?: number;
  readonly expectsPods?: (nodeName: string) => boolean | undefined;
  readonly kubelet?: FakeKubelet;
}

function setUp(options: Settings & { readonly requests?: Lane; readonly clock?: ManualClock } = {}) {
  const { kubelet = new FakeKubelet(), clock = new ManualClock() } = options;
  const results: string[] = [];
  const lines: LogLine[] = [];
  const cache = new KubeletCache({
    requests: options.requests ?? atOnce,
    clock,
    observer: { lookedUp: (result) => results.push(result) },
    logger: loggerOf((level, message, fields) => lines.push({ level, message, fields })),
  });
  const configure = (changes: Settings = {}): void => {
    const settings = { kubelet, ...options, ...changes };
    cache.configure({
      ttlMs: settings.ttlMs ?? ttlMs,
      nearTtlMs: settings.nearTtlMs ?? 10_000,
      fetchSummary: settings.kubelet.fetchSummary,
      fetchConfiguration: undefined,
      maxConcurrentRequests: settings.maxConcurrentRequests ?? 64,
      expectsPods: settings.expectsPods ?? (() => false),
    });
  };
  configure();
  return { clock, kubelet, cache, configure, results, lines };
}

/** What the cache knows, without a request. */
function known(cache: KubeletCache, of: Node): Promise<CacheLookup> {
  return cache.get(of, AbortSignal.abort());
}

/** State, and request or reason, in one line. */
function textOf(lookup: CacheLookup): string {
  return lookup.state === 'absent'
    ? `absent ${lookup.reason}`
    : `${lookup.state} of request ${lookup.summary.saturatedCount}`;
}

const node = aNode();

describe('KubeletCache: fresh, stale, absent', () => {
  it.each([
    [0, 'fresh of request 1'],
    [ttlMs - 1, 'fresh of request 1'],
    [ttlMs, 'stale of request 1'],
    [2 * ttlMs - 1, 'stale of request 1'],
    [2 * ttlMs, 'absent forbidden'],
    [100 * ttlMs, 'absent forbidden'],
  ])('a summary of age %i, when the kubelet fails since, is served as: %s', async (ageMs, expected) => {
    const { cache, kubelet, clock } = setUp();
    await cache.get(node, never);
    kubelet.fail('forbidden');
    await clock.advance(ageMs);
    expect(textOf(await cache.get(node, never))).toBe(expected);
    expect(kubelet.requestCount).toBe(ageMs < ttlMs ? 1 : 2);
  });

  it('freshness counts from the answer, the gate from the request', async () => {
    const { cache, kubelet, clock } = setUp();
    const answer = kubelet.hang();
    const first = cache.get(node, never);
    await clock.advance(8_000);
    answer();
    expect(textOf(await first)).toBe('fresh of request 1');
    await clock.advance(ttlMs - 1);
    expect(textOf(await cache.get(node, never))).toBe('fresh of request 1');
    await clock.advance(1);
    expect(textOf(await cache.get(node, never))).toBe('fresh of request 2');
  });

  it('each lookup is reported to the observer', async () => {
    const { cache, kubelet, clock, results } = setUp();
    await cache.get(node, never);
    await cache.get(node, never);
    kubelet.fail('timeout');
    await clock.advance(ttlMs);
    await cache.get(node, never);
    await clock.advance(ttlMs);
    await cache.get(node, never);
    expect(results).toEqual(['refreshed', 'fresh', 'stale', 'absent']);
  });
});

describe('KubeletCache: a failing kubelet', () => {
  it('a kubelet sees at most one request per TTL and never two at once, for any arrival of callers', async () => {
    const gap = fc.integer({ min: 0, max: 2 * ttlMs });
    const latency = fc.integer({ min: 0, max: ttlMs - 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(gap, latency, fc.boolean()), { maxLength: 20 }), async (steps) => {
        const { cache, kubelet, clock } = setUp();
        const startsMs: number[] = [];
        const lookups: Promise<CacheLookup>[] = [];
        for (const [gapMs, latencyMs, fails] of steps) {
          kubelet.answer = async () => {
            startsMs.push(clock.monotonicMs());
            await clock.sleep(latencyMs);
            if (fails) throw new RequestError('timeout', 'too slow');
            return kubelet.summary();
          };
          lookups.push(cache.get(node, never), cache.get(node, never));
          await clock.advance(gapMs);
        }
        await clock.advance(2 * ttlMs);
        await Promise.all(lookups);
        expect(kubelet.maxInFlightCount).toBeLessThanOrEqual(1);
        startsMs.slice(1).forEach((startMs, index) => {
          expect(startMs - (startsMs[index] ?? NaN)).toBeGreaterThanOrEqual(ttlMs);
        });
      }),
    );
  });

  it.each([
    { answers: 'the same for two TTLs', texts: ['rootFs', 'rootFs', 'rootFs'], expected: true },
    { answers: 'the same for one', texts: ['rootFs', 'rootFs'], expected: undefined },
    { answers: 'another one in between', texts: ['rootFs', 'cpu', 'rootFs', 'rootFs'], expected: undefined },
    { answers: 'always another one', texts: ['cpu', 'cpu', 'cpu', 'cpu'], expected: undefined },
  ])('a kubelet without isolation is known by its failures: $answers', async ({ texts, expected }) => {
    const { cache, kubelet, clock } = setUp();
    let lookup: CacheLookup | undefined;
    for (const text of texts) {
      const message = `answered 500: Internal Error: failed to get ${text} stats: failed to get ${text} info: x`;
      kubelet.answer = () => Promise.reject(new RequestError('http_status', message));
      lookup = await cache.get(node, never);
      await clock.advance(ttlMs);
    }
    expect(lookup).toEqual({ state: 'absent', reason: 'http_status', isIsolationOff: expected });
  });

  it('a lookup never rejects, whatever is thrown', async () => {
    const { cache, kubelet, clock } = setUp();
    kubelet.answer = () => Promise.reject(new TypeError('bug'));
    expect(textOf(await cache.get(node, never))).toBe('absent connection');
    await clock.advance(ttlMs);
    kubelet.answer = () => {
      throw new Error('thrown at once');
    };
    expect(textOf(await cache.get(node, never))).toBe('absent connection');
  });
});

it('callers join an attempt that outlasts the TTL instead of doubling it, also when it fails', async () => {
  const { cache, kubelet, clock } = setUp();
  const answer = kubelet.hang();
  const first = cache.get(node, never);
  await clock.advance(3 * ttlMs);
  const second = cache.get(node, never);
  await clock.advance(0);
  answer();
  kubelet.fail('timeout');
  expect([textOf(await first), textOf(await second)]).toEqual(['absent timeout', 'absent timeout']);
  expect(kubelet.requestCount).toBe(1);
});

it('kubelets that did not respond in time take at most a quarter of the request slots', async () => {
  const { cache, kubelet, clock } = setUp({ maxConcurrentRequests: 8 });
  const nodes = Array.from({ length: 20 }, (_, index) => aNode({ name: `node-${index}` }));
  kubelet.fail('timeout');
  await Promise.all(nodes.map((hanging) => cache.get(hanging, never)));
  await clock.advance(ttlMs);
  const answer = kubelet.hang();
  const lookups = nodes.map((hanging) => cache.get(hanging, never));
  await clock.advance(0);
  expect(kubelet.inFlightCount).toBe(2);
  void cache.get(aNode({ name: 'healthy' }), never);
  await clock.advance(0);
  expect(kubelet.inFlightCount).toBe(3);
  answer();
  await Promise.all(lookups);
});

it('a lookup leaves no listener on its signal, and many lookups with one signal are no warning', async () => {
  const { cache, kubelet, clock } = setUp();
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const scrape = new AbortController();
  const listenerCount = () => getEventListeners(scrape.signal, 'abort').length;
  const answer = kubelet.hang();
  const lookups = Array.from({ length: 30 }, (_, index) => cache.get(aNode({ name: `n${index}` }), scrape.signal));
  await clock.advance(0);
  expect(listenerCount()).toBe(30);
  answer();
  await Promise.all(lookups);
  expect(listenerCount()).toBe(0);
  expect(warnings).toEqual([]);
  process.off('warning', onWarning);
});

it('a summary without pods is a failed attempt when pods are known to run on the node', async () => {
  const expected = new Set<string>();
  const { cache, kubelet, clock } = setUp({ expectsPods: (nodeName) => expected.has(nodeName) });
  await cache.get(node, never);
  expected.add(node.name);
  kubelet.answer = () => Promise.resolve(aNodeSummary({ pods: [] }));
  await clock.advance(ttlMs);
  expect(textOf(await cache.get(node, never))).toBe('stale of request 1');
  await clock.advance(ttlMs);
  expect(textOf(await cache.get(node, never))).toBe('absent empty');
});

describe('where not all pods are read, after one with pods', () => {
  const before = () => setUp({ expectsPods: () => undefined });
  const empty = () => Promise.resolve(aNodeSummary({ pods: [] }));

  it('a summary without pods is a failed attempt until the next attempt confirms it', async () => {
    const { cache, kubelet, clock } = before();
    await cache.get(node, never);
    kubelet.answer = empty;
    await clock.advance(ttlMs);
    expect(textOf(await cache.get(node, never))).toBe('stale of request 1');
    expect(cache.lastFailure(node.name)?.message).toContain('lists no pod, but the one before lists some');
    await clock.advance(ttlMs);
    expect(await cache.get(node, never)).toMatchObject({ state: 'fresh', summary: { pods: [] } });
    await clock.advance(ttlMs);
    expect(await cache.get(node, never)).toMatchObject({ state: 'fresh', summary: { pods: [] } });
  });

  it('a summary without pods is not confirmed by another failure, nor by a summary with pods', async () => {
    const { cache, kubelet, clock } = before();
    await cache.get(node, never);
    const { answer } = kubelet;
    const attempts = [empty, () => Promise.reject(new RequestError('timeout', 'no response')), empty, answer, empty];
    const texts: string[] = [];
    for (const attempt of attempts) {
      kubelet.answer = attempt;
      await clock.advance(ttlMs);
      texts.push(textOf(await cache.get(node, never)));
    }
    expect(texts).toEqual([
      'stale of request 1',
      'absent timeout',
      'absent empty',
      'fresh of request 5',
      'stale of request 5',
    ]);
  });

  it.each([true, false])('an empty first summary of a machine is accepted (a replaced one: %s)', async (isOther) => {
    const { cache, kubelet } = before();
    if (isOther) await cache.get(node, never);
    kubelet.answer = empty;
    const found = await cache.get(isOther ? { ...node, uid: 'another' } : node, never);
    expect(found).toMatchObject({ state: 'fresh', summary: { pods: [] } });
  });
});

it('a summary with a pod is not questioned', async () => {
  const { cache } = setUp({ expectsPods: () => true });
  expect((await cache.get(node, never)).state).toBe('fresh');
});

describe('KubeletCache.retain', () => {
  it('nodes that retain does not name are forgotten', async () => {
    const { cache, kubelet } = setUp();
    const [a, b] = [aNode({ name: 'a' }), aNode({ name: 'b' })];
    await cache.get(a, never);
    await cache.get(b, never);
    cache.retain(new Set(['b', 'c']));
    expect(['a', 'b'].map((name) => cache.history(name) !== undefined)).toEqual([false, true]);
    expect(cache.lastSummary(a)).toBeUndefined();
    expect(textOf(await known(cache, b))).toBe('fresh of request 2');
    await cache.get(aNode({ name: 'a', uid: 'another machine' }), never);
    expect(kubelet.requestCount).toBe(3);
  });

  it('a node that comes back as the same machine within a TTL has its gate and its last summary', async () => {
    const { cache, kubelet, clock } = setUp();
    await cache.get(node, never);
    await clock.advance(ttlMs);
    kubelet.fail('connection');
    await cache.get(node, never);
    cache.retain(new Set());
    await clock.advance(ttlMs / 2);
    expect(textOf(await cache.get(node, never))).toBe('stale of request 1');
    cache.retain(new Set());
    await clock.advance(ttlMs / 2 - 1);
    expect(textOf(await cache.get(node, never))).toBe('stale of request 1');
    expect(kubelet.requestCount).toBe(2);
  });

  it('a node is forgotten for good after a TTL', async () => {
    const { cache, clock } = setUp();
    await cache.get(node, never);
    cache.retain(new Set());
    await clock.advance(ttlMs);
    cache.retain(new Set());
    expect(textOf(await known(cache, node))).toBe('absent never');
  });

  it('a forgotten node is not brought back by an attempt that was under way, which is ended', async () => {
    const { cache, kubelet, clock, lines } = setUp();
    kubelet.hang();
    const lookup = cache.get(node, never);
    await clock.advance(0);
    cache.retain(new Set());
    expect((await lookup).state).toBe('absent');
    expect(kubelet.inFlightCount).toBe(0);
    expect(lines).toEqual([]);
  });

  it('a forgotten node drops an answer that comes although its attempt was ended', async () => {
    const { cache, kubelet, clock } = setUp();
    let answer = (): void => undefined;
    kubelet.answer = () =>
      new Promise((resolve) => {
        answer = () => {
          resolve(aNodeSummary({ pods: [aPodSummary()] }));
        };
      });
    const lookup = cache.get(node, never);
    await clock.advance(0);
    cache.retain(new Set());
    answer();
    expect((await lookup).state).toBe('absent');
    expect(textOf(await known(cache, node))).toBe('absent never');
  });

  it('a kubelet whose request was dropped, as its node had left, is left alone for a whole TTL', async () => {
    const { cache, kubelet, clock } = setUp();
    await cache.get(node, never);
    cache.setNearNodes(new Set([node.name]));
    await clock.advance(ttlMs);
    kubelet.hang();
    void cache.get(node, never);
    await clock.advance(0);
    cache.retain(new Set());
    await known(cache, node); // it is back
    kubelet.recover();
    await clock.advance(ttlMs - 1);
    expect(textOf(await cache.get(node, never))).toBe('stale of request 1');
    await clock.advance(1);
    expect(textOf(await cache.get(node, never))).toBe('fresh of request 3');
  });
});

it('a new machine of the name is asked at once, within the gate of the former one', async () => {
  const { cache, kubelet } = setUp();
  await cache.get(node, never);
  await cache.get(aNode({ uid: 'another-machine' }), never);
  expect(kubelet.requestCount).toBe(2);
});

describe('KubeletCache.refresh', () => {
  it('a refresh asks before the data is stale, once the last request is a TTL old', async () => {
    const { cache, kubelet, clock } = setUp();
    const answer = kubelet.hang();
    const first = cache.refresh(node);
    await clock.advance(2_000);
    answer();
    await first;
    expect(cache.nextAttemptAtMs(node)).toBe(clock.monotonicMs() - 2_000 + ttlMs);
    await clock.advance(ttlMs - 2_001);
    await cache.refresh(node);
    expect(kubelet.requestCount).toBe(1);
    await clock.advance(1);
    expect((await known(cache, node)).state).toBe('fresh');
    await cache.refresh(node);
    expect(textOf(await known(cache, node))).toBe('fresh of request 2');
  });

  it('a refresh neither doubles an attempt nor waits for it', async () => {
    const { cache, kubelet, clock } = setUp();
    const answer = kubelet.hang();
    const lookup = cache.get(node, never);
    await clock.advance(2 * ttlMs);
    await cache.refresh(node);
    answer();
    await lookup;
    expect(kubelet.requestCount).toBe(1);
  });

  it('a refresh in the background takes a slot after all others, and holds nobody up', async () => {
    const { cache, kubelet, clock } = setUp({ maxConcurrentRequests: 2 });
    const nodes = ['first', 'second', 'third', 'fourth'].map((name) => aNode({ name }));
    const [first, second, third, fourth] = nodes as [Node, Node, Node, Node];
    const answer = kubelet.hang();
    const inSlots = [first, second].map((of) => cache.refreshInBackground(of));
    const waiting = [cache.refreshInBackground(third), cache.refreshInBackground(fourth)];
    const lookup = cache.get(fourth, never);
    await clock.advance(0);
    expect(kubelet.requestedNames).toEqual(['first', 'second']);
    answer();
    await Promise.all([...inSlots, ...waiting, lookup]);
    expect(kubelet.requestedNames).toEqual(['first', 'second', 'fourth', 'third']);
    await Promise.all(nodes.map((of) => cache.refreshInBackground(of)));
    expect(kubelet.requestCount).toBe(4);
    await clock.advance(ttlMs);
    await Promise.all(nodes.map((of) => cache.refreshInBackground(of)));
    expect(kubelet.requestCount).toBe(8);
  });

  it('a background refresh asks no kubelet that hung while others take a quarter of the slots', async () => {
    const { cache, kubelet, clock } = setUp({ maxConcurrentRequests: 4 });
    const nodes = Array.from({ length: 3 }, (_, index) => aNode({ name: `n${index}` }));
    kubelet.fail('timeout');
    await Promise.all(nodes.map((of) => cache.refreshInBackground(of)));
    await clock.advance(ttlMs);
    const answer = kubelet.hang();
    const running = nodes.map((of) => cache.refreshInBackground(of));
    await Promise.all(running.slice(1));
    expect([kubelet.requestCount, kubelet.inFlightCount]).toEqual([4, 1]);
    answer();
    await Promise.all(running);
  });
});

it('disposal ends attempts; lookups have what is known from then on', async () => {
  const { cache, kubelet, clock } = setUp();
  await cache.get(node, never);
  await clock.advance(ttlMs);
  kubelet.hang();
  const lookup = cache.get(node, never);
  await clock.advance(0);
  cache[Symbol.dispose]();
  expect(textOf(await lookup)).toBe('stale of request 1');
  expect(kubelet.inFlightCount).toBe(0);
  kubelet.recover();
  await clock.advance(ttlMs - 1);
  expect(textOf(await cache.get(node, never))).toBe('stale of request 1');
  expect(textOf(await cache.get(aNode({ name: 'new' }), never))).toBe('absent never');
  await cache.refresh(node);
  expect(kubelet.requestCount).toBe(2);
});

it('the log has one line when a kubelet begins to fail and one when it recovers', async () => {
  const { cache, kubelet, clock, lines } = setUp();
  const lookUpThrice = async (): Promise<void> => {
    for (let count = 0; count < 3; count++) {
      await cache.get(node, never);
      await clock.advance(ttlMs);
    }
  };
  await lookUpThrice();
  kubelet.fail('forbidden');
  await lookUpThrice();
  kubelet.recover();
  await lookUpThrice();
  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'failed to scrape kubelet',
      fields: { node: node.name, reason: 'forbidden', error: 'failed: forbidden' },
    },
    { level: 'info', message: 'kubelet scrape recovered', fields: { node: node.name } },
  ]);
});

it('the log has one line for nodes that become unreachable at once, and one when they are back', async () => {
  const { cache, kubelet, clock, lines } = setUp();
  const nodes = Array.from({ length: 200 }, (_, index) => aNode({ name: `n${index + 100}` }));
  for (const fail of [true, false]) {
    if (fail) kubelet.fail('connection');
    else kubelet.recover();
    await Promise.all(nodes.toReversed().map((of) => cache.refresh(of)));
    await clock.advance(ttlMs);
  }
  const many = { nodeCount: 200, nodes: 'n100, n101, n102 and 197 more' };
  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'failed to scrape kubelets',
      fields: { ...many, reason: 'connection', error: 'failed: connection' },
    },
    { level: 'info', message: 'kubelet scrapes recovered', fields: many },
  ]);
});

it('the log warns of a ready node only', async () => {
  const { cache, kubelet, clock, lines } = setUp();
  kubelet.fail('connection');
  for (const ready of [false, false, true, true]) {
    await cache.get(aNode({ ready }), never);
    await clock.advance(ttlMs);
  }
  expect(lines.map(({ level }) => level)).toEqual(['info', 'warn']);
});

it('new settings keep the request in flight', async () => {
  const { cache, configure, kubelet, clock } = setUp();
  const release = kubelet.hang();
  const before = cache.get(node, never);
  await clock.advance(4_000);
  configure();
  expect([cache.inFlightMs(node.name), textOf(await known(cache, node))]).toEqual([4_000, 'absent timeout']);
  const after = cache.get(node, never);
  release();
  expect([textOf(await before), textOf(await after)]).toEqual(['fresh of request 1', 'fresh of request 1']);
  expect(cache.history(node.name)?.find(aPodSummary())?.samples).toHaveLength(1);
  expect(kubelet.requestCount).toBe(1);
});

it('new settings ask a kubelet that hangs at most once in a TTL', async () => {
  const { cache, configure, kubelet, clock } = setUp();
  kubelet.answer = async (signal) => {
    await clock.sleep(8_000, signal);
    throw new RequestError('timeout', 'no response');
  };
  const endMs = clock.monotonicMs() + 10 * ttlMs;
  while (clock.monotonicMs() < endMs) {
    for (const one of [cache, cache]) void one.get(node, never);
    await clock.advance(2_500);
    configure();
  }
  expect(kubelet.requestCount).toBeLessThanOrEqual(10);
  expect(kubelet.requestCount).toBeGreaterThanOrEqual(6);
  expect(kubelet.maxInFlightCount).toBe(1);
});

it('a summary of another node is a failed attempt: the address has passed to another machine', async () => {
  const { cache, kubelet, clock, lines } = setUp();
  kubelet.nodeName = 'other';
  expect(textOf(await cache.get(node, never))).toBe('absent decode');
  await clock.advance(1_000);
  expect(lines).toMatchObject([{ level: 'warn', fields: { reason: 'decode' } }]);
  expect(cache.lastFailure(node.name)?.message).toBe(
    `the kubelet at the address of node ${node.name} identifies itself as node other; ` +
      'the node object lags behind, or its kubelet runs under another name',
  );
});

describe('a summary without storage', () => {
  const containers = [aContainerSummary()];
  it.each<[string, Partial<NodeSummary>, string]>([
    ['of a virtual node', { pods: [aPodSummary({ usedBytes: undefined, containers })] }, 'absent no_storage_stats'],
    ['and without pods', { pods: [] }, 'absent no_storage_stats'],
    ['of the node', { pods: [aPodSummary({ usedBytes: 1, containers: [] })] }, 'fresh of request 0'],
    ['but of a container', { pods: [aPodSummary({ usedBytes: undefined })] }, 'fresh of request 0'],
    [
      'but of a volume',
      { pods: [aPodSummary({ usedBytes: undefined, containers, volumes: [aVolumeSummary({ usedBytes: 1 })] })] },
      'fresh of request 0',
    ],
    [
      'but the names of volumes',
      {
        pods: [aPodSummary({ usedBytes: undefined, containers, volumes: [aVolumeSummary({ usedBytes: undefined })] })],
      },
      'absent no_storage_stats',
    ],
    ['but a time', { nodefs: anFsStats({ timeMs: 1, capacityBytes: undefined }), pods: [] }, 'absent no_storage_stats'],
    ['but of images', { imagefs: anFsStats({ capacityBytes: 1 }), pods: [] }, 'absent no_storage_stats'],
    ['but figures that no disk has', { saturatedCount: 1, pods: [] }, 'fresh of request 1'],
    ['of pods', { nodefs: anFsStats({ usedBytes: 1 }), pods: [] }, 'fresh of request 0'],
  ])('is no data of a kubelet: %s', async (_case, parts, expected) => {
    const { cache, kubelet } = setUp();
    kubelet.summary = () => Promise.resolve(aNodeSummary({ nodefs: undefined, ...parts }));
    expect(textOf(await cache.get(node, never))).toBe(expected);
  });
});

it('the error about a node whose name is no DNS name does not repeat the name', async () => {
  const { cache, kubelet } = setUp();
  kubelet.nodeName = 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln';
  await cache.get(node, never);
  expect(cache.lastFailure(node.name)?.message).toBe(
    `the kubelet at the address of node ${node.name} identifies itself as a node whose name is no DNS name ` +
      '(36 characters); the node object lags behind, or its kubelet runs under another name',
  );
});

it('a node that waits for its turn is absent with the reason never', async () => {
  const { cache, kubelet, clock } = setUp({ maxConcurrentRequests: 1 });
  kubelet.hang();
  const caller = new AbortController();
  const lookups = ['a', 'b'].map((name) => cache.get(aNode({ name }), caller.signal));
  await clock.advance(0);
  caller.abort();
  expect((await Promise.all(lookups)).map(textOf)).toEqual(['absent timeout', 'absent never']);
});

describe('KubeletCache.history', () => {
  const sampleTimes = (cache: KubeletCache): readonly number[] | undefined =>
    cache
      .history(node.name)
      ?.find(aPodSummary())
      ?.samples.map(({ atMs }) => atMs);

  it.each([-3_600_000, 86_400_000])('the history does not jump by %d ms with the wall clock', async (jumpMs) => {
    const { cache, clock } = setUp();
    const startMs = clock.nowMs();
    await cache.get(node, never);
    clock.jumpWallTime(jumpMs);
    await clock.advance(ttlMs);
    await cache.get(node, never);
    expect(sampleTimes(cache)).toEqual([startMs, startMs + ttlMs]);
  });

  it.each([
    ['behind at the start and then set', 1_800_000],
    ['set back', -1_800_000],
  ])('a new pod has a growth with a clock that was %s', async (_case, jumpMs) => {
    const { cache, clock, kubelet } = setUp();
    const startTimeMs = clock.nowMs() + Math.max(0, jumpMs) - 60_000;
    clock.jumpWallTime(jumpMs);
    kubelet.answer = () => Promise.resolve(aNodeSummary({ pods: [aPodSummary({ usedBytes: 600, startTimeMs })] }));
    await cache.get(node, never);
    expect([...cache.growth(node.name).values()]).toEqual([10]);
  });

  it.each([
    { ttlMs: 55_000, formerMs: 55_000, keptMs: 110_000 },
    { ttlMs: 10_000, formerMs: 10_000, keptMs: 60_000 },
    { ttlMs: 55_000, formerMs: 10_000, keptMs: 110_000 },
    { ttlMs: 10_000, formerMs: 55_000, keptMs: 60_000 },
  ])('a TTL of $ttlMs ms, before $formerMs, keeps the history of a pod for $keptMs ms', async (given) => {
    const { cache, clock, kubelet, configure } = setUp({ ttlMs: given.formerMs });
    await cache.get(node, never);
    configure({ ttlMs: given.ttlMs });
    await clock.advance(55_000);
    kubelet.answer = () => Promise.resolve(aNodeSummary({ pods: [aPodSummary({ uid: 'another pod' })] }));
    await cache.get(node, never);
    await clock.advance(given.keptMs - 1);
    expect(sampleTimes(cache)).toHaveLength(1);
    await clock.advance(1);
    expect(sampleTimes(cache)).toBeUndefined();
  });
});

describe('KubeletCache: a node that may soon evict a pod', () => {
  const nearNodes = new Set([node.name]);

  it.each([
    { nearTtlMs: 10_000, afterMs: 9_999, requestCount: 1 },
    { nearTtlMs: 10_000, afterMs: 10_000, requestCount: 2 },
    { nearTtlMs: 0, afterMs: 54_999, requestCount: 1 },
    { nearTtlMs: 0, afterMs: 55_000, requestCount: 2 },
  ])(
    'a near node with a TTL of $nearTtlMs ms has $requestCount requests by $afterMs ms',
    async ({ nearTtlMs, afterMs, requestCount }) => {
      const { cache, kubelet, clock } = setUp({ nearTtlMs });
      await cache.get(node, never);
      cache.setNearNodes(nearNodes);
      await clock.advance(afterMs);
      expect((await cache.get(node, never)).state).toBe('fresh');
      expect(kubelet.requestCount).toBe(requestCount);
    },
  );
});

it('marks cost one request at most for each pause, however many marks and lookups there are', async () => {
  const { cache, kubelet, clock } = setUp();
  await cache.get(node, never);
  for (let second = 0; second < 100; second++) {
    cache.markOutdated(node.name);
    await cache.get(node, never);
    await clock.advance(1_000);
  }
  expect(kubelet.requestCount).toBe(10);
});

it('marks that come while a request is in flight cause one more', async () => {
  const { cache, kubelet, clock } = setUp();
  const release = kubelet.hang();
  const first = cache.get(node, never);
  await clock.advance(2_000);
  cache.markOutdated(node.name);
  cache.markOutdated(node.name);
  release();
  await first;
  for (let scrape = 0; scrape < 4; scrape++) {
    await clock.advance(12_000);
    await cache.get(node, never);
  }
  expect(kubelet.requestCount).toBe(2);
});

it('a hundred nodes are marked at once, and ten more in each second; the others have the usual TTL', async () => {
  const { cache, kubelet, clock } = setUp();
  const nodes = Array.from({ length: 200 }, (_, index) => aNode({ name: `node-${index}` }));
  const scrape = () => Promise.all(nodes.map((each) => cache.get(each, never)));
  await scrape();
  await clock.advance(9_999);
  for (const { name } of nodes) cache.markOutdated(name);
  await clock.advance(1);
  await scrape();
  expect(kubelet.requestCount).toBe(300);
  await clock.advance(4_999);
  for (const { name } of nodes) cache.markOutdated(name);
  await clock.advance(5_001);
  await scrape();
  expect(kubelet.requestCount).toBe(350);
});

it('a kubelet that never responds takes one of the marks, however often pods start there', async () => {
  const { cache, kubelet, clock } = setUp();
  const mute = aNode({ name: 'virtual' });
  kubelet.fail('forbidden');
  await cache.get(mute, never);
  kubelet.recover();
  const nodes = Array.from({ length: 99 }, (_, index) => aNode({ name: `node-${index}` }));
  for (const each of nodes) await cache.get(each, never);
  const before = kubelet.requestCount;
  await clock.advance(9_999);
  for (let count = 0; count < 1_000; count += 1) cache.markOutdated(mute.name);
  for (const { name } of nodes) cache.markOutdated(name);
  await clock.advance(1);
  for (const each of nodes) await cache.get(each, never);
  expect(kubelet.requestCount - before).toBe(99);
});

it('a mark stays after a failure, which closes the gate for a whole TTL', async () => {
  const { cache, kubelet, clock } = setUp();
  await cache.get(node, never);
  await clock.advance(15_000);
  cache.markOutdated(node.name);
  kubelet.fail('connection');
  expect(textOf(await cache.get(node, never))).toBe('stale of request 1');
  kubelet.recover();
  await clock.advance(ttlMs - 1);
  expect(textOf(await cache.get(node, never))).toBe('stale of request 1');
  await clock.advance(1);
  expect(textOf(await cache.get(node, never))).toBe('fresh of request 3');
});
