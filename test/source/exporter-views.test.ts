import { expect, it } from 'vitest';

import type { ApiRequest, ApiTransport } from '../../src/cluster/http/api-client.js';
import { RequestError } from '../../src/lib/base/errors.js';
import { toJson } from '../../src/lib/json/json.js';
import { NotFoundError } from '../../src/people/status/view-errors.js';
import { exporterReader } from '../../src/serve/source/exporter-views.js';
import type { ViewReader } from '../../src/serve/source/view-source.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import { aPodStatus } from '../support/status-builders.js';

const coverage = {
  freshNodeCount: 1,
  staleNodeCount: 0,
  skippedNodeCount: 0,
  oldestDataAgeMs: 5,
  ttlMs: 55_000,
  absences: [],
};
const facts = { generatedAtMs: 1_000, coverage };

type Reply = string | RequestError | (() => AsyncIterable<Buffer>);

/** Answers with the replies in their order, and records the requests. */
function anApi(...replies: readonly Reply[]): ApiTransport & { readonly requests: ApiRequest[] } {
  const left = [...replies];
  const requests: ApiRequest[] = [];
  return {
    requests,
    open: (request) => {
      requests.push(request);
      const reply = left.shift();
      if (reply === undefined) throw new Error('one request too many');
      if (reply instanceof RequestError) return Promise.reject(reply);
      return Promise.resolve(typeof reply === 'string' ? chunks(reply) : reply());
    },
  };
}

async function* chunks(text: string): AsyncIterable<Buffer> {
  await Promise.resolve();
  yield Buffer.from(text.slice(0, 5));
  yield Buffer.from(text.slice(5));
}

function readerOf(api: ApiTransport, { prefix = '', clock = new ManualClock(), signal = never } = {}): ViewReader {
  return exporterReader({ api, prefix, clock }, signal);
}

/** The first `count` pods of a list of `totalCount`. */
function page(count: number, totalCount: number): string {
  const items = Array.from({ length: count }, (_, index) => aPodStatus({ pod: `pod-${index}` }));
  return toJson({ ...facts, items, totalCount, limit: count, isComplete: count === totalCount });
}

it.each([
  [3, '3'],
  [undefined, '1000'],
  [2_300, '1000'],
])('a list of %j items is one request, for 1,000 at most', async (count, limit) => {
  const api = anApi(page(3, 2_300));
  const { items, ...others } = await readerOf(api).list('pods', {}, count);
  expect(items.map(({ pod }) => pod)).toEqual(['pod-0', 'pod-1', 'pod-2']);
  expect(others).toEqual({ ...facts, notes: [], totalCount: 2_300, limit: 3, isComplete: false });
  expect(api.requests.map(({ query }) => query)).toEqual([{ limit }]);
});

it('the reader leaves out parameters without a value', async () => {
  const api = anApi(page(1, 1));
  await readerOf(api).list('pods', { namespace: 'shop', node: undefined, selector: '', search: 'a b' }, 1);
  expect(api.requests[0]?.query).toEqual({ namespace: 'shop', search: 'a b', limit: '1' });
});

it.each([
  ['', '/api/v1/pods/shop/cart%2F0'],
  [
    '/api/v1/namespaces/a/services/b:metrics/proxy',
    '/api/v1/namespaces/a/services/b:metrics/proxy/api/v1/pods/shop/cart%2F0',
  ],
])('the reader behind "%s" reads an object at %s', async (prefix, path) => {
  const api = anApi(toJson({ ...facts, pods: [], evictions: [] }));
  const answer = await readerOf(api, { prefix }).object('pod', ['shop', 'cart/0'], { limit: '5' });
  expect(answer).toEqual({ ...facts, notes: [], data: { pods: [], evictions: [] } });
  expect(api.requests).toEqual([{ path, query: { limit: '5' }, acceptsGzip: true }]);
});

