import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The files whose code is in a bundle, as its source maps name them. */
export async function bundledSources(folder: string): Promise<readonly string[]> {
  const maps = (await readdir(folder)).filter((file) => file.endsWith('.map'));
  const texts = await Promise.all(maps.map((map) => readFile(path.join(folder, map), 'utf8')));
  return texts.flatMap((text) => (JSON.parse(text) as { readonly sources: readonly string[] }).sources);
}

/** The packages of the libraries in a bundle, such as `express@5.0.0`, sorted. */
export async function bundledLibraries(folder: string): Promise<readonly string[]> {
  const folders = (await bundledSources(folder)).flatMap(
    (source) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(source) ?? [],
  );
  const names = [...new Set(folders)].map(async (library) => {
    const { name, version } = JSON.parse(await readFile(path.join(library, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly version: string;
    };
    return `${name}@${version}`;
  });
  return [...new Set(await Promise.all(names))].sort();
}
