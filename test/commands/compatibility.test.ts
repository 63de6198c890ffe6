/**
 * The families of the other exporter beside those that its published formulas give: equal but for the differences that
 * `differences` names.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { replay } from '../../src/commands/replay.js';
import { familyTable } from '../../src/metrics/exposition/families.js';
import { capturesNeeded, hasCaptures, readCaptures } from '../support/captures.js';
import { aCommandContext } from '../support/command-context.js';
import { parseExposition } from '../support/exposition-parser.js';
import { type Difference, type RawPod, type RawSummary, theirSamples } from '../support/other-exporter.js';
import { temporaryFolder } from '../support/programs.js';

/** For each of its families: the ones of ours that replace it, and where the values differ. */
const families: Readonly<Record<string, readonly [ours: readonly string[], differences: readonly Difference[]]>> = {
  pod_usage: [['pod_used_bytes'], ['unreported']],
  inodes: [['node_inodes'], ['node filesystem', 'unreported']],
  inodes_free: [['node_inodes_free'], ['node filesystem', 'unreported']],
  inodes_used: [['pod_inodes_used'], ['unreported']],
  node_available: [['node_available_bytes'], ['node filesystem', 'unreported']],
  node_capacity: [['node_capacity_bytes'], ['node filesystem', 'unreported']],
  node_percentage: [
    ['node_available_bytes', 'node_capacity_bytes'],
    ['node filesystem', 'unreported'],
  ],
  container_limit_percentage: [
    ['limit_ratio', 'node_available_bytes', 'node_capacity_bytes'],
    ['own usage', 'factor', 'clamp', 'sidecars', 'node filesystem', 'unreported'],
  ],
  container_volume_usage: [['volume_used_bytes'], ['sidecars', 'unreported']],
  container_volume_limit_percentage: [['limit_ratio'], ['factor', 'clamp', 'sidecars', 'unreported']],
  ...Object.fromEntries(
    ['rootfs', 'logs'].flatMap((part) => [
      [`container_${part}_used_bytes`, [[`container_${part}_used_bytes`], ['unreported']]],
      [`container_${part}_available_bytes`, [['node_available_bytes'], ['unreported']]],
      [`container_${part}_capacity_bytes`, [['node_capacity_bytes'], ['unreported']]],
      [`container_${part}_usage_percentage`, [[`container_${part}_used_bytes`, 'node_capacity_bytes'], ['unreported']]],
      [`container_${part}_inodes`, [['node_inodes'], ['unreported']]],
      [`container_${part}_inodes_free`, [['node_inodes_free'], ['unreported']]],
      [`container_${part}_inodes_used`, [[`container_${part}_inodes_used`], ['unreported']]],
    ]),
  ),
};
const familyNames = Object.keys(families);

interface Recording {
  readonly name: string;
  /** Bodies of `/stats/summary` answers. */
  readonly summaries: readonly string[];
  readonly pods: readonly unknown[];
}

type Samples = ReadonlyMap<string, number>;

/** Samples by label values, for each family; of families with the labels of both exporters, theirs. */
async function ourSamples({ summaries, pods }: Recording): Promise<ReadonlyMap<string, Samples>> {
  await using folder = await temporaryFolder();
  const inFolder = (name: string): string => path.join(folder.path, name);
  const configFile = inFolder('config.yaml');
  const objects = inFolder('objects.yaml');
  await writeFile(
    configFile,
    '{workloads: {controllers: false}, metrics: {compatibility: k8s-ephemeral-storage-metrics}}',
  );
  const nodes = summaries.map((body) => ({
    metadata: { name: (JSON.parse(body) as RawSummary).node.nodeName, uid: 'n' },
    status: { nodeInfo: { kubeletVersion: 'v1.37.0' } },
  }));
  const lists = [
    { kind: 'PodList', items: pods },
    { kind: 'NodeList', items: nodes },
  ];
  await writeFile(objects, lists.map((list) => JSON.stringify(list)).join('\n---\n'));
  for (const [index, summary] of summaries.entries()) await writeFile(inFolder(`${index}.json`), summary);
  const { context, out } = aCommandContext();
  await replay({ settings: { configFile, values: {} }, summaries: folder.path, objects }, context);
  const samplesOf = new Map(parseExposition(out(), 'text').map(({ name, samples }) => [name, samples]));
  return new Map(
    familyNames.map((name) => {
      const samples = samplesOf.get(`ephemeral_storage_${name}`) ?? [];
      return [name, new Map(samples.map(({ labels, value }) => [keyOf(labels), value]))];
    }),
  );
}

