import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Beside this file in src, and beside the bundle in dist. */
export const style = readFileSync(new URL('./page.css', import.meta.url), 'utf8');

/** A module: it has its own scope and runs after the page was parsed. */
export const script = readFileSync(new URL('./page.js', import.meta.url), 'utf8');

/** Read where it is asked for: most exporters are asked for it never. */
export async function readOpenApi(): Promise<Buffer> {
  return readFile(new URL('./openapi.json', import.meta.url));
}
