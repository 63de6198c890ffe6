import { expect } from 'vitest';

import { readmeBlocks } from '../../support/manifests/readme.js';

/** The arguments of the command in the README of the manifests, for objects from stdin. */
export function pruneArguments(): readonly string[] {
  const [command = ''] = readmeBlocks('Removal', 'sh');
  const [kubectl, apply, ...args] = command.replaceAll('\\\n', ' ').trim().split(/\s+/);
  expect([kubectl, apply, ...args.splice(0, 2)]).toEqual(['kubectl', 'apply', '-k', 'manifests/overlays/deployment']);
  return ['apply', '-f', '-', ...args];
}
