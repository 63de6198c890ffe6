// @module-tag sockets

import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import type { Lane } from '../../src/lib/base/lane.js';
import type { Moment } from '../../src/people/status/status-source.js';
import { Answer, SharedAnswers } from '../../src/serve/server/shared-answers.js';
import { aPod } from '../support/builders.js';
import { type HttpAnswer, send } from '../support/http-get.js';
import { atOnce } from '../support/lanes.js';
import { aFreshNode, aMeasuredPod, aNodeSnapshot, aReading, aReadingOf } from '../support/snapshot-builders.js';
import { aMoment, aStatus } from '../support/status-builders.js';
import { aStatusHandler, RunningServer, someRoutes } from './test-server.js';

interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly moment?: Moment;
}

async function ask(
  path: string,
  { method = 'GET', headers = {}, moment = aMoment() }: Request = {},
): Promise<HttpAnswer> {
  await using server = await RunningServer.start(someRoutes({ status: aStatusHandler({ moment }) }));
  return await send({ port: server.port, path, method, headers });
}

it.each([
  ['/api/v1/pods?limit=0', 400, 'parameter limit: found "0", allowed: an integer from 1 to 1000\n'],
  ['/api/v1/pods?limit=1&limit=2', 400, 'parameter limit is given more than once\n'],
  ['/api/v1/pods?__proto__=x', 400, expect.stringContaining('parameter "__proto__": allowed: search')],
  ['/api/v1/pods?serach=x', 400, expect.stringContaining('(did you mean search?)')],
  ['/api/v1/nodes/node-1?node=node-2', 400, expect.stringContaining('parameter "node": allowed: search')],
  ['/api/v1/pods/shop/cart-0?limit=1', 400, 'parameter "limit": allowed: none\n'],
  ['/api/v1/evictions/u1?limit=1', 400, 'parameter "limit": allowed: none\n'],
  ['/api/v1/nodes/%E0%A4%A', 400, 'the address is not well-formed: "%" begins two hexadecimal digits of UTF-8\n'],
  ['/api/v1/nodes/constructor', 404, 'no node constructor in scope\n'],
  ['/api/v1/pods/shop/none', 404, 'no pod shop/none in scope\n'],
  ['/api/v1/pods/shop%2Fcart-0/x', 404, 'no pod shop/cart-0/x in scope (did you mean shop/cart-0?)\n'],
  ['/api/v1/workloads/-/custom/none', 404, 'no workload -/custom/none in scope\n'],
  ['/api/v1/namespaces/none', 404, 'no namespace none in scope, or it has no pods\n'],
  ['/api/v1/pods?name=cart-9&namespace=shop', 404, 'no pod shop/cart-9 in scope (did you mean shop/cart-0?)\n'],
  ['/api/v1/nodes/ndoe-1', 404, 'no node ndoe-1 in scope (did you mean node-1?)\n'],
  ['/api/v1/pods?node=ndoe-1&name=cart-0', 404, 'no node ndoe-1 in scope (did you mean node-1?)\n'],
  ['/api/v1/volumes?node=ndoe-1', 404, 'no node ndoe-1 in scope (did you mean node-1?)\n'],
  ['/api/v1/workloads/-/selector/cart?node=ndoe-1', 404, 'no node ndoe-1 in scope (did you mean node-1?)\n'],
  ['/api/v1/pods?workload=-/selector/crat', 404, expect.stringContaining('(did you mean -/selector/cart?)')],
  ['/api/v1/pods/shpo/cart-0', 404, 'no pod shpo/cart-0 in scope (did you mean shop/cart-0?)\n'],
  ['/api/v1/workloads/-/selector/crat', 404, expect.stringContaining('(did you mean -/selector/cart?)')],
  ['/api/v1/namespaces/shpo', 404, expect.stringContaining('(did you mean shop?)')],
  ['/api/v1/evictions/none', 404, 'no eviction of a pod with the UID none is remembered\n'],
  ['/api/v1/nodes/a%0Ab', 404, 'no node a b in scope\n'],
  ['/api/v1/nothing', 404, 'not found\n'],
])('%s is answered with %i and one line of text', async (path, status, text) => {
  const answer = await ask(path);
  expect([answer.status, answer.text]).toEqual([status, text]);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
});

