import { readFileSync } from 'node:fs';

/** The version in package.json. */
export function readVersion(): string {
  return fromManifest('version');
}

/** The address of the project and its documentation. */
export function readHomepage(): string {
  return fromManifest('homepage');
}

/** package.json lies one folder above this file, in the sources as in the bundle. */
function fromManifest(field: 'version' | 'homepage'): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const value = new Map(Object.entries(manifest ?? {})).get(field) as unknown;
  if (typeof value === 'string') return value;
  throw new Error(`package.json has no ${field}`);
}
