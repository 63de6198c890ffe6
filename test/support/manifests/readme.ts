import { readFileSync } from 'node:fs';
import path from 'node:path';

import { manifestsFolder } from './documents.js';

/** The blocks of code in a section of a page, by default the README of the manifests, without their indentation. */
export function readmeBlocks(section: string, language: string, page = 'manifests/README.md'): readonly string[] {
  const readme = readFileSync(path.join(manifestsFolder, '..', page), 'utf8');
  const [, text = ''] = readme.split(new RegExp(`^#{2,4} ${section}$`, 'm'));
  const blocks =
    text.split(/^#{2,4} /m)[0]?.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, 'gm')) ?? [];
  return Array.from(blocks, ([, indent = '', block = '']) =>
    block
      .replaceAll(new RegExp(`^${indent}`, 'gm'), '')
      .replaceAll('../ephemeral-storage-exporter/manifests', 'MANIFESTS'),
  );
}
