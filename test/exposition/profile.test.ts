import { expect, it } from 'vitest';

import { type Profile, profiles } from '../../src/metrics/exposition/family.js';
import { isInProfile } from '../../src/metrics/exposition/selection.js';
import { costOfPods } from '../support/profile-cost.js';

it.each<[Profile, readonly Profile[]]>([
  ['minimal', ['minimal']],
  ['standard', ['minimal', 'standard']],
  ['full', ['minimal', 'standard', 'full']],
])('the profile %s includes %j', (selected, expected) => {
  expect(profiles.filter((profile) => isInProfile(profile, selected))).toEqual(expected);
});

it.each<[Profile, number]>([
  ['minimal', 5],
  ['standard', 16],
  ['full', 37],
])('a pod of two containers and three volumes has at %s %i series', async (profile, expected) => {
  expect((await costOfPods(1, profile)).seriesCount).toBe(expected);
});

it('300 pods of two containers and three volumes take at standard less than 1.6 MiB', async () => {
  expect((await costOfPods(300, 'standard')).sizeBytes).toBeLessThan(1.6 * 2 ** 20);
});
