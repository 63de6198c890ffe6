import path from 'node:path';

import { build, type BuildOptions, type Metafile } from 'esbuild';

/** Resolves with the modules that are bundled from there on, by their paths from the root of the project; libraries are external. */
export async function bundledInputs(from: Pick<BuildOptions, 'entryPoints' | 'stdin'>): Promise<Metafile['inputs']> {
  const absWorkingDir = path.resolve(import.meta.dirname, '../..');
  const form = { bundle: true, packages: 'external', format: 'esm', platform: 'node', outdir: 'dist' } as const;
  return (await build({ ...from, ...form, absWorkingDir, write: false, metafile: true })).metafile.inputs;
}
