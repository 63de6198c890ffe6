import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { type Block, bytes, count, type Document, type DocumentPart, share } from '../../src/people/pens/document.js';
import { writeHtml } from '../../src/people/pens/html-pen.js';
import { detailsOf, type TextForm, writeText } from '../../src/people/pens/text-pen.js';
import { gib } from '../support/units.js';

const place = { root: '../', shortened: (text: string) => text };
const sectionOf = (block: Block): DocumentPart =>
  ['verdict', 'verdicts', 'figures', 'facts', 'section'].includes(block.is)
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
const verdicts: Block = {
  ...{ is: 'verdicts', title: 'Faults', more: { path: ['faults'], section: 'all', shown: 'and 2 more' } },
  verdicts: [verdict, { tone: 'warning', lines: ['It is hot.'], commands: [] }],
};
const code: Block = { is: 'code', caption: 'Settings', text: 'a:\n  b: \u001b1\n', detail: 'folded' };
const figures: Block = {
  ...{ is: 'figures', title: 'Summary' },
  figures: [
    {
      name: { path: ['disks'], query: { only: 'full' }, shown: 'Full' },
      value: [count(2), { text: ' of 5', isMuted: true }],
      ...{ note: ['1 ', { word: 'stale' }], tone: 'critical' },
      bars: { caption: 'by hour', counts: [0, 1, 4] },
    },
    { name: { path: [], shown: 'Empty' }, value: '0', note: '', tone: 'ok' },
  ],
};
const tile = (name: string, ratio?: number) => ({
  ...{ name, path: ['disks', name], full: share(ratio), state: 'bad' },
  ...({ tone: 'critical', letter: ratio === undefined ? '?' : '', isMissing: ratio === undefined } as const),
});
const grid = (...tiles: readonly ReturnType<typeof tile>[]): Block => ({
  is: 'grid',
  legend: [{ tone: 'critical', letter: '?', isMissing: true, text: '1 bad' }],
  groups: [{ name: 'Disks of a', title: 'a, 2 disks', tiles }],
  more: { path: ['disks'], shown: 'and 7 more' },
});
const manyTiles = grid(tile('none'), ...Array.from({ length: 60 }, (_, index) => tile(`sd${index}`, 0.5)));
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
2 commands of the exporter left out: not one call of kubectl
or ssh.

Disk sda
Size:          1Gi
Files in all:  1,234
`);
  });

  it('has each of several verdicts with its tone and its commands, and the way to the others', () => {
    expect(textOf({ hasColour: true }, verdicts)).toBe(`\
