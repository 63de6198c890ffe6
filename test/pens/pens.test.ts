import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { type Block, bytes, count, type Document, type DocumentPart, share } from '../../src/people/pens/document.js';
import { writeHtml } from '../../src/people/pens/html-pen.js';
import { markup } from '../../src/people/pens/markup.js';
import { detailsOf, type TextForm, writeText } from '../../src/people/pens/text-pen.js';
import { gib } from '../support/units.js';

const place = { root: '../', nodeText: (name: string) => markup`${name}` };
const sectionOf = (block: Block): DocumentPart =>
  ['verdict', 'facts', 'section'].includes(block.is)
    ? (block as DocumentPart)
    : { is: 'section', id: block.is, title: 'Part', blocks: [block] };
const documentOf = (...blocks: readonly Block[]): Document => ({
  title: ['Disk', 'sda'],
  blocks: blocks.map(sectionOf),
});
const htmlOf = (...blocks: readonly Block[]): string => writeHtml(documentOf(...blocks), place).text;
const textOf = (form: Partial<TextForm>, ...blocks: readonly Block[]): string =>
  writeText(documentOf(...blocks), { width: 60, ...form });

const verdict: Block = {
  is: 'verdict',
  tone: 'critical',
  lines: ['It is full.', { text: 'Warning: it stands still.', tone: 'warning' }],
  commands: ['kubectl get nodes', 'rm -rf /', 'kubectl get pods; reboot'],
};
const table: Block = {
  is: 'table',
  caption: 'Files',
  columns: [{ title: 'File' }, { title: 'Size', isNumber: true }, { title: 'Why', rank: 1 }],
  rows: [
    {
      cells: [
        { path: ['files', 'a b'], query: { q: 'x&y' }, shown: 'a b' },
        bytes(1536, 'critical'),
        'for long, too long for a screen',
      ],
    },
    { cells: ['c', { amount: undefined, unit: 'bytes' }, { amount: 1, unit: 'inodes' }], colour: 'images' },
  ],
  totalCount: 1004,
  what: 'files',
};
const bar: Block = {
  ...{ is: 'bar', caption: 'sda', unit: 'bytes', whole: 40 * gib, marks: [{ name: 'limit', at: 30 * gib }] },
  parts: [
    { name: 'pods', amount: 10 * gib, colour: 'pods', parts: [{ name: 'logs', amount: 4 * gib, colour: 'logs' }] },
    { name: 'none', amount: 0, colour: 'images' },
    { name: 'free', amount: 30 * gib, colour: 'free' },
  ],
};
const curveOf = (name: string, ...amounts: readonly number[]) => ({
  name,
  samples: amounts.map((amount, index) => ({ atMs: index * 60_000, amount: amount * gib })),
});
const curves: Block = {
  ...{ is: 'curves', unit: 'bytes' },
  curves: [
    { ...curveOf('all', 1, 3, 2), limit: 4 * gib },
    curveOf('flat', 5, 5),
    curveOf('long', ...Array.from({ length: 20 }, (_, index) => (index === 4 ? 40 : index))),
  ],
};
const folded: Block = { is: 'text', line: 'More words.', detail: 'folded' };
const section: Block = {
  ...{ is: 'section', id: 'all', title: 'All' },
  note: { text: 'last known', tone: 'warning' },
  blocks: [
    { is: 'text', line: [{ word: 'nodefs' }, ' is ', share(0.5), ' full'] },
    table,
    { ...table, caption: 'Others', detail: 'folded' },
  ],
};

