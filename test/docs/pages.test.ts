import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { compatibilityTable, metricsTable } from '../../src/commands/metrics.js';
import { absenceReasons } from '../../src/facts/node/node-view.js';
import { familyTable } from '../../src/metrics/exposition/families.js';
import { readProjectFile } from '../support/install-lines.js';
import { at } from '../support/manifests/documents.js';
import { readRules, recordsOf } from '../support/rules.js';

const docs = (await readdir(new URL('../../docs', import.meta.url))).filter((name) => name.endsWith('.md'));
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'grafana/README.md', 'manifests/README.md'],
  'mixin/README.md',
  'charts/ephemeral-storage-exporter/README.md',
  ...docs.map((name) => `docs/${name}`),
];

/** As GitHub makes them of headings: https://docs.github.com/en/get-started/writing-on-github */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

interface Link {
  readonly page: string;
  readonly target: string;
}

const relativeLinks: readonly Link[] = pages.flatMap((page) =>
  [...readProjectFile(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => ({ page, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target)),
);

function isBroken({ page, target }: Link): boolean {
  const [file = '', anchor] = target.split('#');
  const linked = file === '' ? page : path.join(path.dirname(page), file);
  try {
    const text = readProjectFile(linked);
    return anchor !== undefined && !anchorsOf(text).includes(anchor);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR') return false;
    return true;
  }
}

describe('the pages', () => {
  it('pages promise no upper rate of evictions: a kubelet looks again at once after one', () => {
    const rate = /evict[^.|]*at most one[^.|]*(?:seconds?|minutes?|\d+ ?s)\b/;
    expect(pages.filter((page) => rate.test(readProjectFile(page)))).toEqual([]);
  });

  const families = new Set(`${metricsTable()}\n${compatibilityTable()}`.match(/ephemeral_storage_\w+/g));

  it.each(pages)('the page %s names families that exist', (page) => {
    const named = readProjectFile(page).match(/(?<![\w:])ephemeral_storage_[a-z_]+(?![\w*])/g) ?? [];
    const ofHistogram = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
    // `…_` stands for all families that begin so.
    const unknown = named.filter(
      (name) => !name.endsWith('_') && !families.has(name) && !families.has(ofHistogram(name)),
    );
    expect(unknown.filter((name) => name !== 'ephemeral_storage_adjusted_polling_rate')).toEqual([]);
  });

  it('pages link to files and headings that exist', () => {
    expect(relativeLinks.length).toBeGreaterThan(8);
    expect(relativeLinks.filter(isBroken)).toEqual([]);
  });

  it('pages are all within reach of the README', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const { target } of relativeLinks.filter((link) => link.page === page)) {
        reached.add(path.join(path.dirname(page), target.split('#')[0] ?? ''));
      }
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });
});

it('the page about operating explains every reason for which a node can be absent', () => {
  const [, table = ''] =
    /<!-- reasons:begin -->([^]*)<!-- reasons:end -->/.exec(readProjectFile('docs/operate.md')) ?? [];
  const explained = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, reason]) => reason);
  expect(explained.toSorted()).toEqual([...absenceReasons].sort());
});

describe('the page about operating', () => {
  const [, table = ''] =
    /<!-- workload-families:begin -->([^]*)<!-- workload-families:end -->/.exec(readProjectFile('docs/operate.md')) ??
    [];
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (sum|max|min) +\| (?:`([\w:]+)`|none: .*?) +\|$/gm)];

  it('the page about operating shows for every family of workloads how shards add up', () => {
    const families = familyTable([]).map(({ name }) => name);
    const ofWorkloads = families.filter((name) => name.startsWith('ephemeral_storage_workload_'));
    expect(rows.map(([, name]) => name).toSorted()).toEqual(ofWorkloads.toSorted());
  });

  it('the page about operating names recorded series that add up as it shows', async () => {
    const expressions = new Map(recordsOf(await readRules()).map(({ record, expr }) => [record, expr]));
    for (const [, family = '', combine = '', record] of rows) {
      if (record === undefined) continue;
      const expression = expressions.get(record);
      expect(expression, record).toMatch(new RegExp(`\\b${combine} by \\([^]*\\b${family}\\b`));
    }
  });
});

const [, ofSummaries = '', ofCharts = ''] =
  readProjectFile('docs/coming-from.md').split(/^## From (?:kube-s|the v).*$/m);

it('the page for users of kube-summary-exporter names families that exist', () => {
  const names = ofSummaries.match(/(?<=^\|[^|]*\|[^|]*`)\w+(?=`)/gm) ?? [];
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !metricsTable().includes(` \`ephemeral_storage_${name}\` `))).toEqual([]);
});

it('the page for users of other charts names values that exist', () => {
  const values: unknown = parse(readProjectFile('charts/ephemeral-storage-exporter/values.yaml'));
  const names = ofCharts.match(/(?<=^[\w.]+: )[\w.]+/gm) ?? [];
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !name.startsWith('config.') && at(values, ...name.split('.')) === undefined)).toEqual(
    [],
  );
});
