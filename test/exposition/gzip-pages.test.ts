import { randomBytes } from 'node:crypto';
import { crc32, gunzipSync } from 'node:zlib';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { combineCrc32, crc32Shift, GzipPages, type TextPiece } from '../../src/metrics/exposition/gzip-pages.js';
import { ManualClock } from '../support/manual-clock.js';

const never = new AbortController().signal;
const pageBytes = 48 * 1_024;

/** Incompressible, so that sizes show what is in it. Each may end a page and is as long as one. */
function aPiece(overrides: Partial<TextPiece> = {}): TextPiece {
  return { chunk: randomBytes(pageBytes), chunkId: undefined, mayEndPage: true, ...overrides };
}

const identified = (count: number, start = 1): readonly TextPiece[] =>
  Array.from({ length: count }, (_, index) => aPiece({ chunkId: start + index }));

const textOf = (pieces: readonly TextPiece[]): Buffer => Buffer.concat(pieces.map(({ chunk }) => chunk));

/** The parts of the second body that were part of the first, too. */
function shared(first: readonly Buffer[], second: readonly Buffer[]): readonly Buffer[] {
  return second.filter((chunk) => chunk.length > 1_000 && first.includes(chunk));
}

describe('GzipPages: a body', () => {
  it('a compressed body is one member with all the text, whatever its pieces', async () => {
    const piece = fc.record({
      chunk: fc
        .tuple(fc.constantFrom(0, 1, 100, 30_000, 300_000), fc.nat(255))
        .map(([size, byte]) => Buffer.alloc(size, byte)),
      chunkId: fc.option(fc.nat(20), { nil: undefined }),
      mayEndPage: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(piece, { maxLength: 12 }), { minLength: 1, maxLength: 3 }), async (bodies) => {
        // Equal ids stand for the same bytes.
        const known = new Map<number, Buffer>();
        const gzip = new GzipPages(new ManualClock());
        for (const body of bodies) {
          const pieces = body.map((drawn) => {
            if (drawn.chunkId === undefined) return drawn;
            const chunk = known.get(drawn.chunkId) ?? drawn.chunk;
            known.set(drawn.chunkId, chunk);
            return { ...drawn, chunk };
          });
          const compressed = Buffer.concat(await gzip.compress(pieces, 'text', never));
          expect(gunzipSync(compressed).equals(textOf(pieces))).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('a compressed body has the pages of the one before where their text is the same', async () => {
    const gzip = new GzipPages(new ManualClock());
    const pieces = identified(5);
    const first = await gzip.compress(pieces, 'text', never);
    const second = await gzip.compress(pieces.with(2, aPiece({ chunkId: 99 })), 'text', never);
    expect(shared(first, second)).toHaveLength(4);
  });

  it('compression stops when the client has left', async () => {
    const left = AbortSignal.abort(new Error('left'));
    await expect(new GzipPages(new ManualClock()).compress(identified(3), 'text', left)).rejects.toThrow('left');
  });
});

describe('GzipPages: kept pages', () => {
  it('pages are forgotten when nobody has asked for them for five minutes', async () => {
    const clock = new ManualClock();
    const gzip = new GzipPages(clock);
    const pieces = identified(3);
    const first = await gzip.compress(pieces, 'text', never);
    await clock.advance(5 * 60_000);
    gzip.expire();
    expect(shared(first, await gzip.compress(pieces, 'text', never))).toHaveLength(3);
    await clock.advance(5 * 60_000 + 1);
    gzip.expire();
    expect(shared(first, await gzip.compress(pieces, 'text', never))).toEqual([]);
  });

  it('kept pages are those of the last body of a kind', async () => {
    const gzip = new GzipPages(new ManualClock());
    const pieces = identified(3);
    const first = await gzip.compress(pieces, 'text', never);
    await gzip.compress(identified(3, 10), 'text', never);
    expect(shared(first, await gzip.compress(pieces, 'text', never))).toEqual([]);
  });

  /** Pages found in each of two rounds of as many kinds in turn, each with three pages. */
  async function found(kindCount: number, maxBytes?: number): Promise<readonly number[]> {
    const gzip = new GzipPages(new ManualClock(), maxBytes);
    const bodies = Array.from({ length: kindCount }, (_, kind) => identified(3, 10 * kind + 1));
    const firsts: (readonly Buffer[])[] = [];
    for (const [kind, body] of bodies.entries()) firsts.push(await gzip.compress(body, `kind ${kind}`, never));
    const counts: number[] = [];
    for (const [kind, body] of bodies.entries()) {
      counts.push(shared(firsts[kind] ?? [], await gzip.compress(body, `kind ${kind}`, never)).length);
    }
    return counts;
  }

  it('kept pages are those of eight kinds', async () => {
    expect(await found(8)).toEqual(Array(8).fill(3));
  });

  it('kept pages are those of some kinds when clients ask for more of them in turn', async () => {
    expect((await found(12)).filter((count) => count === 3).length).toBeGreaterThanOrEqual(6);
  });

  it('kept pages are those of two kinds when they are large', async () => {
    const largeBytes = 3 * pageBytes - 1;
    expect(await found(2, largeBytes)).toEqual([3, 3]);
    expect((await found(4, largeBytes)).filter((count) => count === 3).length).toBeGreaterThanOrEqual(1);
    expect((await found(4, largeBytes)).filter((count) => count === 3).length).toBeLessThanOrEqual(2);
  });
});

it('small pieces share a page, which ends with a piece that may end it', async () => {
  const gzip = new GzipPages(new ManualClock());
  const pieces = Array.from({ length: 40 }, (_, index) =>
    aPiece({ chunk: randomBytes(10_000), chunkId: index + 1, mayEndPage: index % 16 === 15 }),
  );
  const pages = (await gzip.compress(pieces, 'text', never)).slice(1, -2);
  expect(pages.map(({ length }) => Math.round(length / 10_000))).toEqual([16, 16, 8]);
});

it('the sum of two texts in a row follows from those of each', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.uint8Array({ maxLength: 5_000 }), (first, second) => {
      const combined = combineCrc32(crc32(first), crc32(second), crc32Shift(second.length));
      expect(combined).toBe(crc32(Buffer.concat([first, second])));
    }),
  );
});

it.each([2 ** 16, 2 ** 20 - 1, 2 ** 24 + 12_345])('the sum follows with a second text of %d bytes', (byteCount) => {
  const second = Buffer.alloc(byteCount, 'abc');
  const combined = combineCrc32(crc32('first'), crc32(second), crc32Shift(byteCount));
  expect(combined).toBe(crc32(second, crc32('first')));
});