const browser = { accept: 'text/html,*/*;q=0.8' };

it.each([
  ['/nodes/none?as=json', {}, 404, 'text/plain', 'no node none in scope\n'],
  ['/api/v1/pods?width=x', {}, 400, 'text/plain', 'parameter width: found "x", allowed: an integer from 20 to 9999\n'],
  ['/pods?width=20', {}, 200, 'text/plain', expect.stringContaining('NAMESPACE')],
  ['/pods?width=', {}, 200, 'text/plain', expect.stringContaining('NAMESPACE')],
  ['/pods?as=text', browser, 200, 'text/plain', expect.stringContaining('NAMESPACE')],
  ['/pods?as=html', {}, 200, 'text/html', expect.stringMatching(/^<!DOCTYPE html>/)],
  ['/pods?as=json', {}, 200, 'application/json', expect.stringContaining('"coverage":')],
  ['/api/v1/pods?as=document', {}, 200, 'application/json', expect.stringContaining('"is":"table"')],
  ['/pods?node=node-1&namespace=none', {}, 200, 'text/plain', expect.stringContaining('No pods match')],
  ['/evictions?node=gone', {}, 200, 'text/plain', expect.stringContaining('No evictions match')],
  ['/pods?as=yaml', {}, 400, 'text/plain', 'parameter as: found "yaml", allowed: html, text, json, document\n'],
  [
    '/pods?as=text&width=19',
    {},
    400,
    'text/plain',
    'parameter width: found "19", allowed: an integer from 20 to 9999\n',
  ],
] as const)('%s of %o is answered with %i and %s', async (path, headers, status, ...[type, text]) => {
  const answer = await ask(path, { headers });
  expect([answer.status, answer.text]).toEqual([status, text]);
  expect(answer.headers['content-type']).toContain(`${type}; charset=utf-8`);
  expect(answer.headers.vary?.startsWith('Accept')).toBe(true);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
});

it('pages answer the same faults as pages', async () => {
  for (const [path, status] of [
    ['/pods?limit=0', 400],
    ['/nodes/none', 404],
  ] as const) {
    const answer = await ask(path, { headers: browser });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
  }
});

it.each(['/nothing', '/no/thing', '/a%20b', '/%zz', '/nodes/a/b', '/metrics/x', '/<script>'])(
  'the unknown path %s is a page with links and the search for browsers',
  async (path) => {
    const { status, text, headers } = await ask(path, { headers: browser });
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('There is no page at this address.');
    expect(text).toMatch(/<form class="search"[^]*<nav aria-label="Other pages">/);
    expect(text).not.toContain('"/<script>');
    expect((await ask(path)).text).toBe('not found\n');
  },
);

it('an unknown path of the API is one line for browsers too', async () => {
  const { status, text } = await ask('/api/v1/nothing', { headers: { accept: 'text/html' } });
  expect([status, text]).toEqual([404, 'not found\n']);
});

it('a name from an address is text on the page that says that there is none', async () => {
  const { status, text } = await ask('/nodes/%3Cscript%3Ealert(1)%3C%2Fscript%3E', { headers: browser });
  expect([status, text.includes('<script>alert'), text.includes('&lt;script&gt;alert')]).toEqual([404, false, true]);
});

it('of very many pods those are compared that begin like the wanted one, and a page links to what may be meant', async () => {
  const known = (namespace: string, name: string) => ({ pod: aPod({ namespace, name }), workloads: [] });
  const others = Array.from({ length: 3_000 }, (_, index) => known('other', `web-${index}`));
  const knownPods = [...others, known('shop', 'web-<i>-1'), ...others];
  const moment = aMoment(aStatus(), aReading({ knownPods }));
  const { text } = await ask('/pods/shop/web-%3Ci%3E-2', { headers: browser, moment });
  expect(text).toContain('<a href="../../pods/shop/web-%3Ci%3E-1">shop/web-&lt;i&gt;-1</a>');
  expect((await ask(`/pods/shop/${'web-'.repeat(500)}`, { moment })).text).not.toContain('Did you mean');
});

