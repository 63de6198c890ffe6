/** Finds wording that the project does not use, in everything that people read. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import ts from 'typescript';

export interface WordingHit {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

interface Text {
  readonly text: string;
  readonly line: number;
}

interface Pattern {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Never, not even in comments. */
const everywhere: readonly Pattern[] = [
  { pattern: /\bwhoever\b/i, instead: 'anyone who, or name the program' },
  { pattern: /\blest\b/i, instead: 'so that … not' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: 'fix, hint' },
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\ball the same\b/i, instead: 'still, anyway' },
  { pattern: /\bany more\b/i, instead: 'no longer' },
  { pattern: /\b(?:held|holds?|hold it|hold them) against\b/i, instead: 'counts towards' },
  { pattern: /\b(?:gone|goes|go|went|stays?) dark\b/i, instead: 'absent' },
  { pattern: /\bat rest\b/i, instead: 'backing off' },
  { pattern: /\b(?:gives?|gave) no\b/i, instead: 'failed to …, has no' },
  { pattern: /\b(?:tells?|told|telling) (?:who|what|how|every|where|which|why|whether|apart)\b/i, instead: 'shows' },
  { pattern: /\bis no (?:scrape|summary|answer|drop|figure|identity|workload|pod|node)\b/i, instead: 'is not a' },
  { pattern: /\bsays? of\b/i, instead: 'reports' },
  {
    pattern: /\b(?<!content-encoding: |--certificate-)identit(?:y|ies)\b(?! of| encoding|\.\w|[:=)])/i,
    instead: 'workload',
  },
];

/** Not in what users read. */
const userFacing: readonly Pattern[] = [
  ...everywhere,
  { pattern: /(?<!filesystems?|process group) of (?:its|their) own\b/i, instead: 'own, separate, or nothing' },
  { pattern: /\bfigures?\b/i, instead: 'value, usage' },
  { pattern: /\b(?:tells?|told|telling|hears?|heard|heeds?|says?|said)\b/i, instead: 'shows, reports, logs' },
  { pattern: /\b(?:given up|gives up)\b/i, instead: 'aborted, times out' },
  { pattern: /\bgives? (?:summaries|its)\b/i, instead: 'returns, serves, sets' },
  { pattern: /\b(?:ask|asks|asked|asking)\b(?! (?:for )?(?:less|fewer))/i, instead: 'scrape, request' },
  { pattern: /\btakes? no (?:family|answers?)\b/i, instead: 'matches no, rejects' },
  { pattern: /\bonce more\b/i, instead: 'again' },
];

/** All hits in the files of the project under `root`, by file and line. */
export async function findWording(root: string): Promise<readonly WordingHit[]> {
  const hits: WordingHit[] = [];
  for (const file of await filesOf(root)) {
    hits.push(...hitsInText(file, await readFile(path.join(root, file), 'utf8')));
  }
  return hits;
}

/** All hits in the text of one file; its path decides which patterns apply. */
export function hitsInText(file: string, text: string): readonly WordingHit[] {
  return textsOf(file, text).flatMap(([patterns, texts]) => hitsIn(file, texts, patterns));
}

const folders = ['src', 'sim', 'test', 'grafana', 'mixin', 'scripts', 'docs', 'manifests', 'charts', '.github', '.ci'];
const skipped =
  /^(?:scripts\/wording|test\/docs\/wording|test\/golden\/|grafana\/dashboards\/|charts\/[\w-]+\/files\/)/;

async function filesOf(root: string): Promise<readonly string[]> {
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
    }),
  );
  const ownFiles = (await readdir(root)).filter((file) => file.endsWith('.md') || file === 'package.json');
  const all = [...lists.flat(), ...ownFiles].filter((file) => /\.(?:[jt]s|mjs|css|md|ya?ml|json|tpl)$/.test(file));
  return all.filter((file) => !skipped.test(file)).sort();
}

function textsOf(file: string, text: string): readonly (readonly [readonly Pattern[], readonly Text[]])[] {
  if (!/\.(?:[jt]s|mjs)$/.test(file)) return [[userFacing, linesOf(text)]];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const isForUsers = /^(?:src|sim|grafana)\//.test(file);
  return [
    [isForUsers ? userFacing : everywhere, stringsOf(source)],
    [everywhere, commentsOf(source)],
  ];
}

function linesOf(text: string): readonly Text[] {
  return text.split('\n').map((line, index) => ({ text: line, line: index + 1 }));
}

/** Strings that hold more than a name: literals and templates with a blank in them. */
function stringsOf(source: ts.SourceFile): readonly Text[] {
  const texts: Text[] = [];
  const visit = (node: ts.Node): void => {
    const text = stringOf(node);
    if (text?.includes(' ') === true) texts.push({ text, line: lineAt(source, node.getStart(source)) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function stringOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('…');
}

/** Found in the text without its literals, which may hold what looks like a comment. */
function commentsOf(source: ts.SourceFile): readonly Text[] {
  const comments = withoutLiterals(source).matchAll(/\/\*[^]*?\*\/|\/\/.*/g);
  return Array.from(comments, ({ 0: text, index }) => ({ text, line: lineAt(source, index) }));
}

function withoutLiterals(source: ts.SourceFile): string {
  const parts: string[] = [];
  let position = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isLiteralExpression(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isTemplateHead(node)) {
      const start = node.getStart(source);
      parts.push(source.text.slice(position, start), ' '.repeat(node.end - start));
      position = node.end;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...parts, source.text.slice(position)].join('');
}

function lineAt(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}

function hitsIn(file: string, texts: readonly Text[], patterns: readonly Pattern[]): readonly WordingHit[] {
  return texts.flatMap(({ text, line }) =>
    patterns.flatMap(({ pattern, instead }) => {
      const match = pattern.exec(text);
      return match === null ? [] : [{ file, line, found: aroundMatch(text, match), instead }];
    }),
  );
}

function aroundMatch(text: string, match: RegExpExecArray): string {
  const start = Math.max(0, match.index - 30);
  return text.slice(start, match.index + match[0].length + 30).replaceAll(/\s+/g, ' ');
}
