import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { expect, it } from 'vitest';

import type { Status } from '../../../src/people/query/status.js';
import { nodeConditions } from '../../../src/people/report/node-condition.js';
import { statusDocument } from '../../../src/people/status/document-of.js';
import { pagePolicy } from '../../../src/people/status/html/frame.js';
import { renderPage } from '../../../src/people/status/html/page.js';
import { aCluster, aGrid, aHealth, aMoment, aNearPod, aProblem, aStatus } from '../../support/status-builders.js';

const frame = {
  path: '/',
  search: '',
  metricsPath: '/metrics',
  documentationUrl: './docs',
};

function pageOf(overrides: Partial<Status> = {}, path = '/'): string {
  const status = aStatus(overrides);
  return renderPage(statusDocument(path, aMoment(status)), { ...frame, path, status });
}

/** A list that shows all that there is. */
const all = <T = never>(...items: readonly T[]) => ({ items, totalCount: items.length });

it('the overview of 5,000 nodes in trouble has at most 60 kB, compressed', () => {
  const many = Array.from({ length: 360 }, (_, index) => ({
    node: `ip-10-${index % 7}-${(index * 37) % 256}-${(index * 101) % 256}.eu-central-1.compute.internal`,
    condition: nodeConditions[index % nodeConditions.length] ?? 'ok',
    fullRatio: (index % 97) / 97,
  }));
  const pools = Array.from({ length: 13 }, (_, index) => ({
    pool: `pool-${index}`,
    nodeCount: 400,
    nodes: many.slice(index * 28, index * 28 + 28),
  }));
  const detail = Array.from(many.slice(0, 20), ({ node }) => node).join(', ');
  const problems = Array.from({ length: 12 }, (_, index) =>
    aProblem({ severity: 'critical', text: `${index} nodes without data`, detail }),
  );
  const page = pageOf({ problems, cluster: aCluster({ grid: aGrid({ pools, nodeCount: 5_000, poolCount: 13 }) }) });
  expect(gzipSync(page).length).toBeLessThan(60_000);
  expect(page.match(/class="tile [a-z]+ d/g)).toHaveLength(360);
});

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'\u202E`;

it.each(['/', '/exporter'])('hostile names are never markup at %s', (path) => {
  const page = pageOf(
    {
      version: hostile,
      scope: hostile,
      clusterName: hostile,
      links: [{ name: hostile, url: `https://h/${hostile}` }],
      configuration: hostile,
      problems: [aProblem({ severity: 'critical', text: hostile, section: 'nodes' })],
      readinessChecks: [{ name: hostile, isOk: false, message: hostile }],
      health: aHealth({
        stores: [{ resource: hostile, objectCount: 1, isConnected: true, isPolled: false }],
        scrapes: { [hostile]: 1 },
        kubeletRequests: { [hostile]: 1 },
      }),
      cluster: aCluster({
        nearPods: all(aNearPod({ namespace: hostile, pod: hostile, node: hostile, container: hostile })),
        grid: aGrid({ pools: [{ pool: hostile, nodeCount: 1, nodes: [{ node: hostile, condition: 'near' }] }] }),
      }),
    },
    path,
  );
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toMatch(/<img|\u202E/);
  const ownTags = new Set(
    `${pageOf({ problems: [aProblem({ severity: 'critical' })], cluster: aCluster({ nearPods: all(aNearPod()) }) }, path)}<h3></h3>`.match(
      /<\/?[a-z][a-z0-9]*/g,
    ),
  );
  const tags = new Set(page.match(/<\/?[a-z][a-z0-9]*/g));
  expect([...tags].filter((tag) => !ownTags.has(tag))).toEqual([]);
});

it("the policy allows the page's own style and script, by their hashes, and nothing else", () => {
  const page = pageOf();
  const hashOf = (element: string): string => {
    const text = new RegExp(`<${element}[^>]*>([^]*?)</${element}>`).exec(page)?.[1] ?? '';
    return createHash('sha256').update(text).digest('base64');
  };
  expect(pagePolicy.split('; ')).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${hashOf('style')}'`,
    `script-src 'sha256-${hashOf('script')}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);
});

it('the policy forbids nothing that the page uses: no inline style or handler, no external address', () => {
  const page = pageOf({ problems: [aProblem()] });
  expect(page).not.toMatch(/\s(?:style|on\w+)=/);
  const addresses = Array.from(page.matchAll(/(?:href|src|action)="([^"]*)"/g), ([, address]) => address);
  expect(addresses.length).toBeGreaterThan(2);
  expect(addresses.filter((address) => !/^(?:#|\.\/|data:image\/svg\+xml,)/.test(address ?? ''))).toEqual([]);
});