it('before the first lists, objects and lists are answered with 503', async () => {
  const notListed = 'Nodes and pods have not been listed.';
  const moment = aMoment(aStatus({ cluster: undefined, notListed }));
  for (const path of ['/api/v1/pods', '/api/v1/nodes/node-1', '/api/v1/evictions/none', '/pods', '/search?search=a']) {
    const { status, text } = await ask(path, { moment });
    expect([path, status, text]).toEqual([path, 503, expect.stringContaining(notListed)]);
  }
  for (const path of ['/api/v1/status', '/problems', '/evictions']) {
    expect([path, (await ask(path, { moment })).status]).toEqual([path, 200]);
  }
});

it('whoever searches for one thing gets its page, below any prefix, and as JSON what was found', async () => {
  const nodes = [aFreshNode(aNodeSnapshot({ pods: [aMeasuredPod({ namespace: 'a', name: 'web-1' })] }))];
  const moment = { ...aMoment(), reading: aReadingOf(...nodes) };
  const { status, headers } = await ask('/search?search=web-1', { headers: browser, moment });
  expect([status, headers.location]).toEqual([302, './pods/a/web-1']);
  expect(await ask('/search?search=web-2', { moment })).toMatchObject({ status: 200 });
  expect(await ask('/api/v1/search?search=web-1', { moment })).toMatchObject({ status: 200 });
});

it('HEAD gets the headers of every address without a body', async () => {
  for (const path of ['/api/v1/pods', '/nodes', '/api/v1/openapi.json']) {
    const answer = await ask(path, { method: 'HEAD' });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.vary).toMatch(path === '/nodes' ? /^Accept, Accept-Encoding$/ : /^Accept-Encoding$/);
  }
});

it.each(['/nodes/nope', '/pods/a/b', '/api/v1/nodes/nope'])('HEAD of %s is 404, as GET is', async (path) => {
  const answers = await Promise.all(['HEAD', 'GET'].map((method) => ask(path, { method })));
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
});

it('the description of the API is served before the first lists', async () => {
  const moment = aMoment(aStatus({ cluster: undefined, notListed: 'x' }));
  const answer = await ask('/api/v1/openapi.json', { moment });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toMatchObject({
    openapi: '3.1.0',
    paths: { '/pods': {}, '/pods/{namespace}/{pod}': {} },
  });
});

it('answers are compressed for those who accept it, and are the same', async () => {
  const moment = aMoment();
  const plain = await ask('/nodes?as=html', { moment });
  const compressed = await ask('/nodes?as=html', { moment, headers: { 'accept-encoding': 'gzip' } });
  expect(plain.headers).toMatchObject({ vary: 'Accept, Accept-Encoding' });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(compressed.headers).toMatchObject({ vary: 'Accept, Accept-Encoding', 'content-encoding': 'gzip' });
  expect(compressed.headers['content-length']).toBe(String(compressed.body.length));
  expect(gunzipSync(compressed.body).toString()).toBe(plain.text);
  expect(compressed.body.length).toBeLessThan(plain.body.length / 2);
});

it('short answers are not compressed', async () => {
  const answer = await ask('/api/v1/evictions', { headers: { 'accept-encoding': 'gzip' } });
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(JSON.parse(answer.text)).toMatchObject({ totalCount: 0 });
});

it('an answer is compressed once for all who want it', async () => {
  const answer = new Answer(200, 'x'.repeat(10_000));
  expect(answer.compressed()).toBe(answer.compressed());
  expect(gunzipSync(await answer.compressed()).toString()).toBe('x'.repeat(10_000));
});

