import path from 'node:path';

import { expect, it } from 'vitest';

import { runArguments } from '../../src/commands/command-line.js';
import { aCommandContext } from '../support/command-context.js';
import { readProjectFile } from '../support/install-lines.js';

const root = path.join(import.meta.dirname, '../..');

const lines = Array.from(
  readProjectFile('docs/operate.md').matchAll(/^node dist\/cli\.js (.*example-recording.*)$/gm),
  ([, line = '']) => line,
);

it('the page of recordings has lines to try', () => {
  expect(lines).toHaveLength(2);
});

it.each(lines)('%s prints the recording, without a cluster', async (line) => {
  const { context, out } = aCommandContext();
  const args = line.replaceAll('docs/example-recording', path.join(root, 'docs/example-recording')).split(' ');
  expect(await runArguments(args, context)).toBe(0);
  expect(out()).toMatch(/node-2|index-0|report-/);
});
