import { expect, it } from 'vitest';

import { type Level, type Profile, profiles } from '../../src/metrics/exposition/family.js';
import {
  allowedBy,
  type FamilyFilter,
  type FamilyRules,
  isInProfile,
  noFilter,
  requestedBy,
} from '../../src/metrics/exposition/selection.js';
import { costOfPods } from '../support/profile-cost.js';

const families = (
  [
    { name: 'ephemeral_storage_workload_used_bytes', level: 'workload' },
    { name: 'ephemeral_storage_node_used_bytes', level: 'node' },
    { name: 'ephemeral_storage_pod_used_bytes', level: 'pod' },
    { name: 'ephemeral_storage_pod_limit_bytes', level: 'pod' },
    { name: 'ephemeral_storage_container_used_bytes', level: 'container' },
    { name: 'ephemeral_storage_volume_used_bytes', level: 'volume' },
    { name: 'ephemeral_storage_exporter_series', level: 'exporter' },
    { name: 'ephemeral_storage_exporter_detail', level: 'exporter' },
  ] as const
).map((family) => ({ ...family, profile: profileOf(family) }));

function profileOf({ name, level }: { readonly name: string; readonly level: string }): Profile {
  if (level === 'container' || name.endsWith('_detail')) return 'full';
  return level === 'exporter' ? 'minimal' : 'standard';
}

const allLevels: readonly Level[] = ['workload', 'node', 'pod', 'container', 'volume'];

const everything: FamilyRules = { profile: 'full', levels: allLevels, allow: [], deny: [] };

function shortNames(isWanted: (family: (typeof families)[number]) => boolean): readonly string[] {
  return families.filter(isWanted).map(({ name }) => name.replace('ephemeral_storage_', ''));
}

/** Besides those of the exporter itself, which the profile alone decides. */
const all = shortNames(({ level }) => level !== 'exporter');
const [, ofNodes = '', ofPods = '', podLimit = '', ofContainers = '', ofVolumes = ''] = all;

const without = (off: Level) => allLevels.filter((level) => level !== off);

it.each<[string, Partial<FamilyRules>, ...string[]]>([
  ['everything without rules', {}, ...all],
  ['only the levels that are on', { levels: without('pod') }, 'workload_used_bytes', ofNodes, ofContainers, ofVolumes],
  ['the exporter itself when all levels are off', { levels: [] }],
  ['only what allow has', { allow: ['.*_pod_.*', '.*_node_.*'] }, ofNodes, ofPods, podLimit],
  ['nothing by a part of the name', { allow: ['pod_used_bytes', 'ephemeral_storage', 'used'] }],
  ['what deny has not', { deny: ['.*_used_bytes', 'pod_limit_bytes'] }, podLimit],
  ['nothing that deny has, though allow has it', { allow: ['.*_pod_.*'], deny: ['.*_limit_.*'] }, ofPods],
  ['nothing of a level that is off', { levels: without('pod'), allow: ['.*_(pod|node)_.*'] }, ofNodes],
  ['the families of a smaller profile', { profile: 'standard' }, ...all.filter((name) => name !== ofContainers)],
  ['nothing that only a larger profile has', { profile: 'minimal' }],
  [
    'what allow matches of a larger profile',
    { profile: 'minimal', allow: ['.*_(container|exporter)_.*'] },
    ofContainers,
  ],
  ['the exporter itself, whatever deny has', { deny: ['.*'] }],
])('the settings allow %s', (_case, rules, ...expected) => {
  expect(shortNames(allowedBy({ ...everything, ...rules }))).toEqual([
    ...expected,
    'exporter_series',
    ...ofExporter(rules),
  ]);
});

/** Besides what each profile has of the exporter itself. */
const ofExporter = ({ profile = 'full' }: Partial<FamilyRules>) => (profile === 'full' ? ['exporter_detail'] : []);

const names = (...texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.map((text) => `ephemeral_storage_${text}`));

it.each<[string, Partial<FamilyFilter>, readonly string[]]>([
  ['a name', { names: names('pod_used_bytes') }, ['pod_used_bytes']],
  ['names of the exporter too', { names: names('exporter_series') }, ['exporter_series']],
  [
    'levels',
    { levels: new Set(['pod', 'exporter']) },
    ['pod_used_bytes', 'pod_limit_bytes', 'exporter_series', 'exporter_detail'],
  ],
  [
    'what is among the names and of the levels',
    { names: names('pod_used_bytes', 'node_used_bytes'), levels: new Set(['node', 'volume']) },
    ['node_used_bytes'],
  ],
])('a request selects %s', (_case, filter, expected) => {
  expect(shortNames(requestedBy({ ...noFilter, ...filter }))).toEqual(expected);
});

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