const theirLabels = ['node_name', 'pod_namespace', 'pod_name', 'container', 'source', 'volume_name', 'mount_path'];

function keyOf(labels: Readonly<Record<string, string>>): string {
  return theirLabels.map((label) => labels[label] ?? '').join(' ');
}

/** What its formulas give for one family, with these differences applied. */
function expected({ summaries, pods }: Recording, family: string, applied: readonly Difference[]): Samples {
  const samples = summaries.flatMap((body) => [
    ...theirSamples(JSON.parse(body) as RawSummary, pods as readonly RawPod[], (difference) =>
      applied.includes(difference),
    ),
  ]);
  const own = samples.filter((sample) => sample.family === family && sample.value !== undefined);
  return new Map(own.map(({ labels, value = Number.NaN }) => [keyOf(labels), value]));
}

function areEqual(a: Samples, b: Samples): boolean {
  const isEqual = (x: number, y = Number.NaN): boolean => Math.abs(x - y) <= Math.abs(x) * 1e-12;
  return a.size === b.size && [...a].every(([key, value]) => isEqual(value, b.get(key)));
}

function expectEqual(ours: Samples | undefined, theirs: Samples): void {
  if (ours !== undefined && areEqual(ours, theirs)) return;
  expect(ours).toEqual(theirs);
}

const cornerCases = path.resolve(import.meta.dirname, '../cases/other-exporter/corner-cases.yaml');
const { summaries, pods } = parse(await readFile(cornerCases, 'utf8')) as Record<'summaries' | 'pods', unknown[]>;
const made: Recording = { name: 'made up', summaries: summaries.map((body) => JSON.stringify(body)), pods };

describe('families of the other exporter', () => {
  it('the compatible families are those of the table of families', () => {
    const own = new Set(familyTable([]).flatMap(({ name, labels }) => `${name} ${labels.join()}`));
    const added = familyTable([], 'k8s-ephemeral-storage-metrics').filter(
      ({ name, labels }) => !own.has(`${name} ${labels.join()}`),
    );
    expect(added.map(({ name }) => name).sort()).toEqual(familyNames.map((name) => `ephemeral_storage_${name}`).sort());
  });

  it('each compatible family is replaced by families that there are', () => {
    const names = familyTable([]).map(({ name }) => name);
    for (const [ours] of Object.values(families)) {
      for (const name of ours) expect(names).toContain(`ephemeral_storage_${name}`);
    }
  });

  it.each(familyNames)('%s has the value of the formula with the documented differences applied', async (family) => {
    const [, applied = []] = families[family] ?? [];
    const ours = (await ourSamples(made)).get(family);
    expect(ours?.size).toBeGreaterThan(0);
    expectEqual(ours, expected(made, family, applied));
  });

  it.each(familyNames.flatMap((family) => (families[family]?.[1] ?? []).map((difference) => [family, difference])))(
    '%s would not have that value without the difference "%s"',
    async (family = '', difference = '') => {
      const others = (families[family]?.[1] ?? []).filter((other) => other !== difference);
      const ours = (await ourSamples(made)).get(family) ?? new Map<string, number>();
      expect(areEqual(ours, expected(made, family, others))).toBe(false);
    },
  );
});

describe.skipIf(!hasCaptures)(`recorded summaries (${capturesNeeded})`, () => {
  const recordings = readCaptures().map(({ name, summary, pods }) => ({ name, summaries: [summary], pods }));

  it.each(recordings)('the recording $name has the values of the formulas', async (recording) => {
    const ours = await ourSamples(recording);
    for (const [family, [, applied]] of Object.entries(families)) {
      expectEqual(ours.get(family), expected(recording, family, applied));
    }
  });
});
