import { expect, it } from 'vitest';

import { Scheduler } from '../../src/lib/base/scheduler.js';
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
      workloads: [aWorkloadSnapshot({ workload: aWorkload({ name: 'cart' }) })],
    }),
    evictions: [evictionReport(anEvictionRecord({ namespace: 'shop', pod: 'cart-9', uid: 'u9' }))],
  }),
  settings: someStatusSettings.config,
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
  return { names, page: renderView(view, frame) };
}

it('a search finds what has the word in its name, of every kind, with links', async () => {
  const { names, page } = await found('CART');
  expect(names).toEqual({
    nodes: ['node-cart'],
    pods: ['cart-0'],
    workloads: ['cart'],
    namespaces: [],
    evictions: ['cart-9'],
  });
  for (const address of ['nodes/node-cart', 'pods/shop/cart-0', 'evictions/u9'])
    expect(page).toContain(`"./${address}"`);
});

it('a search of several words finds what has all of them', async () => {
  expect((await found('shop cart')).names).toMatchObject({ pods: ['cart-0'], evictions: ['cart-9'], nodes: [] });
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
