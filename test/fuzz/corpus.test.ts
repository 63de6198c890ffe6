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
  it.each(corpus[name] ?? [])('foreign input of the corpus breaks nothing: %j', async (text) => {
    await expect(check(text)).resolves.toBeUndefined();
  });

  it('foreign input of any kind breaks nothing', async () => {
    await fc.assert(fc.asyncProperty(input, check), { numRuns: 50 });
  });
});

it.each(['summary', 'pods'])('hostile inputs (%s) reach the exposition in many forms', async (name) => {
  const seen = new Set<string>();
  const checkExposition = (exposition: Buffer): Promise<void> => {
    seen.add(exposition.toString());
    return Promise.resolve();
  };
  const [target] = (await fuzzTargets({ checkExposition })).filter((candidate) => candidate.name === name);
  if (target === undefined) throw new Error(`no target ${name}`);
  for (const input of fc.sample(target.input, { numRuns: 100, seed: 1 })) await target.check(input);
  expect(seen.size).toBeGreaterThan(20);
});
