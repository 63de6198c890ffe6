import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { allScenarios, inapplicable } from './scenarios.js';

const testFolder = join(import.meta.dirname, '../..');

/** Names of tests, or of their cases, begin with the numbers of what they test: `S10, S17: follows the pages`. */
const namePattern = /['`](?<numbers>(?:[A-Z]\d+, )*[A-Z]\d+)(?:['`],|: )/g;

function scenariosIn(text: string): readonly number[] {
  return [...text.matchAll(namePattern)].flatMap(({ groups }) =>
    [...(groups?.['numbers'] ?? '').matchAll(/S(\d+)/g)].map(([, number]) => Number(number)),
  );
}

const tested = new Set(
  readdirSync(testFolder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => scenariosIn(readFileSync(join(testFolder, file), 'utf8'))),
);
const listed = inapplicable.flatMap(({ scenarios }) => scenarios);

it('each fault scenario has a test, or a reason why not', () => {
  const covered = new Set([...tested, ...listed]);
  expect(allScenarios.filter((scenario) => !covered.has(scenario))).toEqual([]);
});

it('a fault scenario is listed as not tested once, and only while no test has its number', () => {
  const wrong = listed.filter((scenario, index) => tested.has(scenario) || listed.indexOf(scenario) !== index);
  expect(wrong, 'to be removed from scenarios.ts').toEqual([]);
});

it('tests name only fault scenarios that exist', () => {
  expect([...tested].filter((scenario) => !allScenarios.includes(scenario))).toEqual([]);
});
