/** The licences of the libraries in a bundle, which their authors want to accompany it. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Joins the texts of packages as `bundledPackages` returns them. */
export async function licenceTexts(libraries) {
  const texts = await Promise.all(libraries.map(licenceText));
  return `${texts.join('\n\n')}\n`;
}

async function licenceText({ folder, name, version, license }) {
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)(\.|-|$)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return [`## ${name} ${version}: ${license}`, ...texts.map((text) => text.trim())].join('\n\n');
}
