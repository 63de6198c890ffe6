import { gzipSync } from 'node:zlib';

import { expect, it } from 'vitest';

import { evictionReport } from '../../../src/report/eviction-report.js';
import { renderPage } from '../../../src/status/html/page.js';
import { anEvictionRecord } from '../../support/eviction-builders.js';
import { figuresIn } from '../../support/page-figures.js';
import {
  aClusterSnapshot,
  aDeployment,
  aFreshNode,
  aMeasuredPod,
  aNodeSnapshot,
  aReading,
  aWorkloadSnapshot,
} from '../../support/snapshot-builders.js';
import { aStatus, someStatusSettings } from '../../support/status-builders.js';
import { aPage } from '../../support/view-pages.js';

const reading = aReading({
  snapshot: aClusterSnapshot({
    nodes: [aFreshNode(aNodeSnapshot({ pods: [aMeasuredPod()] }))],
    workloads: [aWorkloadSnapshot({ workload: aDeployment('cart') })],
  }),
  evictions: [evictionReport(anEvictionRecord())],
});

const namesIn = (html: string): readonly string[] => figuresIn(html).map(({ name }) => name);

it.each(['pods', 'containers', 'volumes', 'workloads', 'namespaces', 'nodes', 'evictions'] as const)(
  'the list of %s says where each column of numbers comes from',
  async (kind) => {
    const { html } = await aPage(reading, { kind });
    const numbers = Array.from(html.matchAll(/<th scope="col"[^>]*class="number">([^<]*)</g), ([, name = '']) => name);
    expect(namesIn(html)).toEqual(expect.arrayContaining(numbers));
    expect(figuresIn(html).every(({ queries, text }) => queries.length > 0 || text.includes('Not exposed'))).toBe(true);
  },
);

it.each([
  ['node', ['node-1'], 'node="node-1"'],
  ['workload', ['shop', 'deployment', 'cart'], 'workload="cart"'],
  ['namespace', ['shop'], 'namespace="shop"'],
] as const)('the pods on the page of a %s have expressions for it alone', async (kind, path, matcher) => {
  const { html } = await aPage(reading, { kind, path });
  const used = figuresIn(html).filter(({ name }) => name === 'Used');
  expect(used.at(-1)?.queries[0]).toContain(matcher);
});

it('the expressions of a list have its filters, and the page what they lack', async () => {
  const { html } = await aPage(reading, {
    kind: 'pods',
    parameters: { namespace: 'a"b', node: 'node-1', only: 'near' },
  });
  expect(figuresIn(html)[0]?.queries).toEqual([
    String.raw`ephemeral_storage_pod_used_bytes{namespace="a\"b",node="node-1"}`,
  ]);
  expect(html).toContain('The expressions are not filtered by what no series has: only.');
});

const overview = (figures = someStatusSettings.figures): string =>
  renderPage(aStatus(), {
    status: aStatus(),
    path: '/',
    search: '',
    metricsPath: '/metrics',
    documentationUrl: './docs',
    figures,
  });

it('the overview says where each tile and part comes from', () => {
  const page = overview();
  const [, tiles = ''] = /<dl class="tiles">([^]*?)<\/dl>/.exec(page) ?? [];
  const names = Array.from(tiles.matchAll(/<dt>([^<]*)<\/dt>/g), ([, name = '']) => name);
  expect(names).toHaveLength(7);
  expect(namesIn(page)).toEqual([
    ...names.toSorted((a, b) => namesIn(page).indexOf(a) - namesIn(page).indexOf(b)),
    'For their own limits',
    'Under node pressure',
    'Nodes',
    'Recent evictions',
  ]);
});

it('a family that the settings leave out is named, and not asked for', () => {
  const page = overview({ ...someStatusSettings.figures, exposed: new Set() });
  expect(figuresIn(page).flatMap(({ queries }) => queries)).toEqual([]);
  expect(page).toMatch(/Not exposed by these settings \([^)]*\): ephemeral_storage_pod_used_bytes\./);
});

it('the panel is a few kilobytes at most, whatever is searched for', async () => {
  const parameters = { search: 'shop cart front api prod', workload: 'shop/deployment/cart' };
  const { html } = await aPage(reading, { kind: 'containers', parameters });
  const start = html.indexOf('<details id="how-page"');
  const panel = html.slice(start, html.indexOf('</details>', start));
  expect(gzipSync(html).length - gzipSync(html.replace(panel, '')).length).toBeLessThan(3_000);
});
