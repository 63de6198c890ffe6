import { readFileSync } from 'node:fs';

/** Beside this file in src, and beside the bundle in dist. */
export const style = readFileSync(new URL('./page.css', import.meta.url), 'utf8');

/** A module: it has its own scope and runs after the page was parsed. */
export const script = readFileSync(new URL('./page.js', import.meta.url), 'utf8');
