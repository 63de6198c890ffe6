import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { replay } from '../../src/commands/replay.js';
import { familyTable } from '../../src/metrics/exposition/families.js';
import { aCommandContext } from '../support/command-context.js';
import { temporaryFolder } from '../support/programs.js';

interface Case {
  readonly summaries: readonly { readonly node: { readonly nodeName: string } }[];
  readonly nodes: readonly object[];
  readonly pods: readonly object[];
}

const cornerCases = path.resolve(import.meta.dirname, '../cases/other-exporter/corner-cases.yaml');

/** The families of the recording, with their header lines. */
async function familiesWith({ summaries, nodes, pods }: Case, compatibility: string): Promise<readonly string[]> {
  await using folder = await temporaryFolder();
  const write = async (name: string, ...documents: readonly object[]): Promise<string> => {
    const file = path.join(folder.path, name);
    await writeFile(file, documents.map((document) => JSON.stringify(document)).join('\n---\n'));
    return file;
  };
  const configFile = await write('config.yaml', { workloads: { controllers: false }, metrics: { compatibility } });
  const lists = [
    { kind: 'NodeList', items: nodes },
    { kind: 'PodList', items: pods },
  ];
  const objects = await write('objects.yaml', ...lists);
  for (const summary of summaries) await write(`${summary.node.nodeName}.json`, summary);
  const { context, out } = aCommandContext();
  await replay({ settings: { configFile, values: {} }, summaries: folder.path, objects }, context);
  return out().split(/(?=^# HELP )/m);
}

it('the families of the other exporter have their labels and documented values in each corner case', async () => {
  const recorded = parse(await readFile(cornerCases, 'utf8')) as Case;
  const own = await familiesWith(recorded, 'none');
  const both = await familiesWith(recorded, 'k8s-ephemeral-storage-metrics');
  const added = both.filter((family) => !own.includes(family));
  expect(added).toHaveLength(24);
  await expect(added.join('')).toMatchFileSnapshot('../golden/compatibility.txt');
});

it('each family of the other exporter is replaced by a family that there is', () => {
  const names = familyTable([]).map(({ name }) => name);
  const helps = familyTable([], 'k8s-ephemeral-storage-metrics').map(({ help }) => help);
  const replacements = helps.flatMap((help) => /Replaced by (\w+)/.exec(help)?.[1] ?? []);
  expect(replacements).toHaveLength(17);
  for (const name of replacements) expect(names).toContain(`ephemeral_storage_${name}`);
});
