/**
 * Bundles the program into dist/, or into the folder of `--outdir`: few files load much faster than hundreds. The
 * libraries of the exporter stay in node_modules, those of the simulated cluster become part of the bundle.
 * `--production` leaves out the simulated cluster and its libraries.
 */
import { copyFile, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { build } from 'esbuild';

const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const { values: flags } = parseArgs({
  args: process.argv.slice(2),
  options: { production: { type: 'boolean', default: false }, outdir: { type: 'string', default: 'dist' } },
});

await rm(flags.outdir, { recursive: true, force: true });
await build({
  entryPoints: ['src/cli.ts'],
  outdir: flags.outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: [...Object.keys(dependencies), ...(flags.production ? ['../../sim/*'] : [])],
  sourcemap: true,
  legalComments: 'external',
});

// Read at run time, from the folder of the module that reads them.
for (const file of ['status/page.css', 'status/page.js', 'access/bcrypt-worker.js']) {
  await copyFile(`src/${file}`, path.join(flags.outdir, path.basename(file)));
}
