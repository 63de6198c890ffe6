import { describe, expect, it } from 'vitest';

import { KubeletClient } from '../../src/cluster/kubelet/client.js';
import { kubeletPaths, type KubeletTransport } from '../../src/cluster/kubelet/transport.js';
import type { Clock } from '../../src/lib/base/clock.js';
import { RequestError } from '../../src/lib/base/errors.js';
import type { Lane } from '../../src/lib/base/lane.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { failureOf } from '../http/loopback-server.js';
import { aNode } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import { bodyOf } from '../watch/scripted-api.js';

const summary = Buffer.from('{"node":{"nodeName":"node-1"},"pods":[]}');

type Open = (signal: AbortSignal, nodeName: string) => Promise<AsyncIterable<Buffer>>;

function setUp(options: { open: Open; hasAddress?: boolean; maxBodyBytes?: number; lane?: Lane }) {
  const clock = new ManualClock();
  const results: [string, number][] = [];
  const opened: string[] = [];
  const transport: KubeletTransport = {
    locate: ({ name }, path) => {
      if (options.hasAddress === false) throw new RequestError('not_ready', 'no address');
      const open = (signal: AbortSignal) => {
        opened.push(name);
        return options.open(signal, name);
      };
      return { what: `${kubeletPaths[path]} of node ${name}`, open };
    },
  };
  const client = new KubeletClient({
    transport,
    requestTimeoutMs: 10_000,
    maxBodyBytes: options.maxBodyBytes ?? 1_000,
    clock,
    lane: options.lane ?? new Scheduler(clock).newLane(),
    observer: { requestFinished: (result, durationMs) => results.push([result, durationMs]) },
  });
  return { clock, client, results, opened };
}

/** Rejects when the signal aborts, as transports do. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('broken off'));
    });
  });
}

it('a configuration has a limit of 256 KiB', async () => {
  const config = Buffer.from('{"kubeletconfig":{"evictionHard":{"nodefs.available":"1Gi"}}}'.padEnd(262_144));
  const { client, results } = setUp({ open: () => Promise.resolve(bodyOf(config)) });
  expect(await client.fetchConfiguration(aNode(), never)).toMatchObject({
    thresholds: [{ signal: 'nodefs.available', value: { amount: 2 ** 30 } }],
  });
  const larger = setUp({ open: () => Promise.resolve(bodyOf(config, Buffer.from(' '))) });
  expect(await failureOf(larger.client.fetchConfiguration(aNode(), never))).toMatchObject({
    reason: 'too_large',
    message: 'configuration of node node-1: more than 262144 bytes',
  });
  expect([results, larger.results]).toEqual([[['success', 0]], [['too_large', 0]]]);
});

it('a request to a node without an address is not counted', async () => {
  const { client, results } = setUp({ open: untilAborted, hasAddress: false });
  expect(await failureOf(client.fetchSummary(aNode(), never))).toMatchObject({ reason: 'not_ready' });
  expect(results).toEqual([]);
});

it('a larger body is ended where it exceeds the limit', async () => {
  let sentBytes = 0;
  let isClosed = false;
  async function* endless(): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) {
        sentBytes += 10;
        yield await Promise.resolve(Buffer.alloc(10, ' '));
      }
    } finally {
      isClosed = true;
    }
  }
  const { client, results } = setUp({ open: () => Promise.resolve(endless()), maxBodyBytes: 25 });
  expect(await failureOf(client.fetchSummary(aNode(), never))).toMatchObject({
    reason: 'too_large',
    message: 'summary of node node-1: more than 25 bytes; raise kubelet.maxBodySize',
  });
  expect([sentBytes, isClosed]).toEqual([30, true]);
  expect(results).toEqual([['too_large', 0]]);
});

describe('KubeletClient: large responses', () => {
  const mebibyte = 2 ** 20;
  const header = Buffer.from('{"node":{"nodeName":"node-1"},"pods":[');
  const trailer = Buffer.from(']}');

  /** A body that stops when it is to grow beyond `heldBytes`, until it is let go. */
  function heldBody(heldBytes: number) {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const body = async function* (): AsyncGenerator<Buffer, void, undefined> {
      yield header;
      yield Buffer.alloc(heldBytes, ' ');
      await released;
      yield trailer;
    };
    return { release, body };
  }

  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('large responses are read as long as they fit into 64 MiB together, the others wait', async () => {
    const held = Array.from({ length: 9 }, () => heldBody(mebibyte - header.length + 1));
    let nextIndex = 0;
    const { client, clock } = setUp({
      open: () => Promise.resolve(held[nextIndex++]?.body() ?? bodyOf(summary)),
      maxBodyBytes: 8 * mebibyte,
    });
    const ends: number[] = [];
    const fetched = held.map(async (_body, index) => {
      await client.fetchSummary(aNode(), never);
      ends.push(index);
    });
    await settled();
    held[8]?.release();
    await clock.advance(5_000);
    expect(ends).toEqual([]);
    expect(await client.fetchSummary(aNode(), never)).toMatchObject({ nodeName: 'node-1' }); // a small one does not wait
    held[3]?.release();
    await fetched[8];
    expect(ends).toEqual([3, 8]);
    for (const { release } of held) release();
    await Promise.all(fetched);
  });

  it('large responses that find no room fail at the time limit, and leave none taken', async () => {
    const held = Array.from({ length: 9 }, () => heldBody(mebibyte));
    let nextIndex = 0;
    const { client, clock } = setUp({
      open: () => Promise.resolve(held[nextIndex++]?.body() ?? bodyOf(summary)),
      maxBodyBytes: 8 * mebibyte,
    });
    const others = Promise.allSettled(held.slice(1).map(() => client.fetchSummary(aNode(), never)));
    const failure = failureOf(client.fetchSummary(aNode(), never));
    await settled();
    await clock.advance(10_000);
    expect(await failure).toMatchObject({
      reason: 'timeout',
      message: 'summary of node node-1: no complete response within 10 s',
    });
    for (const { release } of held) release();
    await others;
    const later = Array.from({ length: 8 }, () => heldBody(mebibyte));
    held.push(...later);
    const fetched = later.map(() => client.fetchSummary(aNode(), never));
    for (const { release } of later) release();
    expect(await Promise.all(fetched)).toHaveLength(8);
  });

  /** Moves by more than half a slice whenever it is read. */
  function fastClock(): Clock {
    let elapsedMs = 0;
    return {
      nowMs: () => 0,
      steadyNowMs: () => 0,
      monotonicMs: () => (elapsedMs += 3),
      sleep: () => Promise.resolve(),
    };
  }

  it('large responses are decoded in slices of time, with turns of the event loop between them', async () => {
    const podOf = (_: unknown, index: number): string =>
      JSON.stringify({ podRef: { name: 'web-0', namespace: 'shop', uid: `uid-${index}` }, filler: 'x'.repeat(200) });
    const pods = Buffer.from(Array.from({ length: 2_000 }, podOf).join(','));
    const { client } = setUp({
      open: () => Promise.resolve(bodyOf(header, pods, trailer)),
      maxBodyBytes: mebibyte,
      lane: new Scheduler(fastClock()).newLane(),
    });
    const pieceCount = Math.ceil((header.length + pods.length + trailer.length) / 65_536);
    const reading = { isDone: false };
    const fetched = client.fetchSummary(aNode(), never).finally(() => (reading.isDone = true));
    let turnCount = 0;
    for (; !reading.isDone; turnCount += 1) await settled();
    expect((await fetched).pods).toHaveLength(2_000);
    expect(pieceCount).toBeGreaterThan(3);
    expect(turnCount).toBeGreaterThanOrEqual(pieceCount / 2);
  });
});

