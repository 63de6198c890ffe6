/** Prints the section of CHANGELOG.md for a version, such as 0.1.0. Throws when there is none. https://keepachangelog.com/en/1.1.0/ */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

/** The section of the version, without its heading. */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  const notes = section
    ?.slice(section.indexOf('\n'))
    .replace(/^\[[^\]]+\]: .*$/gm, '')
    .trim();
  if (notes === undefined || notes === '') throw new Error(`CHANGELOG.md has no section for ${version}`);
  return notes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [version = ''] = process.argv.slice(2);
  const changelog = await readFile(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
  process.stdout.write(`${releaseNotes(changelog, version)}\n`);
}
