import fc from 'fast-check';
import { expect, it } from 'vitest';

import { changeKinds } from './changes.js';
import { Draws } from './draws.js';
import { type History, history, historyParts, live, scrapeKinds } from './histories.js';
import { roundCount, seed, timeoutMs } from './rounds.js';
import { choices, sectionNames } from './settings-choices.js';

const quiet = { x: 0, y: 0, z: 0, changes: [], meanwhile: [], pauseMs: 1_000 } as const;

const expectedDraws = [
  ...changeKinds.map((kind) => `change: ${kind}`),
  ...[...scrapeKinds, 'as one that has just started'].map((kind) => `scrape: ${kind}`),
  ...sectionNames.map((section) => `reload: ${section}`),
  ...sectionNames.flatMap((section) => Object.keys(choices[section]).map((name) => `setting: ${section}: ${name}`)),
];

/** The cap on series left out other families of the first response than of later ones: a node without pods was not counted. */
const firstAboveCap: History = {
  isLasting: false,
  settings: [0, 0, 0, 615, 0, 0, 0, 6, 0, 0, 0],
  nodeCount: 2,
  pods: [{ x: 0, y: 0, z: 0 }],
  steps: [
    { ...quiet, scrape: 'after the status page', reload: 'cluster' },
    { ...quiet, scrape: 'plain', reload: undefined },
  ],
};

it('a core with any history serves what a new one serves, byte for byte', { timeout: timeoutMs }, async () => {
  const [draws, parts] = [new Draws(), historyParts()];
  process.stdout.write(`differential: ${roundCount} rounds, SEED=${seed}\n`);
  await fc.assert(
    fc.asyncProperty(history, (drawn) => live(drawn, draws, parts)),
    { numRuns: roundCount, seed, examples: [[firstAboveCap]] },
  );
  process.stdout.write(`${draws.lines.join('\n')}\n`);
  expect(draws.rare(expectedDraws)).toEqual([]);
});
