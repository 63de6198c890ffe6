import { expect, it } from 'vitest';

import { type ListMeta, readList } from '../../src/cluster/watch/list-stream.js';
import type { Lane } from '../../src/lib/base/lane.js';
import { cut } from '../support/cut.js';
import { atOnce } from '../support/lanes.js';
import { bodyOf } from './scripted-api.js';

interface Read {
  readonly items: unknown[];
  readonly meta: ListMeta;
  /** The messages of items that are too large. */
  readonly oversized: string[];
}

async function read(...chunks: (string | Buffer)[]): Promise<Read> {
  return readBody(bodyOf(...chunks));
}

async function readBody(
  body: AsyncIterable<Buffer>,
  more: Partial<Parameters<typeof readList>[1]> = {},
): Promise<Read> {
  const items: unknown[] = [];
  const oversized: string[] = [];
  const meta = await readList(body, {
    kind: 'PodList',
    onItem: (item) => items.push(item),
    onOversizedItem: (message) => oversized.push(message),
    lane: atOnce,
    ...more,
  });
  return { items, meta, oversized };
}

const maxItemBytes = 8 * 1024 * 1024;

const list = (items: unknown, metadata: object = { resourceVersion: '7' }): string =>
  JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata, items });

it.each([
  ['blank', '[ \n ]'],
  ['null, as Go writes a nil slice', 'null'],
])('readList reads a list whose items are %s', async (_case, items) => {
  const { items: read_, meta } = await read(`{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":${items}}`);
  expect(read_).toEqual([]);
  expect(meta).toEqual({ resourceVersion: '7', continueToken: undefined });
});

it('arrays named items in other places are not taken for the items', async () => {
  const metadata = { resourceVersion: '7', items: [1], nested: { items: [2] } };
  const text = JSON.stringify({ kind: 'PodList', other: [{ items: [3] }], metadata, items: [{ items: [4] }] });
  expect((await read(text)).items).toEqual([{ items: [4] }]);
});

it.each([
  ['a truncated list', list([{ a: 1 }]).slice(0, -1), 'list: truncated after 1 items'],
  ['an empty body', '', 'truncated'],
  ['a table', '{"kind":"Table","metadata":{"resourceVersion":"7"},"rows":[]}', 'kind "Table" instead of PodList'],
  ['a list of another kind', list([]).replace('PodList', 'NodeList'), 'kind "NodeList" instead of PodList'],
  ['a list without a kind', '{"metadata":{"resourceVersion":"7"},"items":[]}', 'kind undefined instead of PodList'],
  ['a list without items', '{"kind":"PodList","metadata":{"resourceVersion":"7"}}', 'no items'],
  ['a list without metadata', '{"kind":"PodList","items":[]}', 'no resourceVersion'],
  ['a list with an empty resourceVersion', list([], { resourceVersion: '' }), 'no resourceVersion'],
  ['items that are an object', list({}), '"items" is not an array'],
  ['a page for people', '<html><style>p{margin:0}</style></html>', 'not a JSON object'],
])('readList refuses %s', async (_case, text, message) => {
  await expect(read(text)).rejects.toMatchObject({
    name: 'RequestError',
    reason: 'decode',
    message: expect.stringContaining(message) as string,
  });
});

it('readList refuses a table before its rows arrive', async () => {
  const body = bodyOf('{"kind":"Table",', '{{{');
  await expect(readBody(body)).rejects.toThrow('kind "Table"');
});

it.each([
  ['in one chunk', 1],
  ['in many chunks', 1_000],
])('readList skips items above 8 MiB %s, and names them', async (_case, chunkCount) => {
  const filler = 'x'.repeat(maxItemBytes);
  const text = list([{ name: 'huge-1', filler }, 1, { name: 'größe-2', filler, nested: [{}, '"'] }, 2]);
  const bytes = Buffer.from(text);
  const places = Array.from({ length: chunkCount - 1 }, (_, index) => Math.floor((bytes.length * index) / chunkCount));
  const { items, oversized, meta } = await read(...cut(bytes, places));
  expect(items).toEqual([1, 2]);
  expect(meta.resourceVersion).toBe('7');
  expect(oversized).toEqual([
    expect.stringMatching(/^an item of 8388\d{3} bytes, above 8388608, that begins with {"name":"huge-1"/),
    expect.stringMatching(/^an item of 8388\d{3} bytes, above 8388608, that begins with {"name":"größe-2"/),
  ]);
});

it('readList keeps an item of 8 MiB', async () => {
  const item = 'x'.repeat(maxItemBytes - 2);
  expect(await read(list([item, 1]))).toMatchObject({ items: [item, 1], oversized: [] });
  expect(await read(list([`${item}x`, 1]))).toMatchObject({ items: [1], oversized: [expect.anything()] });
});

it('a list is read in pieces that let others run in between, also when it is one chunk', async () => {
  const items = Array.from({ length: 2_000 }, (_, index) => ({ index, filler: 'x'.repeat(1_000) }));
  let pieceCount = 0;
  const lane: Lane = {
    ...atOnce,
    run: (task) => {
      pieceCount += 1;
      return atOnce.run(task);
    },
  };
  expect((await readBody(bodyOf(list(items)), { lane })).items).toHaveLength(2_000);
  expect(pieceCount).toBeGreaterThan(30);
});