\u001b[1;31mcritical: It is full.\u001b[0m
Warning: it stands still.
  kubectl get nodes
2 commands of the exporter left out: not one call of kubectl
or ssh.

\u001b[33mwarning: It is hot.\u001b[0m

and 2 more: /faults

Disk sda
`);
  });

  it('has a text with lines of its own for those who ask for all', () => {
    expect(textOf({ isWhole: true }, code)).toContain('Part:\na:\n  b: \\u001b1\n');
    expect(textOf({}, code)).not.toContain('a:');
    expect(detailsOf(documentOf(code))).toEqual(['Settings']);
  });

  it('has its figures last, a line each', () => {
    expect(textOf({}, figures, verdict)).toMatch(/\n\nDisk sda\n\nFull: {3}2 of 5, 1 stale\nEmpty: {2}0\n$/);
  });

  it('has few tiles with names in columns, many as letters, and what the letters mean', () => {
    const few = grid(tile('none'), tile('sda', 0.931), tile('a-long-one', 0.5));
    expect(textOf({ width: 40 }, few)).toContain(`\
a, 2 disks:
? none             . sda 93 %
. a-long-one 50 %
? 1 bad
`);
    expect(textOf({ width: 40 }, manyTiles)).toContain(`\n?${'.'.repeat(39)}\n${'.'.repeat(21)}\n? 1 bad\n`);
  });

  it('has the sentence about a row below it, but for lists', () => {
    const row = { cells: ['a', bytes(1)], note: [{ word: 'stale' }, ' for long'] } as const;
    const [plain, list] = [row, { ...row, name: 'file/a' }].map((each) => textOf({}, { ...table, rows: [each] }));
    expect(plain).toContain('\na       1B\n  stale for long\n');
    expect(list).not.toContain('for long');
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
    [
      'several verdicts, each with a symbol and its commands',
      verdicts,
      /<li class="critical">.*✕<[^]*get nodes<\/code>[^]*<li class="warning">.*!<.*It is hot[^]*class="more"/,
    ],
    ['a link to a part of a page', verdicts, /<a href="\.\.\/faults#all">and 2 more<\/a>/],
    ['a text with lines of its own, folded', code, /<summary[^>]*>Settings<\/summary><pre [^>]*>a:\n {2}b: /],
    [
      'figures, each with its list and its bars',
      figures,
      /<h1 class="visually-hidden">[^]*class="overview"[^]*<div class="critical"><dt><a href="\.\.\/disks\?only=full">Full<\/a>[^]*aria-label="by hour: 0, 1, 4"><rect x="0" y="19" width="3" height="1"\/><rect x="4" y="15" width="3" height="5"\/><rect x="8" y="0" width="3" height="20"\/>/,
    ],
    [
      'tiles with names, fullness and meaning',
      grid(tile('none'), tile('sda', 0.931)),
      /class="tile silent d0" href="\.\.\/disks\/none" title="none: bad"[^]*class="tile critical d9" href="\.\.\/disks\/sda" title="sda: bad, 93 % full"><span class="tile-name">sda<[^]*class="more"><a href="\.\.\/disks">and 7 more/,
    ],
    ['many tiles as letters, named for programs', manyTiles, /<ul class="grid" [^]*aria-label="sd0: bad, 50 % full"/],
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
      /<details[^>]*><summary[^>]*>More<\/summary><p id="[^"]+" class="">More words/,
    ],
    ['a caption where a table is not the first of its section', section, /<h3>Files<\/h3>/],
    ['a word with its meaning', section, /<dfn tabindex="0">nodefs<span class="tip"/],
    ['a bar with its parts, in words too', bar, /aria-label="sda: pods 10Gi, free 30Gi"[^]*<title>logs 4Gi<\/title>/],
    [
      'curves over one time, with their limit and their words',
      curves,
      /<p class="small">(all: 1Gi 3Gi 2Gi in 2m, limit 4Gi)<\/p><svg class="curve"[^>]* aria-label="\1"><text x="100%" y="13.0"[^>]*>limit 4Gi<\/text><svg[^>]*><line class="limit" x2="600" y1="1.0" y2="1.0"\/><line x2="600" y1="71" y2="71"\/><polyline points="0.0,53.5 31.6,18.5 63.2,36.0"\/><\/svg><\/svg><p class="small">flat: no change in 1m: 5Gi<\/p><p[^]*>highest 40Gi<\/text>[^]*<p class="times small muted"><span><time datetime="[^"]*:00.000Z">[^]*<time datetime="[^"]*:19:00.000Z">/,
    ],
    ['a mark where its amount is', bar, /class="mark" x="75%"[^]*<title>limit<\/title>/],
  ])('has %s', (_what, block, expected) => {
    expect(htmlOf(block)).toMatch(expected);
  });

  it('curves of which none is drawn have no axis', () => {
    const flat = { ...curves, curves: [curveOf('flat', 5, 5), curveOf('unknown')] };
    expect(htmlOf(flat)).not.toMatch(/<svg|<time/);
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
      { ...verdicts, title: hostile, verdicts: [{ ...verdict, lines: [hostile, hostile] }], more: cell },
      {
        ...{ is: 'figures', title: hostile },
        figures: [{ name: cell, value: hostile, note: hostile, tone: 'ok', bars: { caption: hostile, counts: [1] } }],
      },
      { ...grid(tile(hostile)), legend: [{ tone: 'ok', letter: hostile, isMissing: false, text: hostile }] } as Block,
      { ...code, caption: hostile, text: hostile },
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
