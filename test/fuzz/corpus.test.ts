import { readFile } from 'node:fs/promises';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fuzzTargets } from '../support/fuzz/targets.js';

const corpus = JSON.parse(await readFile(new URL('corpus.json', import.meta.url), 'utf8')) as Record<
  string,
  readonly string[]
>;
const targets = await fuzzTargets();

it('the corpus has inputs for every reader of foreign input', () => {
  expect(Object.keys(corpus).sort()).toEqual(targets.map(({ name }) => name).sort());
});

describe.each(targets)('foreign input: $name', ({ name, input, check }) => {
  it.each(corpus[name] ?? [])('of the corpus breaks nothing: %j', async (text) => {
    await expect(check(text)).resolves.toBeUndefined();
  });

  it('of any kind breaks nothing', async () => {
    await fc.assert(fc.asyncProperty(input, check), { numRuns: 50 });
  });
});
