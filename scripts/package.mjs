/**
 * Packs the tarball that is published, from what `npm run build` has made; arguments are those of `npm pack`. The bundle contains all
 * libraries, so its package.json names no dependencies, and an installation brings no other package.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** What only a checkout needs. */
const ofTheCheckout = ['private', 'scripts', 'dependencies', 'devDependencies', 'overrides'];

const folder = mkdtempSync(path.join(tmpdir(), 'ephemeral-storage-exporter-package-'));
try {
  for (const name of ['README.md', 'LICENSE', 'dist']) cpSync(name, path.join(folder, name), { recursive: true });
  const manifest = Object.entries(JSON.parse(readFileSync('package.json', 'utf8')));
  const published = Object.fromEntries(manifest.filter(([field]) => !ofTheCheckout.includes(field)));
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  execFileSync('npm', ['pack', folder, ...process.argv.slice(2)], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
