import { describe, expect, it } from 'vitest';

import { statusTone } from '../../src/people/answers/figures.js';
import { problemPart, problemsDocument } from '../../src/people/answers/problem-document.js';
import { linksFrom } from '../../src/people/pens/html-line.js';
import { writeHtml } from '../../src/people/pens/html-pen.js';
import { writeText } from '../../src/people/pens/text-pen.js';
import type { Problem } from '../../src/people/query/status.js';
import { aCluster, aProblem, aSummary } from '../support/status-builders.js';

const problem = aProblem();

const documentOf = (...problems: readonly Problem[]) =>
  problemsDocument({ items: problems, totalCount: problems.length, limit: 50, isComplete: true }, 'warning');
const textOf = (...problems: readonly Problem[]): string => writeText(documentOf(...problems), { width: 80 });
const htmlOf = (...problems: readonly Problem[]): string =>
  writeHtml(documentOf(...problems), linksFrom('/problems', '.example.com')).text;

it.each<[Partial<Problem>, string]>([
  [{ section: 'next-evictions' }, './#next-evictions'],
  [{ section: 'findings' }, './#findings'],
  [{ section: 'trust' }, './exporter#trust'],
  [{ section: 'configuration' }, './exporter#configuration'],
  [{ section: 'evictions' }, './evictions'],
  [{ section: 'workloads' }, './workloads'],
  [{ section: 'nodes', only: 'unknown' }, './nodes?only=unknown'],
  [{ section: 'nodes', only: 'unknown', about: { node: 'node-1' } }, './nodes/node-1'],
  [{ section: 'next-evictions', about: { namespace: 'shop', pod: 'cart-0' } }, './pods/shop/cart-0'],
])('a problem leads to where it is explained: %j', (of, address) => {
  expect(htmlOf({ ...problem, ...of })).toContain(`<a href="${address}"`);
});

describe('what to do about a problem', () => {
  it('is a sentence, and commands', () => {
    const of = { ...problem, hint: 'Raise it.', commands: ['kubectl get nodes', 'kubectl get pods'] };
    expect(textOf(of)).toBe('warning: x\nRaise it.\n  kubectl get nodes\n  kubectl get pods\n');
  });

  it('stands below each problem, the worst first, as they come', () => {
    const first: Problem = { ...problem, severity: 'critical', text: '1 limit reached', detail: 'shop/a', hint: 'Do.' };
    expect(textOf(first, problem)).toBe('critical: 1 limit reached\nshop/a.\nDo.\n\nwarning: x\n');
  });
});

it('names of nodes are shown without what all end with, and whole where they are commands', () => {
  const html = htmlOf({
    ...problem,
    text: 'no data: a.example.com',
    detail: 'a.example.com, b.example.com.local',
    commands: ['kubectl drain a.example.com'],
  });
  expect(html).toContain('<span title="no data: a.example.com">no data: a</span>');
  expect(html).toContain('a, b.example.com.local.');
  expect(html).toContain('<code>kubectl drain a.example.com</code>');
});

it.each([
  ['ok', 'No problems.'],
  ['unknown', 'No known problems.'],
] as const)('without a problem, a cluster that is %s has none', (tone, text) => {
  const none = problemsDocument({ items: [], totalCount: 0, limit: 50, isComplete: true }, tone);
  expect(none.blocks).toEqual([{ is: 'verdict', tone, lines: [text], commands: [] }]);
});

it('of many problems, the way to the others is named', () => {
  const more = { path: ['problems'], shown: 'and 3 more' };
  expect(problemPart([problem], 4)).toMatchObject({ more });
  expect(problemPart([problem], 1)).not.toHaveProperty('more');
});

it.each<[string, Parameters<typeof statusTone>[0], string]>([
  ['of the worst problem', { problems: [problem, { ...problem, severity: 'critical' }] }, 'critical'],
  ['of warnings', { problems: [problem] }, 'warning'],
  ['of nothing that is known', { problems: [] }, 'unknown'],
  ['of health, where all is known', { problems: [], cluster: aCluster() }, 'ok'],
  ...(
    [
      { unknownLimitPodCount: 10 },
      { pendingPodCount: 1 },
      { expectedPodCount: 2 },
      { absentNodeCount: 1 },
      { unlistedNamespaceCount: 1 },
      { unknownPressureNodeCount: 1 },
      { limitedPodCount: 0, unenforcedPodCount: 2 },
      { freshNodeCount: 0 },
    ] as const
  ).map((counts): [string, Parameters<typeof statusTone>[0], string] => [
    `of what is not known: ${JSON.stringify(counts)}`,
    { problems: [], cluster: aCluster({ summary: aSummary(counts) }) },
    'unknown',
  ]),
])('the tone of a cluster is that %s', (_case, status, tone) => {
  expect(statusTone(status)).toBe(tone);
});
