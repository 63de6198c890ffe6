// What the house may have at most: `npm run lint` fails above it, and prints what there is. Who raises a budget says in the
// commit what was taken away for it; who deletes lowers it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

import ts from 'typescript';

const budgets = {
  'src: files': 387,
  'src: lines': 47_465,
  'src: types': 808,
  'reach of terminal: files': 19,
  'reach of terminal: lines': 1888,
  'reach of terminal: types': 49,
  'reach of page: files': 146,
  'reach of page: lines': 18_321,
  'reach of page: types': 380,
  'reach of collector, exposition: files': 91,
  'reach of collector, exposition: lines': 11_027,
  'reach of collector, exposition: types': 264,
  'names through commands > people': 11,
  'names through people > facts': 105,
  'names through commands > cluster': 4,
  settings: 45,
  'words of docs': 22_924,
  'lines of tests': 70_022,
};

/** A change of one thing, with the files that somebody begins at: they meet all that these import. */
const tasks = {
  terminal: ['explain-command.ts', 'top-command.ts'],
  page: ['page.ts'],
  'collector, exposition': ['collector.ts', 'exposition.ts'],
};

/** Names that the first folder takes of the second. */
const doors = ['commands > people', 'people > facts', 'commands > cluster'];

const root = path.resolve(import.meta.dirname, '../..');

const filesIn = (folder, pattern) =>
  readdirSync(path.join(root, folder), { recursive: true })
    .filter((name) => pattern.test(name))
    .map((name) => path.join(folder, name));
const textOf = (file) => readFileSync(path.join(root, file), 'utf8');
const linesOf = (file) => textOf(file).split('\n').length - 1;
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Lines, names of types, and imports of other files of `src`, each with the names that it takes. */
function factsOf(file) {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true);
  const facts = { lines: linesOf(file), types: 0, imports: [] };
  const take = (specifier, names) => {
    if (!specifier.startsWith('.')) return;
    facts.imports.push({ to: path.join(path.dirname(file), specifier).replace(/\.js$/, '.ts'), names });
  };
  const visit = (node) => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node))
      facts.types += 1;
    if (ts.isImportDeclaration(node)) {
      const { elements = [] } = node.importClause?.namedBindings ?? {};
      take(
        node.moduleSpecifier.text,
        elements.map(({ propertyName, name }) => (propertyName ?? name).text),
      );
    }
    if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) take(node.moduleSpecifier.text, []);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      take(node.arguments[0].text, []);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return facts;
}

const sources = new Map(filesIn('src', /\.[jt]s$/).map((file) => [file, factsOf(file)]));

function reachOf(names) {
  const reached = new Set();
  const open = [...sources.keys()].filter((file) => names.includes(path.basename(file)));
  if (open.length < names.length) throw new Error(`a file of ${names.join(', ')} is missing: adapt the tasks`);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file) || !sources.has(file)) continue;
    reached.add(file);
    open.push(...sources.get(file).imports.map(({ to }) => to));
  }
  return reached;
}

const shapeOf = (files) => ({
  files: files.length,
  lines: sum(files.map((file) => sources.get(file).lines)),
  types: sum(files.map((file) => sources.get(file).types)),
});

/** Returns the first folder below `src`. */
function wingOf(file) {
  const [, wing, below] = file.split(path.sep);
  return below === undefined ? undefined : wing;
}

function namesThrough(door) {
  const [from, to] = door.split(' > ');
  const taken = [...sources]
    .filter(([file]) => wingOf(file) === from)
    .flatMap(([, { imports }]) => imports.filter((one) => wingOf(one.to) === to).flatMap(({ names }) => names));
  return new Set(taken).size;
}

const labelled = (label, shape) => Object.entries(shape).map(([unit, count]) => [`${label}: ${unit}`, count]);

const pages = ['.', 'charts/ephemeral-storage-exporter', 'manifests', 'grafana', 'mixin']
  .map((folder) => path.join(folder, 'README.md'))
  .concat(filesIn('docs', /\.md$/));

const measured = [
  ...labelled('src', shapeOf([...sources.keys()])),
  ...Object.entries(tasks).flatMap(([task, names]) => labelled(`reach of ${task}`, shapeOf([...reachOf(names)]))),
  ...doors.map((door) => [`names through ${door}`, namesThrough(door)]),
  ['settings', [...textOf('docs/settings.md').matchAll(/^ *[a-z]\w*: \S/gim)].length],
  ['words of docs', sum(pages.map((file) => textOf(file).split(/\s+/).length))],
  ['lines of tests', sum(filesIn('test', /\.ts$/).map(linesOf))],
];

const isAbove = ([what, count]) => count > (budgets[what] ?? 0);
for (const [what, count] of measured) {
  const row = `${what.padEnd(32)} ${String(count).padStart(7)} of ${String(budgets[what] ?? 0).padStart(7)}`;
  process.stdout.write(`${row}${isAbove([what, count]) ? '  above its budget' : ''}\n`);
}
if (measured.some(isAbove)) process.exitCode = 1;
