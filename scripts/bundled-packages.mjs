/** The packages whose code is in a bundle. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Finds the folders of the packages that have bytes in the bundle, with the folders of those among them that they import, in order.
 * The folder of the project is ''.
 */
export function bundledFolders({ inputs, outputs }) {
  const bundled = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  const folders = [...new Set(bundled.map(folderOf))].sort();
  const dependsOn = (folder) => {
    const files = Object.keys(inputs).filter((file) => folderOf(file) === folder);
    const imported = new Set(files.flatMap((file) => inputs[file].imports.map((found) => folderOf(found.path))));
    return folders.filter((other) => other !== '' && other !== folder && imported.has(other));
  };
  return new Map(folders.map((folder) => [folder, dependsOn(folder)]));
}

const folderOf = (file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? '';

/**
 * Reads what package.json and the lock file have about the packages with bytes in the bundle, in the order of their folders.
 * Throws for a package that names no licence.
 */
export async function bundledPackages(metafile) {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));
  return Promise.all(
    Array.from(bundledFolders(metafile), async ([folder, dependsOn]) => {
      const manifest = path.join(folder, 'package.json');
      const { name, version, license } = JSON.parse(await readFile(manifest, 'utf8'));
      if (typeof license !== 'string') throw new Error(`${manifest} names no licence`);
      return { folder, name, version, license, integrity: packages[folder]?.integrity, dependsOn };
    }),
  );
}