describe('a document as text', () => {
  it('has its verdict first, with the commands of kubectl and this program alone, then its title and facts', () => {
    const facts: Block = { is: 'facts', facts: { Size: bytes(gib), Age: undefined, 'Files in all': count(1234) } };
    expect(textOf({}, verdict, facts)).toBe(`\
It is full.
Warning: it stands still.
  kubectl get nodes
2 commands of the exporter left out: not one call of
kubectl, ssh or ephemeral-storage-exporter.

Disk sda
Size:          1Gi
Files in all:  1,234
`);
  });

  it('has tables that lose columns where there is no room, and says how many rows are left out', () => {
    expect(textOf({ width: 24 }, verdict, { ...verdict, lines: [], commands: [] }, section)).toContain(`
All (last known):
nodefs is 50 % full

Files:
FILE   SIZE
a b   1.5Ki
c         -
and 1,002 more files
`);
    expect(textOf({ width: 24 }, section)).not.toContain('Others');
    expect(textOf({ isWhole: true }, section)).toMatch(/\nOthers:\nFILE +SIZE +WHY\n.*for long.*\n.*1 inode\n/);
    expect(detailsOf(documentOf(section, folded))).toEqual(['Others']);
  });

  it('has the colour of the worst of a cell, and no character that a terminal obeys', () => {
    expect(textOf({ hasColour: true }, table)).toContain('\u001b[1;31m1.5Ki\u001b[0m');
    const both: Block = { ...table, rows: [{ cells: [[bytes(1, 'warning'), bytes(2, 'critical')]] }] };
    expect(textOf({ hasColour: true }, both)).toContain('\u001b[1;31m1B2B');
    expect(textOf({}, { is: 'list', items: ['a\u001b[31m\nb'] })).toContain('a\\u001b[31m\\u000ab');
  });

  it('draws a whole as a line of characters', () => {
    expect(textOf({ width: 42 }, verdict, bar)).toContain(`
[##########                    |         ]
# pods 10Gi, free 30Gi, | limit
`);
  });

  it('has measurements as a line of numbers, the highest among them, and their limit', () => {
    expect(textOf({ width: Infinity }, verdict, curves)).toContain(`
all: 1Gi 3Gi 2Gi in 2m, limit 4Gi
flat: no change in 1m: 5Gi
long: 0B 3Gi 5Gi 8Gi 11Gi 14Gi 16Gi 19Gi in 19m, highest 40Gi
`);
  });
});

describe('a document as HTML', () => {
  it.each<readonly [string, Block, RegExp]>([
    [
      'a verdict',
      verdict,
      /class="banner verdict critical"[^]*<strong>It is full\.[^]*<code>kubectl get nodes<\/code>/,
    ],
    ['a link', table, /<a href="\.\.\/files\/a%20b\?q=x%26y">a b<\/a>/],
    [
      'an amount with its exact bytes, in the colour of its tone',
      table,
      /t-critical"><span title="1,536 bytes">1\.5Ki/,
    ],
    ['the label of a column in each cell', table, /data-label="Size"/],
    ['how many rows are left out', table, /and 1,002 more files/],
    [
      'what is not read by everybody, folded',
      folded,
      /<details[^>]*><summary[^>]*>More<\/summary><p class="">More words/,
    ],
    ['a caption where a table is not the first of its section', section, /<h3>Files<\/h3>/],
    ['a word with its meaning', section, /<dfn tabindex="0">nodefs<span class="tip"/],
    ['a bar with its parts, in words too', bar, /aria-label="sda: pods 10Gi, free 30Gi"[^]*<title>logs 4Gi<\/title>/],
    [
      'curves over one time, with their limit and their words',
      curves,
      /aria-label="all: 1Gi 3Gi 2Gi in 2m, limit 4Gi"><line x1="0" x2="600" y1="1.0" y2="1.0"\/><polyline points="0.0,53.5 31.6,18.5 63.2,36.0"\/><\/svg><p class="small">all: [^<]*<\/p><p class="small">flat: no change in 1m: 5Gi<\/p><svg/,
    ],
    ['a mark where its amount is', bar, /class="mark" x="75%"[^]*<title>limit<\/title>/],
  ])('has %s', (_what, block, expected) => {
    expect(htmlOf(block)).toMatch(expected);
  });

  it('an old bar stands where the style sheet makes it pale', () => {
    expect(htmlOf({ ...bar, isOld: true })).toContain('<div class="last-known"><svg class="icicle"');
    expect(htmlOf(bar)).not.toContain('last-known');
    expect(readFileSync('src/people/status/page.css', 'utf8')).toContain('.last-known .icicle rect');
  });

  it('names are never markup', () => {
    const hostile = '"><script>alert(1)</script>\u202E\uD800';
    const cell = { path: [hostile], shown: hostile };
    const everything: readonly Block[] = [
      { ...verdict, lines: [hostile], commands: [hostile] },
      { is: 'facts', facts: { [hostile]: hostile } },
      { is: 'list', items: [hostile, { text: hostile, isMuted: true }], totalCount: 9, what: hostile },
      { ...table, caption: hostile, columns: [{ title: hostile }], rows: [{ cells: [cell], colour: hostile }] },
      {
        ...bar,
        caption: hostile,
        parts: [{ name: hostile, amount: 1, colour: hostile }],
        marks: [{ name: hostile, at: 1 }],
      },
      { is: 'curves', unit: 'count', curves: [curveOf(hostile, 1, 2)] },
      { ...section, title: hostile, note: hostile, blocks: [] },
    ];
    expect(htmlOf(...everything)).not.toMatch(/<script|\u202E/);
  });
});
