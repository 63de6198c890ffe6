/** Rules of ESLint about the structure of src and sim as a whole. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** All files of a folder of the project, also in its folders; absolute paths. */
export function sourceFilesIn(folder) {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

const files = ['src', 'sim'].flatMap(sourceFilesIn);
const modules = files.filter((file) => file.endsWith('.ts'));
const textOf = new Map(modules.map((file) => [file, readFileSync(file, 'utf8')]));

/** A file name occurs once among all sources, so that a name alone finds its file. */
export const uniqueFileName = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    Program(node) {
      const isNamesake = (file) => file !== context.filename && path.basename(file) === path.basename(context.filename);
      for (const other of files.filter(isNamesake)) {
        context.report({ node, message: `The file name occurs again: ${path.relative(root, other)}.` });
      }
    },
  }),
};

const typeDeclaration = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

/** By the name of a type: the files of src that declare it. */
const filesOfTypes = new Map();
for (const file of sourceFilesIn('src')) {
  for (const [, name] of (textOf.get(file) ?? '').matchAll(typeDeclaration)) {
    filesOfTypes.set(name, [...(filesOfTypes.get(name) ?? []), file]);
  }
}

/** A type name occurs once in src, exported or not: a name in a message or a review stands for one thing. */
export const uniqueTypeName = {
  meta: { type: 'problem', schema: [] },
  create: (context) => {
    const check = (node) => {
      for (const file of filesOfTypes.get(node.id?.name) ?? []) {
        if (file === context.filename) continue;
        context.report({ node, message: `${node.id.name} is declared in ${path.relative(root, file)} too.` });
      }
    };
    return {
      TSInterfaceDeclaration: check,
      TSTypeAliasDeclaration: check,
      TSEnumDeclaration: check,
      ClassDeclaration: check,
    };
  },
};

const importedPath =
  /^(?:import|export)\b[^;]*?from '(\.[^']+)\.js'|^import '(\.[^']+)\.js'|\bimport\('(\.[^']+)\.js'\)/gm;

/** By file: the modules that it imports, of types alone too. */
const importsOf = new Map(
  modules.map((file) => {
    const names = Array.from(textOf.get(file).matchAll(importedPath), ([, ...paths]) => paths.find(Boolean));
    const imported = names.map((name) => path.resolve(path.dirname(file), `${name}.ts`));
    return [file, imported.filter((each) => textOf.has(each))];
  }),
);

/** The shortest way from a module back to itself; undefined when there is none. */
function circleFrom(start) {
  const cameFrom = new Map();
  const queue = [start];
  for (const file of queue) {
    for (const imported of importsOf.get(file) ?? []) {
      if (imported === start) return wayTo(file, cameFrom);
      if (cameFrom.has(imported)) continue;
      cameFrom.set(imported, file);
      queue.push(imported);
    }
  }
  return undefined;
}

function wayTo(end, cameFrom) {
  const way = [];
  for (let file = end; file !== undefined; file = cameFrom.get(file)) way.unshift(path.relative(root, file));
  return way;
}

/** Modules import each other in no circle, of types neither: to understand one of them would take all of them. */
export const noCircle = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    Program(node) {
      const way = circleFrom(context.filename);
      if (way !== undefined) context.report({ node, message: `Imported in a circle: ${way.join(' → ')}.` });
    },
  }),
};
