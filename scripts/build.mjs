/**
 * Bundles the program and its libraries into dist/, or into the folder of `--outdir`: modules are opened all at once, which
 * takes hundreds of file descriptors, and few files load faster. Only the worker for passwords loads its library from
 * node_modules. `--production` leaves out the simulated cluster and its libraries.
 */
import { copyFile, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { build } from 'esbuild';

const { values: flags } = parseArgs({
  args: process.argv.slice(2),
  options: { production: { type: 'boolean', default: false }, outdir: { type: 'string', default: 'dist' } },
});

/**
 * Half a megabyte of tables for the encodings of request bodies, of which the exporter reads none: they stay in node_modules, where
 * they would be loaded from.
 */
const encodingTables = {
  name: 'encoding-tables',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/tables\/.*\.json$/ }, ({ path: table, importer }) =>
      importer.includes('iconv-lite') ? { path: `iconv-lite/encodings/${table.slice(2)}`, external: true } : undefined,
    );
  },
};

await rm(flags.outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ['src/cli.ts'],
  outdir: flags.outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: flags.production ? ['../../sim/*'] : [],
  // For libraries that are CommonJS modules.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  minifyWhitespace: true,
  sourcemap: true,
  metafile: true,
  plugins: [encodingTables],
  legalComments: 'external',
});

// V8 keeps the source of a module, with two bytes for each character if any is not of Latin-1, twice as much.
for (const file of Object.keys(metafile.outputs).filter((name) => name.endsWith('.js'))) {
  const [found] = /[^\0-\u00ff]/.exec(await readFile(file, 'utf8')) ?? [];
  if (found !== undefined)
    throw new Error(`${file} has a ${found}: write \\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// Read at run time, from the folder of the module that reads them.
for (const file of ['status/page.css', 'status/page.js', 'access/bcrypt-worker.js']) {
  await copyFile(`src/${file}`, path.join(flags.outdir, path.basename(file)));
}
