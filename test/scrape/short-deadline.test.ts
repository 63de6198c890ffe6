import { expect, it } from 'vitest';

import type { Node } from '../../src/cluster/kube/objects.js';
import type { NodeSummary } from '../../src/cluster/kubelet/summary.js';
import type { OnView } from '../../src/facts/scrape/node-lookups.js';
import { startDeadline } from '../../src/lib/base/abortable.js';
import { RequestError } from '../../src/lib/base/errors.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { aNode, aNodeSummary } from '../support/builders.js';
import { aCore } from '../support/core.js';
import { settingsOf } from '../support/exporter.js';
import { aKubeletCache } from '../support/kubelet-caches.js';
import { ManualClock } from '../support/manual-clock.js';

const nodes = Array.from({ length: 50 }, (_, index) => aNode({ name: `node-${index}`, uid: `uid-${index}` }));
const names = nodes.map(({ name }) => name);

interface Given {
  /** From one scrape to the next, in milliseconds. */
  readonly everyMs: number;
  readonly ttlMs: number;
  /** Until a kubelet responds; Infinity for one that hangs. */
  readonly responseMs: (node: Node) => number;
  /** To derive and render one node. */
  readonly deriveMs?: number;
}

const deadlineMs = 4_000;
const requestTimeoutMs = 10_000;
/** A fifth of the nodes. */
const slotCount = 10;

function setUp({ ttlMs, everyMs, responseMs, deriveMs = 0 }: Given) {
  const clock = new ManualClock();
  const asked = new Set<string>();
  const served = new Set<string>();
  const fetchSummary = async (node: Node, signal: AbortSignal): Promise<NodeSummary> => {
    asked.add(node.name);
    const durationMs = responseMs(node);
    await clock.sleep(Math.min(durationMs, requestTimeoutMs), signal);
    if (durationMs > requestTimeoutMs) throw new RequestError('timeout', 'no response');
    return aNodeSummary({ nodeName: node.name });
  };
  const scheduler = new Scheduler(clock);
  const cache = aKubeletCache({
    requests: scheduler.requests,
    ...{ ttlMs, nearTtlMs: 0, fetchSummary, fetchConfiguration: undefined, maxConcurrentRequests: slotCount, clock },
    expectsPods: () => false,
    observer: { lookedUp: () => undefined },
    logger: silentLogger,
  });
  const { collector } = aCore({
    config: settingsOf(`cache: {ttl: ${ttlMs / 1_000}s}`),
    store: {
      hasSynced: true,
      nodes: () => nodes,
      podsOn: () => [],
      boundNodeNames: () => [],
      unlistedNamespaces: () => [],
      findPod: () => undefined,
      isDeleted: () => false,
    },
    ...{ cache, scheduler, clock },
  });
  const scrape = async (): Promise<void> => {
    using deadline = startDeadline({ clock, durationMs: deadlineMs, error: () => new Error('time is up') });
    // The timer does not fire while a node is derived.
    const [late, startMs] = [new AbortController(), clock.monotonicMs()];
    const onView: OnView = ({ state }) => {
      if (state !== 'absent') clock.passWithoutTimers(deriveMs);
      if (clock.monotonicMs() - startMs >= deadlineMs) late.abort();
    };
    const collecting = collector.collect(AbortSignal.any([deadline.signal, late.signal]), { onView });
    await clock.advance(everyMs);
    const snapshot = await collecting;
    for (const node of snapshot?.nodes ?? []) if (node.state === 'fresh') served.add(node.nodeName);
  };
  const scrapes = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) await scrape();
  };
  return { scrapes, cache, asked, served };
}

const isHanging = ({ name }: Node): boolean => ['node-0', 'node-1', 'node-2', 'node-3', 'node-4'].includes(name);
const healthy = names.filter((name) => !isHanging(aNode({ name })));
const missing = (set: ReadonlySet<string>, of = names): readonly string[] => of.filter((name) => !set.has(name));

it.each([
  { what: 'at once, while their data is fresh', everyMs: 4_000, ttlMs: 55_000 },
  { what: 'at once, while all data is old by the next scrape', everyMs: 4_000, ttlMs: 3_000 },
  { what: 'after a pause in which all respond, and their data becomes too old', everyMs: 60_000, ttlMs: 15_000 },
])('each node is asked and served within six scrapes, $what', async (times) => {
  const { scrapes, cache, asked, served } = setUp({ ...times, responseMs: () => 3_900 });
  await scrapes(6);
  expect([missing(asked), missing(served)]).toEqual([[], []]);
  cache[Symbol.dispose]();
});

it('each node is derived and served within six scrapes when that is what takes time', async () => {
  const { scrapes, cache, served } = setUp({
    ...{ everyMs: 60_000, ttlMs: 15_000, deriveMs: 390 },
    responseMs: () => 0,
  });
  await scrapes(6);
  expect(missing(served)).toEqual([]);
  cache[Symbol.dispose]();
});

it('all other nodes are served within six scrapes while more than have slots respond too late', async () => {
  const slow = new Set(names.slice(0, slotCount + 2));
  const { scrapes, cache, asked, served } = setUp({
    ...{ everyMs: 60_000, ttlMs: 15_000 },
    responseMs: ({ name }) => (slow.has(name) ? 6_000 : 3_900),
  });
  await scrapes(6);
  const others = names.filter((name) => !slow.has(name));
  expect([missing(asked), missing(served, others)]).toEqual([[], []]);
  cache[Symbol.dispose]();
});

it('all other nodes are served within six scrapes while five hang', async () => {
  const { scrapes, cache, asked, served } = setUp({
    ...{ everyMs: 60_000, ttlMs: 15_000 },
    responseMs: (node) => (isHanging(node) ? Infinity : 3_900),
  });
  await scrapes(1); // which hang is known then
  served.clear();
  await scrapes(6);
  expect([missing(asked), missing(served, healthy)]).toEqual([[], []]);
  cache[Symbol.dispose]();
});
