import { describe, expect, it } from 'vitest';

import { parseListQuery } from '../../../src/people/query/list-query.js';
import { renderView } from '../../../src/people/status/html/page.js';
import type { Problem, Status } from '../../../src/people/status/status.js';
import { sectionText as textOf } from '../../support/page-text.js';
import { aCluster, aHealth, aStatus, aSummary } from '../../support/status-builders.js';

function pageOf(overrides: Partial<Status> = {}): string {
  const status = aStatus(overrides);
  const frame = {
    status,
    path: '/problems',
    search: '',
    metricsPath: '/metrics',
    documentationUrl: './docs',
  };
  const { problems } = status;
  const data = { items: problems, totalCount: problems.length, offset: 0, limit: 50 };
  return renderView({ kind: 'problems', query: parseListQuery('problems', {}), data }, frame);
}

const problem: Problem = { severity: 'warning', text: 'x', section: 'nodes' };

it.each<[Partial<Problem>, string]>([
  [{ section: 'next-evictions' }, './#next-evictions'],
  [{ section: 'trust' }, './problems#trust'],
  [{ section: 'configuration' }, './problems#configuration'],
  [{ section: 'findings' }, './problems#findings'],
  [{ section: 'evictions' }, './evictions'],
  [{ section: 'workloads' }, './workloads'],
  [{ section: 'nodes', only: 'unknown' }, './nodes?only=unknown'],
  [{ section: 'nodes', only: 'unknown', about: { node: 'node-1' } }, './nodes/node-1'],
  [{ section: 'next-evictions', about: { namespace: 'shop', pod: 'cart-0' } }, './pods/shop/cart-0'],
])('a problem leads to where it is explained: %j', (of, address) => {
  expect(pageOf({ problems: [{ ...problem, ...of }] })).toContain(`<a href="${address}"`);
});

it('sections that problems lead to are on the page of problems', () => {
  for (const id of ['findings', 'trust', 'configuration']) expect(pageOf()).toContain(`<section id="${id}"`);
  expect(pageOf({ cluster: undefined })).not.toMatch(/<section id="trust"[^>]* hidden/);
});

describe('what problems are explained by', () => {
  it('findings are shown by kind, with what to do', () => {
    const finding = {
      namespace: 'shop',
      pod: 'cart-0',
      node: 'node-1',
      kind: 'volume_not_mounted',
      volume: 'data',
      what: 'no container mounts emptyDir data',
      fix: 'Mount it.',
      podCount: 3,
    } as const;
    const kind = { kind: finding.kind, findingCount: 5, items: [finding], totalCount: 3 };
    const summary = aSummary({ absentNodeCount: 2 });
    expect(textOf(pageOf({ cluster: aCluster({ findings: [kind], summary }) }), 'findings')).toContain(
      'Volume that no container mounts 5 warnings Mount it. shop/cart-0 node-1 ; 2 more pods of its controller: no container mounts emptyDir data and 2 more workloads or bare pods with it Of 2 nodes without data: by the last values and the specs of the pods.',
    );
  });

  it.each([
    [{}, 'Nothing was found.'],
    [{ podCount: 0 }, 'No pods are measured yet.'],
  ])('findings of a cluster with %j are said to be none', (summary, text) => {
    expect(textOf(pageOf({ cluster: aCluster({ summary: aSummary(summary) }) }), 'findings')).toContain(text);
  });

  it('namespaces that are not listed are part of the quality of the data', () => {
    const unlisted = ['a', 'b'].map((namespace) => ({ resource: 'pods', namespace, message: 'x', forMs: 60_000 }));
    expect(textOf(pageOf({ health: aHealth({ unlisted }) }), 'trust')).toContain('pods 2 namespaces not listed');
  });

  it('certificates that are verified are not mentioned', () => {
    expect(textOf(pageOf(), 'trust')).not.toContain('certificates');
  });

  it('hostile texts of the settings, checks and lists are never markup', () => {
    const hostile = `"><script>alert(1)</script><img src=x>`;
    const page = pageOf({
      configuration: hostile,
      problems: [{ ...problem, text: hostile, detail: hostile, hint: hostile }],
      health: aHealth({
        stores: [{ resource: hostile, objectCount: 1, isConnected: true, isPolled: false }],
        scrapes: { [hostile]: 1 },
      }),
    });
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain('<img');
  });
});
