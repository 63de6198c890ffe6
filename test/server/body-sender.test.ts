// @module-tag sockets

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { messageOf, RequestError } from '../../src/lib/base/errors.js';
import { BodySender } from '../../src/serve/server/body-sender.js';
import { type ResponseLimit, startResponseLimit } from '../../src/serve/server/responses.js';
import { ManualClock } from '../support/manual-clock.js';

const bodyBytes = 64 * 1_024 * 1_024;

/** A limit that nothing but `abort` reaches. */
function noLimit(): ResponseLimit {
  const aborted = new AbortController();
  return {
    signal: aborted.signal,
    abort: (error) => {
      aborted.abort(error);
    },
    [Symbol.dispose]: () => undefined,
  };
}

function aSender(options: Partial<ConstructorParameters<typeof BodySender>[0]> = {}): BodySender {
  return new BodySender({ clock: new ManualClock(), ...options });
}

/** A response to a client that has its headers and reads nothing yet. */
async function stalled(work: (response: ServerResponse) => Promise<void>): Promise<{
  response: ServerResponse;
  incoming: IncomingMessage;
  done: Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
}> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ host: '127.0.0.1', port, agent: false }).end();
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const done = work(response);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  incoming.pause();
  return {
    response,
    incoming,
    done,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function someChunks(chunkBytes = 64 * 1_024): readonly Buffer[] {
  const noise = randomBytes(chunkBytes);
  return Array.from({ length: Math.ceil(bodyBytes / chunkBytes) }, () => noise);
}

describe.each([
  ['long', 64 * 1_024],
  ['short', 1_000],
])('BodySender: a body of %s chunks', (_case, chunkBytes) => {
  const body = () => someChunks(chunkBytes);

  it('a body is held back while the client does not read', async () => {
    await using client = await stalled((response) => aSender().send(response, body(), noLimit()));
    while (!client.response.writableNeedDrain) await nextTurn();
    expect(client.response.writableLength).toBeLessThan(bodyBytes / 16);
    client.incoming.resume();
    await client.done;
    expect(client.response.writableFinished).toBe(true);
  });

  it('a body is aborted when the limit aborts', async () => {
    const limit = noLimit();
    await using client = await stalled((response) => aSender().send(response, body(), limit));
    while (!client.response.writableNeedDrain) await nextTurn();
    limit.abort(new RequestError('timeout', 'too late'));
    await expect(client.done).rejects.toThrow('too late');
    client.response.destroy();
  });

  it('a body is not begun after the limit has aborted', async () => {
    const limit = noLimit();
    limit.abort(new RequestError('timeout', 'too late'));
    await using client = await stalled(async (response) => {
      response.flushHeaders();
      await expect(aSender().send(response, body(), limit)).rejects.toThrow('too late');
    });
    await client.done;
    client.response.destroy();
  });

  it('a block has 5 s: a client that reads nothing loses its connection', async () => {
    const clock = new ManualClock();
    await using client = await stalled(async (response) => {
      using limit = startResponseLimit(response, clock, 60_000);
      await aSender({ clock }).send(response, body(), limit);
    });
    const failed = expect(client.done).rejects.toThrow('the client read nothing for 5000 ms');
    await expect.poll(() => clock.sleeperCount, { interval: 5 }).toBe(2);
    while (!client.response.writableNeedDrain) await nextTurn();
    await clock.advance(5_000);
    await failed;
    expect(clock.sleeperCount).toBe(0);
    client.response.destroy();
  });
});

it('a body more than are sent at once costs the slowest client its connection', async () => {
  const clock = new ManualClock();
  const sender = aSender({ clock, maxCount: 3 });
  const results: string[] = [];
  const start = (name: string) =>
    stalled(async (response) => {
      try {
        await sender.send(response, someChunks(), noLimit());
        results.push(`${name}: sent`);
      } catch (error) {
        results.push(`${name}: ${messageOf(error)}`);
        response.destroy();
      }
    });
  const waits = async ({ response }: Awaited<ReturnType<typeof start>>) => {
    while (!response.writableNeedDrain) await nextTurn();
    await clock.advance(1_000);
  };
  await using reader = await start('reader');
  await waits(reader);
  await using first = await start('first');
  await waits(first);
  reader.incoming.resume();
  await reader.done;
  await using second = await start('second');
  await waits(second);
  await using third = await start('third');
  await waits(third);
  await using fourth = await start('fourth');
  await first.done;
  for (const { incoming, done } of [fourth, third, second]) {
    incoming.resume();
    await done;
  }
  expect(results).toEqual([
    'reader: sent',
    'first: the slowest of 3 clients makes room for another one',
    'fourth: sent',
    'third: sent',
    'second: sent',
  ]);
});

it('a body arrives as it is, whatever the lengths of its chunks', async () => {
  const chunks = [0, 1, 3_000, 2_000, 2_048, 3, 600_000, 2_047].flatMap((length) => [
    randomBytes(length),
    ...Array.from({ length: 300 }, () => randomBytes(1_999)),
  ]);
  const received: Buffer[] = [];
  const slow = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      setImmediate(() => {
        received.push(Buffer.from(chunk));
        done();
      });
    },
  });
  await aSender().send(slow, chunks, noLimit());
  expect(Buffer.concat(received).equals(Buffer.concat(chunks))).toBe(true);
});

it('long chunks are handed over without a copy, and short ones together', async () => {
  const written: Buffer[] = [];
  const client = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk);
      done();
    },
  });
  const long = randomBytes(20_000);
  await aSender().send(client, [Buffer.from('a'), Buffer.from('b'), long, Buffer.from('c')], noLimit());
  expect(written.map(({ length }) => length)).toEqual([2, 20_000, 1]);
  expect(written[1]).toBe(long);
});

it('the event loop turns between the groups of a plain body even if the client takes everything at once', async () => {
  let turns = 0;
  const turnsAtWrites: number[] = [];
  const greedy = new Writable({
    highWaterMark: 2 * bodyBytes,
    write: (_chunk, _encoding, done) => {
      turnsAtWrites.push(turns);
      done();
    },
  });
  const done = aSender().send(greedy, someChunks(), noLimit());
  while (!greedy.writableFinished) {
    await nextTurn();
    turns += 1;
  }
  await done;
  const writesPerTurn = turnsAtWrites.length / new Set(turnsAtWrites).size;
  expect(writesPerTurn).toBeLessThanOrEqual(8);
});