const stalledBody: Open = async (signal) => {
  await Promise.resolve();
  return (async function* () {
    yield summary.subarray(0, 10);
    await untilAborted(signal);
  })();
};

it.each([
  ['headers', (signal: AbortSignal) => untilAborted(signal)],
  ['rest of the body', stalledBody],
] as const)('the time limit covers the wait for the %s', async (_name, open) => {
  const { client, clock, results } = setUp({ open });
  let failure: unknown;
  const failed = failureOf(client.fetchSummary(aNode(), never)).then((error) => (failure = error));
  await clock.advance(9_999);
  expect(failure).toBeUndefined();
  await clock.advance(1);
  expect(await failed).toMatchObject({
    reason: 'timeout',
    message: 'summary of node node-1: no complete response within 10 s',
  });
  expect(results).toEqual([['timeout', 10_000]]);
  expect(clock.sleeperCount).toBe(0);
});

it('a caller that aborts during the request gets its own reason, and the request is not counted', async () => {
  const { client, clock, results } = setUp({ open: untilAborted });
  const caller = new AbortController();
  const failure = failureOf(client.fetchSummary(aNode(), caller.signal));
  await clock.advance(0);
  caller.abort(new Error('stopping'));
  expect(await failure).toEqual(new Error('stopping'));
  expect(results).toEqual([]);
  await clock.advance(0);
  expect(clock.sleeperCount).toBe(0);
});

it('a caller that aborts before the request prevents it', async () => {
  const { client, opened } = setUp({ open: untilAborted });
  const failure = failureOf(client.fetchSummary(aNode(), AbortSignal.abort(new Error('stopping'))));
  expect(await failure).toEqual(new Error('stopping'));
  expect(opened).toEqual([]);
});
