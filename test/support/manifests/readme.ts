import { readFileSync } from 'node:fs';
import path from 'node:path';

import { manifestsFolder } from './documents.js';

/** The blocks of code in a section of the README of the manifests, without their indentation. */
export function readmeBlocks(section: string, language: string): readonly string[] {
  const readme = readFileSync(path.join(manifestsFolder, 'README.md'), 'utf8');
  const [, text = ''] = readme.split(new RegExp(`^## ${section}$`, 'm'));
  const blocks = text.split(/^## /m)[0]?.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, 'gm')) ?? [];
  return Array.from(blocks, ([, indent = '', block = '']) =>
    block
      .replaceAll(new RegExp(`^${indent}`, 'gm'), '')
      .replaceAll('../ephemeral-storage-exporter/manifests', 'MANIFESTS'),
  );
}
