/**
 * Bundles the program into dist/: few files load much faster than hundreds. The libraries of the exporter
 * stay in node_modules, those of the simulated cluster go into its bundle. `--production` leaves the simulated cluster out.
 */
import { copyFile, readFile, rm } from 'node:fs/promises';
import process from 'node:process';

import { build } from 'esbuild';

const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const isProduction = process.argv.includes('--production');

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: ['src/cli.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: [...Object.keys(dependencies), ...(isProduction ? ['*/sim/*'] : [])],
  sourcemap: true,
  legalComments: 'external',
});

// Read at run time, from the folder of the module that reads them.
for (const file of ['page.css', 'page.js']) await copyFile(`src/status/${file}`, `dist/${file}`);