describe('answers that are shared', () => {
  const moment = {};

  /** Counts what is made. */
  function making() {
    const made: string[] = [];
    const make = (text: string) => () => {
      made.push(text);
      return Promise.resolve(new Answer(200, text));
    };
    return { made, make, answers: new SharedAnswers() };
  }

  it('an answer is made once while the moment is the same', async () => {
    const { made, make, answers } = making();
    await Promise.all([answers.get(moment, 'a', make('a')), answers.get(moment, 'a', make('a'))]);
    await answers.get(moment, 'a', make('a'));
    await answers.get({}, 'a', make('a again'));
    expect(made).toEqual(['a', 'a again']);
  });

  it('an answer that fails is made again for the next one', async () => {
    const { made, make, answers } = making();
    await expect(answers.get(moment, 'a', () => Promise.reject(new Error('a fault')))).rejects.toThrow('a fault');
    await answers.get(moment, 'a', make('a'));
    expect(made).toEqual(['a']);
  });

  it('at most twenty answers are made at once, and those of an address that is made are shared', async () => {
    const { answers } = making();
    let resolve: (answer: Answer) => void = () => undefined;
    const promise = new Promise<Answer>((done) => {
      resolve = done;
    });
    const all = Array.from({ length: 20 }, (_, index) => answers.get(moment, `a${index}`, () => promise));
    expect(answers.get(moment, 'b', () => promise)).toBeUndefined();
    expect(answers.get({}, 'b', () => promise)).toBeUndefined();
    expect(answers.get(moment, 'a7', () => promise)).toBe(all[7]);
    resolve(new Answer(200, 'done'));
    await all[19];
    await expect(answers.get(moment, 'b', () => promise)).resolves.toMatchObject({ status: 200 });
  });

  it('other spellings of an address fill no memory: fifty are kept', async () => {
    const { made, make, answers } = making();
    for (let index = 0; index < 60; index += 1) await answers.get(moment, `?${index}`, make(`first ${index}`));
    for (const index of [0, 49, 50, 59]) await answers.get(moment, `?${index}`, make(`again ${index}`));
    expect(made.slice(60)).toEqual(['again 50', 'again 59']);
  });

  it('large answers are kept up to eight megabytes, and one whatever its size', async () => {
    const { made, answers } = making();
    const huge = (name: string, mebibytes: number) => () => {
      made.push(name);
      return Promise.resolve(new Answer(200, Buffer.alloc(mebibytes * 2 ** 20)));
    };
    for (const name of ['a', 'b', 'a', 'b']) await answers.get(moment, name, huge(name, 9));
    expect(made).toEqual(['a', 'b', 'b']);
  });
});

it('an answer is refused while twenty are made, and the reader is told to try again', async () => {
  let unblock: () => void = () => undefined;
  const blocked = new Promise<void>((done) => {
    unblock = done;
  });
  const lane: Lane = { ...atOnce, each: () => blocked };
  await using server = await RunningServer.start(someRoutes({ status: aStatusHandler({ lane }) }));
  const asked = Array.from({ length: 21 }, (_, index) =>
    send({
      port: server.port,
      path: index % 2 === 0 ? `/api/v1/pods?limit=${index + 1}` : `/pods?width=${index + 20}`,
    }),
  );
  const refused = await Promise.race(asked);
  expect([refused.status, refused.text]).toEqual([503, 'too many pages are requested at once: try again\n']);
  unblock();
  const statuses = (await Promise.all(asked)).map((answer) => answer.status).sort((a, b) => a - b);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 503]);
});

it('views are made one by one, so that one list at a time is held as a whole', async () => {
  let [activeCount, mostActiveCount] = [0, 0];
  const lane: Lane = {
    ...atOnce,
    each: async (items, task) => {
      activeCount += 1;
      mostActiveCount = Math.max(mostActiveCount, activeCount);
      await setImmediate();
      await atOnce.each(items, task);
      activeCount -= 1;
    },
  };
  await using server = await RunningServer.start(someRoutes({ status: aStatusHandler({ lane }) }));
  const paths = ['/pods', '/nodes', '/api/v1/pods', '/api/v1/containers?limit=1000'];
  const answers = await Promise.all(paths.map((path) => send({ port: server.port, path })));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
  expect(mostActiveCount).toBe(1);
});
