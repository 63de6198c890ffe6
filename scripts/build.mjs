/**
 * Bundles the program and its libraries into dist/, or into the folder of `--outdir`: modules are opened all at once, which
 * takes hundreds of file descriptors, and few files load faster. Nothing is loaded from node_modules. `--production` leaves out
 * the simulated cluster and its libraries.
 */
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { build } from 'esbuild';

import { bundledPackages } from './bundled-packages.mjs';
import { licenceTexts } from './licences.mjs';
import { cycloneDx } from './sbom.mjs';

const { values: flags } = parseArgs({
  args: process.argv.slice(2),
  options: { production: { type: 'boolean', default: false }, outdir: { type: 'string', default: 'dist' } },
});

/** What Express is told by name, of the 2,500 media types of mime-db. */
const mediaTypes = {
  'application/json': { charset: 'UTF-8', extensions: ['json'] },
  'text/html': { extensions: ['html'] },
};

/** What the modules that are left out export. */
const leftOutExports = {
  'mime-db': JSON.stringify(mediaTypes),
  // node-fetch, of which nothing is called, reads two classes of it. Its tables are 3 MB.
  'whatwg-url': '{ URL, URLSearchParams }',
};

/**
 * What libraries load and the exporter does not use: Express' parsers of request bodies and of nested queries with 0.7 MB of
 * tables, its other media types (0.9 MB), and what prom-client reads traces with. `debug`, which libraries write with, loads
 * supports-color where it is installed: here for development tools only.
 */
const leftOut = {
  name: 'left-out',
  setup: ({ onResolve, onLoad }) => {
    onResolve(
      { filter: /^(body-parser|supports-color|qs|@opentelemetry\/api|mime-db|whatwg-url)$/ },
      ({ path: module }) => ({
        path: module,
        namespace: 'left-out',
      }),
    );
    onLoad({ filter: /^/, namespace: 'left-out' }, ({ path: module }) => ({
      contents: `module.exports = ${leftOutExports[module] ?? '{}'};`,
    }));
  },
};

/**
 * An import of a built-in module reads all that it exports, also what it would load at first use: with Node.js 26, 17 MB for
 * `node:http`, whose WebSocket is that of undici. `require` reads nothing.
 */
const builtInModules = {
  name: 'built-in-modules',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^/ }, ({ path: module, kind }) =>
      kind !== 'require-call' && isBuiltin(module) ? { path: module, namespace: 'built-in' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'built-in' }, ({ path: module }) => ({
      contents: `module.exports = require('${module}');`,
    }));
  },
};

await rm(flags.outdir, { recursive: true, force: true });
const { metafile } = await build({
  // A thread starts with a file of its own.
  entryPoints: { cli: 'src/cli.ts', 'bcrypt-worker': 'src/serve/access/bcrypt-worker.js' },
  outdir: flags.outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: flags.production ? ['../../sim/*'] : [],
  // For libraries that are CommonJS modules.
  banner: {
    js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);",
  },
  minifyWhitespace: true,
  sourcemap: true,
  metafile: true,
  plugins: [builtInModules, leftOut],
  legalComments: 'none', // the licences have a file of their own
});

// V8 keeps the source of a module, with two bytes for each character if any is not of Latin-1, twice as much.
for (const file of Object.keys(metafile.outputs).filter((name) => name.endsWith('.js'))) {
  const [found] = /[^\0-\u00ff]/.exec(await readFile(file, 'utf8')) ?? [];
  if (found !== undefined)
    throw new Error(`${file} has a ${found}: write \\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// Read at run time, from the folder of the module that reads them.
const files = ['people/status/page.css', 'people/status/page.js'];
const scripts = ['walk-container.sh', 'walk-node.sh'].map((script) => `commands/explain/directories/${script}`);
for (const file of [...files, ...scripts]) {
  await copyFile(`src/${file}`, path.join(flags.outdir, path.basename(file)));
}

const openApi = JSON.parse(await readFile('src/people/status/openapi.json', 'utf8'));
await writeFile(path.join(flags.outdir, 'openapi.json'), JSON.stringify(openApi));

const [program, ...libraries] = await bundledPackages(metafile);
await writeFile(path.join(flags.outdir, 'THIRD-PARTY-LICENCES.txt'), await licenceTexts(libraries));
await writeFile(
  path.join(flags.outdir, 'sbom.cdx.json'),
  `${JSON.stringify(cycloneDx(program, libraries), null, 2)}\n`,
);
