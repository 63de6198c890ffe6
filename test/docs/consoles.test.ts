import path from 'node:path';

import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { runArguments } from '../../src/commands/command-line.js';
import { aCommandContext } from '../support/command-context.js';
import { readProjectFile } from '../support/install-lines.js';

interface K9sPlugin {
  readonly scopes: readonly string[];
  readonly shortCut: string;
  readonly command: string;
  readonly args: readonly [flag: string, script: string];
}

const { plugins } = parse(readProjectFile('docs/k9s-plugins.yaml')) as { plugins: Readonly<Record<string, K9sPlugin>> };
const recording = path.join(import.meta.dirname, '../../docs/example-recording');

it.each([
  { scope: 'pods', chosen: { NAMESPACE: 'search', NAME: 'index-0' } },
  { scope: 'nodes', chosen: { NAMESPACE: '-', NAME: 'node-2' } },
])('the plugin of k9s for $scope explains the chosen one', async ({ scope, chosen }) => {
  const found = Object.values(plugins).filter(({ scopes }) => scopes.includes(scope));
  expect(found).toMatchObject([{ command: 'sh', shortCut: 'Shift-E', args: ['-c', expect.any(String)] }]);
  const [, line = ''] = /^kubectl ephemeral-storage (.*) 2>&1 \| less -K$/.exec(found[0]?.args[1] ?? '') ?? [];
  const args = line.replace('$NAMESPACE', chosen.NAMESPACE).replace('$NAME', chosen.NAME).split(' ');
  // A recording has no context.
  expect(args.splice(-2)).toEqual(['--context', '"$CONTEXT"']);
  const { context, out } = aCommandContext();
  const read = ['--summaries', path.join(recording, 'summaries'), '--objects', path.join(recording, 'objects')];
  expect(await runArguments([...args, ...read], context)).toBe(0);
  expect(out()).toContain(chosen.NAME);
});
