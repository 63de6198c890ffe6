import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { sendGzipped, sendPlain } from '../../src/server/send-body.js';

const never = new AbortController().signal;
const bodyBytes = 64 * 1_024 * 1_024;

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

/** Incompressible, so that compression does not make it fit into the buffers. */
function someChunks(): readonly Buffer[] {
  const noise = randomBytes(64 * 1_024);
  return Array.from({ length: bodyBytes / noise.length }, () => noise);
}

describe.each([
  ['plain', sendPlain],
  ['gzipped', sendGzipped],
])('a %s body', (_case, sendBody) => {
  it('is held back while the client does not read', async () => {
    await using client = await stalled((response) => sendBody(response, someChunks(), never));
    while (!client.response.writableNeedDrain) await nextTurn();
    expect(client.response.writableLength).toBeLessThan(bodyBytes / 16);
    client.incoming.resume();
    await client.done;
    expect(client.response.writableFinished).toBe(true);
  });

  it('is aborted when the signal aborts', async () => {
    const gone = new AbortController();
    await using client = await stalled((response) => sendBody(response, someChunks(), gone.signal));
    while (!client.response.writableNeedDrain) await nextTurn();
    gone.abort();
    await expect(client.done).rejects.toThrow('abort');
    client.response.destroy();
  });

  it('is not begun after the signal has aborted', async () => {
    await using client = await stalled(async (response) => {
      response.flushHeaders();
      await expect(sendBody(response, someChunks(), AbortSignal.abort())).rejects.toThrow('abort');
    });
    await client.done;
    client.response.destroy();
  });
});

it('lets the event loop turn between the groups of a plain body even if the client takes everything at once', async () => {
  let turns = 0;
  const turnsAtWrites: number[] = [];
  const greedy = new Writable({
    highWaterMark: 2 * bodyBytes,
    write: (_chunk, _encoding, done) => {
      turnsAtWrites.push(turns);
      done();
    },
  });
  const done = sendPlain(greedy, someChunks(), never);
  while (!greedy.writableFinished) {
    await nextTurn();
    turns += 1;
  }
  await done;
  const writesPerTurn = turnsAtWrites.length / new Set(turnsAtWrites).size;
  expect(writesPerTurn).toBeLessThanOrEqual(8);
});
