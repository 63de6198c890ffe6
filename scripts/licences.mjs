/** The licences of the libraries in a bundle, which their authors want to accompany it. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The folders of the packages that these files belong to, in the order of their names. */
export function bundledPackages(files) {
  const folders = files.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Throws for a package that names no licence. */
export async function licenceTexts(folders) {
  const texts = await Promise.all(folders.map(licenceText));
  return `${texts.join('\n\n')}\n`;
}

async function licenceText(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${folder}/package.json names no licence`);
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)(\.|-|$)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return [`## ${name} ${version}: ${license}`, ...texts.map((text) => text.trim())].join('\n\n');
}