it('the ratio to a limit of 0 is infinite', async () => {
  const nearestLimit = { rule: 'pod', usedBytes: 1, limitBytes: 0, ratio: Infinity } as const;
  const items = [aPodStatus({ pod: '+Infinity', nearestLimit })];
  const api = anApi(toJson({ ...facts, items, totalCount: 1, limit: 1, isComplete: true }));
  const found = await readerOf(api).list('pods', {}, 1);
  expect(found.items).toEqual(items);
});

const text = 'no node node-9 in scope (did you mean node-1, node-2?)';
const missing = new RequestError('not_found', `GET /api/v1/nodes/node-9: 404: ${text}`, {
  status: 404,
  cause: new Error(text),
});

it('an object that there is not is not found, with what the exporter said', async () => {
  const expected = { message: text, what: 'no node node-9 in scope', meant: ['node-1', 'node-2'] };
  for (const failed of [
    readerOf(anApi(missing)).object('node', ['node-9'], {}),
    readerOf(anApi(missing)).list('nodes', { name: 'node-9' }),
    readerOf(anApi(missing)).list('pods', { node: 'node-9' }),
  ]) {
    await expect(failed).rejects.toThrow(NotFoundError);
    await expect(failed).rejects.toMatchObject(expected);
  }
});

it('a list that there is not is an error of the request: the exporter is an old one', async () => {
  await expect(readerOf(anApi(missing)).list('nodes', {}, 1)).rejects.toBe(missing);
});

it.each([404, 500, 401, 403])(
  'a refusal with %i that is not about an object is an error of the request',
  async (status) => {
    const failure = new RequestError(status === 404 ? 'not_found' : 'http_status', 'GET /: refused', { status });
    await expect(readerOf(anApi(failure)).object('node', ['node-1'], {})).rejects.toBe(failure);
  },
);

it.each([
  ['<html>', 'decode', 'GET /api/v1/pods: not JSON'],
  ['', 'decode', 'GET /api/v1/pods: not JSON'],
  [
    toJson({ ...facts, totalCount: 0, limit: 1, isComplete: true }),
    'decode',
    /^GET \/api\/v1\/pods: not as this version expects; use the same version of this program .* --from kubelets$/,
  ],
  [toJson({ generatedAtMs: 1_000, items: [] }), 'decode', /not as this version expects; /],
])('the answer %j is refused as %s', async (text, reason, message) => {
  await expect(readerOf(anApi(text)).list('pods', {}, 1)).rejects.toThrow(message);
  await expect(readerOf(anApi(text)).list('pods', {}, 1)).rejects.toMatchObject({ reason });
});

it('an answer that is too large is refused before all of it is read', async () => {
  let readCount = 0;
  async function* endless(): AsyncIterable<Buffer> {
    for (;;) {
      readCount += 1;
      await Promise.resolve();
      yield Buffer.alloc(2 ** 23);
    }
  }
  await expect(readerOf(anApi(endless)).list('pods', {}, 1)).rejects.toMatchObject({
    reason: 'too_large',
    message: `GET /api/v1/pods: more than ${64 * 2 ** 20} bytes`,
  });
  expect(readCount).toBeLessThanOrEqual(9);
});

/** Never responds, until the signal aborts. */
const silent: ApiTransport = {
  open: (_request, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    }),
};

it('an answer that does not come within 30 s is an error', async () => {
  const clock = new ManualClock();
  const failed = readerOf(silent, { clock })
    .list('pods', {}, 1)
    .catch((error: unknown) => error);
  await clock.advance(29_999);
  expect(await Promise.race([failed, Promise.resolve('waiting')])).toBe('waiting');
  await clock.advance(1);
  expect(await failed).toMatchObject({
    reason: 'timeout',
    message: 'GET /api/v1/pods: no complete response within 30 s',
  });
});

it('the reader ends with the reason of its signal', async () => {
  const controller = new AbortController();
  const failed = readerOf(silent, { signal: controller.signal }).list('pods', {}, 1);
  const reason = new Error('interrupted');
  controller.abort(reason);
  await expect(failed).rejects.toBe(reason);
});
