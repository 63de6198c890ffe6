import { expect, it } from 'vitest';

import { ApiError } from '../../src/cluster/http/api-error.js';
import { readWatchEvents, type WatchEvent } from '../../src/cluster/watch/watch-stream.js';
import { bodyOf, bookmarkLine, errorLine, eventLine, podJson } from './scripted-api.js';

const added = (name: string, resourceVersion: string): string => eventLine('ADDED', podJson(name, resourceVersion));

interface Read {
  /** Those before the stream ended. */
  readonly events: WatchEvent[];
  /** What ended it. */
  readonly error: unknown;
  /** The kinds of objects that were skipped. */
  readonly otherKinds: string[];
}

async function read(body: AsyncIterable<Buffer>): Promise<Read> {
  const events: WatchEvent[] = [];
  const otherKinds: string[] = [];
  const options = { kind: 'Pod', onOtherKind: (kind: string) => otherKinds.push(kind) };
  try {
    for await (const event of readWatchEvents(body, options)) events.push(event);
  } catch (error) {
    return { events, error, otherKinds };
  }
  return { events, error: undefined, otherKinds };
}

const versions = ({ events }: { events: readonly WatchEvent[] }): string[] =>
  events.map(({ resourceVersion }) => resourceVersion);

it('readWatchEvents reads an event byte by byte, with split characters', async () => {
  const line = eventLine('ADDED', podJson('größe-🐳', '1'));
  const { events } = await read(bodyOf(...Array.from(Buffer.from(line), (byte) => Buffer.of(byte))));
  expect(events.map(({ object }) => object)).toEqual([podJson('größe-🐳', '1')]);
});

it('readWatchEvents ignores blank lines and carriage returns', async () => {
  const text = `\n\r\n${added('a', '1').trimEnd()}\r\n \n${added('b', '2')}`;
  expect(versions(await read(bodyOf(text)))).toEqual(['1', '2']);
});

it.each([
  ['is not JSON', '{"type":"ADDED"\n', 'malformed event'],
  ['is not an object', '[]\n', 'its type is undefined'],
  ['has no type', `${JSON.stringify({ object: podJson('b', '2') })}\n`, 'its type is undefined'],
  ['has a type that we do not know', eventLine('RENAMED', podJson('b', '2')), 'its type is "RENAMED"'],
  ['has no object', '{"type":"ADDED"}\n', 'no resourceVersion (ADDED)'],
  ['has an object without metadata', eventLine('ADDED', { kind: 'Pod' }), 'no resourceVersion (ADDED)'],
  ['has an object without a resource version', eventLine('ADDED', { metadata: { name: 'b' } }), 'no resourceVersion'],
  ['has an empty resource version', bookmarkLine(''), 'no resourceVersion (BOOKMARK)'],
  ['has a resource version of 0', bookmarkLine('0'), 'the resourceVersion of its object is 0 (BOOKMARK)'],
])('readWatchEvents stops at a line that %s', async (_case, line, message) => {
  const result = await read(bodyOf(added('a', '1'), line, added('c', '3')));
  expect(versions(result)).toEqual(['1']);
  expect(result.error).toMatchObject({
    name: 'RequestError',
    reason: 'decode',
    message: expect.stringContaining(message) as string,
  });
  expect(result.error).not.toBeInstanceOf(ApiError);
});

it.each([
  ['with its code', errorLine(410, { reason: 'Expired' }), { status: 410, isExpired: true }],
  ['with the wait it asks for', errorLine(429, { details: { retryAfterSeconds: 3 } }), { retryAfterMs: 3_000 }],
  ['as an internal error when it is no Status', eventLine('ERROR', { some: 'thing' }), { status: 500 }],
  ['as an internal error when it has no object', '{"type":"ERROR"}\n', { status: 500 }],
])('readWatchEvents throws an ERROR event %s', async (_case, line, expected) => {
  const result = await read(bodyOf(added('a', '1'), line, added('c', '3')));
  expect(versions(result)).toEqual(['1']);
  expect(result.error).toBeInstanceOf(ApiError);
  expect(result.error).toMatchObject(expected);
});

it('readWatchEvents refuses a line above 16 MiB without waiting for its end', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  let chunkCount = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      chunkCount += 1;
      yield await Promise.resolve(chunk);
    }
  }
  const { error } = await read(endless());
  expect(error).toMatchObject({ reason: 'too_large', message: expect.stringContaining('16777216 bytes') as string });
  expect(chunkCount).toBe(17);
});
