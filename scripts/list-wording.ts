/** Prints wording that the project does not use; arguments name the folders or files to look at. */
import path from 'node:path';
import process from 'node:process';

import { findWording } from './wording.js';

const root = path.resolve(import.meta.dirname, '..');
const wanted = process.argv.slice(2);
const hits = (await findWording(root)).filter(
  ({ file }) => wanted.length === 0 || wanted.some((prefix) => file.startsWith(prefix)),
);
for (const { file, line, found, instead } of hits) {
  process.stdout.write(`${file}:${line}: "${found}" (instead: ${instead})\n`);
}
process.stdout.write(`${hits.length} hits\n`);
process.exitCode = hits.length === 0 ? 0 : 1;
