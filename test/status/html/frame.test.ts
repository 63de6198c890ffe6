import { expect, it } from 'vitest';

import { aReading } from '../../support/snapshot-builders.js';
import { aCluster, anAbsence, aProblem } from '../../support/status-builders.js';
import { aPage } from '../../support/view-pages.js';

const away = aProblem({ severity: 'critical', text: 'API server not reachable', section: 'trust' });
const slow = aProblem({ severity: 'warning', text: '1 node has not answered yet: node-2', section: 'nodes' });

const worstIn = (html: string): string =>
  (/<p id="part-worst"[^]*?<\/p>/.exec(html)?.[0] ?? 'nothing').replaceAll(/<[^>]+>/g, '');

it('each page says the worst problem, and how many there are', async () => {
  for (const kind of ['pods', 'evictions', 'namespaces'] as const) {
    const { html } = await aPage(aReading(), { kind, status: { problems: [away, slow] } });
    expect(worstIn(html)).toBe('API server not reachable and 1 more');
  }
  const { html } = await aPage(aReading(), { kind: 'nodes', status: { problems: [away] } });
  expect(worstIn(html)).toBe('API server not reachable');
});

it('a page is marked while nodes have not answered yet, so that it is refreshed sooner', async () => {
  const pageWith = async (isAwaited: boolean): Promise<string> => {
    const cluster = aCluster({ absences: [anAbsence({ isAwaited })] });
    return (await aPage(aReading(), { kind: 'pods', status: { cluster } })).html;
  };
  expect(await pageWith(true)).toContain(' data-awaiting>');
  expect(await pageWith(false)).not.toContain(' data-awaiting>');
});

it('an empty list says whether the filters are the reason', async () => {
  const empty = { ...aReading(), evictions: [] };
  const textOf = async (parameters: Readonly<Record<string, string>>) =>
    (await aPage(empty, { kind: 'evictions', parameters })).text;
  expect(await textOf({ order: 'name' })).toContain('No evictions found.');
  expect(await textOf({ namespace: 'mediaa' })).toContain('No evictions match these filters.');
});
