import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { changeKinds } from './changes.js';
import { Draws } from './draws.js';
import { history, historyParts, live, scrapeKinds } from './histories.js';
import { choices, sectionNames } from './settings-choices.js';

const roundCount = Number(process.env['DIFFERENTIAL_ROUNDS'] ?? 300);
const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Of each kind, in 20,000 rounds; in fewer rounds, each at least once. */
const leastDraws = Math.max(1, Math.floor(roundCount / 200));

const expectedDraws = [
  ...changeKinds.map((kind) => `change: ${kind}`),
  ...[...scrapeKinds, 'as one that has just started'].map((kind) => `scrape: ${kind}`),
  ...sectionNames.map((section) => `reload: ${section}`),
  ...sectionNames.flatMap((section) => Object.keys(choices[section]).map((name) => `setting: ${section}: ${name}`)),
];

describe('a core that has lived through any history', () => {
  it('serves what one serves that is made anew, byte for byte', { timeout: 60_000 + roundCount * 2_000 }, async () => {
    const [draws, parts] = [new Draws(), historyParts()];
    process.stdout.write(`differential: ${roundCount} rounds, DIFFERENTIAL_SEED=${seed}\n`);
    await fc.assert(
      fc.asyncProperty(history, (drawn) => live(drawn, draws, parts)),
      { numRuns: roundCount, seed },
    );
    process.stdout.write(`${draws.lines.join('\n')}\n`);
    expect(expectedDraws.filter((key) => draws.countOf(key) < leastDraws)).toEqual([]);
  });
});
