import { readFile } from 'node:fs/promises';

import { expect, it } from 'vitest';

import { renderReadme } from '../../scripts/readme.js';

it('holds the tables that the code generates', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme).toBe(await renderReadme(readme));
});
