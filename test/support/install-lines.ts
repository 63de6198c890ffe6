/** What the README's section about the installation says, and what it is derived from. */
import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

export const readProjectFile = (name: string): string => readFileSync(new URL(name, root), 'utf8');

interface PackageFacts {
  readonly version: string;
  readonly owner: string;
  /** Of the repository, the image and the chart. */
  readonly name: string;
}

export function packageFacts(): PackageFacts {
  const { version, repository } = JSON.parse(readProjectFile('package.json')) as {
    readonly version: string;
    readonly repository: string;
  };
  const [, owner = '', name = ''] = /^github:([\w-]+)\/([\w-]+)$/.exec(repository) ?? [];
  return { version, owner, name };
}

/** The lines of the first block of commands. */
export function installLines(): readonly string[] {
  const [, section = ''] = readProjectFile('README.md').split(/^## Install$/m);
  const [, block = ''] = /```sh\n([^]*?)\n```/.exec(section) ?? [];
  return block.split('\n');
}
