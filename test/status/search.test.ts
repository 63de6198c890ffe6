import { expect, it } from 'vitest';

import { Scheduler } from '../../src/lib/base/scheduler.js';
import { onlyHit, searchDocument } from '../../src/people/answers/search-document.js';
import { writeText } from '../../src/people/pens/text-pen.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { renderView } from '../../src/people/status/html/page.js';
import { viewOf } from '../../src/people/status/views.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  aClusterSnapshot,
  aFreshNode,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aReading,
  aWorkload,
  aWorkloadSnapshot,
} from '../support/snapshot-builders.js';
import { aStatus, someStatusSettings } from '../support/status-builders.js';

const inputs = {
  status: aStatus(),
  reading: aReading({
    snapshot: aClusterSnapshot({
      nodes: [
        aFreshNode(
          aNodeSnapshot({
            nodeName: 'node-cart',
            pods: [
              aMeasuredPod({ namespace: 'shop', name: 'cart-0' }),
              aMeasuredPod({ namespace: 'ops', name: 'logs-0' }),
            ],
          }),
        ),
        anAbsentNode('node-2', 'timeout'),
      ],
      workloads: ['shop', ''].map((namespace) =>
        aWorkloadSnapshot({ workload: aWorkload({ namespace, name: 'cart' }) }),
      ),
    }),
    evictions: [evictionReport(anEvictionRecord({ namespace: 'shop', pod: 'cart-9', uid: 'u9' }))],
  }),
  settings: someStatusSettings,
  lane: new Scheduler(new ManualClock()).newLane(),
};

async function found(search: string) {
  const view = await viewOf({ kind: 'search', path: [], parameters: { search } }, inputs);
  if (view.kind !== 'search') throw new Error(view.kind);
  const { nodes, pods, workloads, namespaces, evictions } = view.data;
  const names = {
    nodes: nodes.items.map(({ node }) => node),
    pods: pods.items.map(({ pod }) => pod),
    workloads: workloads.items.map(({ workload }) => workload),
    namespaces: namespaces.items.map(({ namespace }) => namespace),
    evictions: evictions.items.map(({ pod }) => pod),
  };
  const frame = {
    status: inputs.status,
    path: '/search',
    search: '',
    metricsPath: '/metrics',
    documentationUrl: './x',
  };
  return { names, page: renderView(view, frame), hit: onlyHit(view.data) };
}

it('a search finds what has the word in its name, of every kind, with links', async () => {
  const { names, page } = await found('CART');
  expect(names).toEqual({
    nodes: ['node-cart'],
    pods: ['cart-0'],
    workloads: ['cart', 'cart'],
    namespaces: [],
    evictions: ['cart-9'],
  });
  for (const address of ['nodes/node-cart', 'pods/shop/cart-0', 'evictions/u9'])
    expect(page).toContain(`"./${address}"`);
  expect(page).toMatch(/>cart<\/a><\/li><li><a [^>]*>selector\/cart<\/a> in shop<\/li>/);
});

it('a search of several words finds what has all of them', async () => {
  expect((await found('shop cart')).names).toMatchObject({ pods: ['cart-0'], evictions: ['cart-9'], nodes: [] });
});

it.each([
  ['cart-0', ['pods', 'shop', 'cart-0']],
  ['node-2', ['nodes', 'node-2']],
  ['cart-9', ['evictions', 'u9']],
  ['cart', undefined],
  ['zzz', undefined],
])('a search for "%s" leads to %j, if it is one thing', async (search, path) => {
  expect((await found(search)).hit).toEqual(path);
});

it('of many things, the way to all of them is named', async () => {
  const pods = Array.from({ length: 12 }, (_, index) => aMeasuredPod({ namespace: 'many', name: `big-${index}` }));
  const reading = aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods }))] }) });
  const view = await viewOf({ kind: 'search', path: [], parameters: { search: 'big' } }, { ...inputs, reading });
  if (view.kind !== 'search') throw new Error(view.kind);
  expect(writeText(searchDocument(view.data), { width: 80 })).toMatch(
    /^Search for big\n\nPods:\n(?:many\/big-\d+\n){10}and 2 more pods\n/,
  );
  expect(onlyHit(view.data)).toBeUndefined();
  expect(searchDocument(view.data).blocks[0]).toMatchObject({
    note: { path: ['pods'], query: { search: 'big' }, shown: 'all 12' },
  });
});

it('a search that finds nothing says so', async () => {
  expect((await found('zzz')).page).toContain('No pod, workload, node, namespace or eviction has this in its name.');
});

it('a search finds nodes without data', async () => {
  expect((await found('node-2')).names.nodes).toEqual(['node-2']);
});

it('a search takes no other parameter', async () => {
  const request = { kind: 'search', path: [], parameters: { search: 'x', limit: '5' } } as const;
  await expect(viewOf(request, inputs)).rejects.toThrow('parameter "limit": allowed: search');
});

it('a workload that is known by its evictions alone leads to the last one', async () => {
  const evictions = ['new', 'old'].map((pod) => evictionReport(anEvictionRecord({ pod })));
  const reading = aReading({ evictions });
  const view = await viewOf(
    { kind: 'workload', path: ['shop', 'deployment', 'cart'], parameters: {} },
    { ...inputs, reading },
  );
  expect(view).toMatchObject({
    data: {
      workload: {
        verdict: {
          kind: 'empty',
          text: expect.stringMatching(/^No pods are expected or measured\. Pod shop\/new was evicted /) as unknown,
        },
      },
    },
  });
});

it('words are also taken from q', async () => {
  const { data } = await viewOf({ kind: 'search', path: [], parameters: { q: 'cart' } }, inputs);
  expect(data).toMatchObject({ words: ['cart'] });
});
