import { existsSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { triedVersions } from '../../scripts/versions-table.js';
import { capturedVersions, capturesNeeded, hasCaptures } from '../support/captures.js';
import { readProjectFile } from '../support/install-lines.js';

const root = path.resolve(import.meta.dirname, '../..');
const page = readProjectFile('docs/versions.md');

it('the page about versions names tests that exist, in its table and below', () => {
  const named = [...triedVersions().map(({ tests }) => tests), ...(page.match(/test\/[\w./-]+\.ts/g) ?? [])];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

it('the page about versions has versions for each row, each a number', () => {
  for (const { program, versions } of triedVersions()) {
    expect(versions.length, program).toBeGreaterThan(0);
    for (const version of versions) expect(version, program).toMatch(/\d/);
  }
});

it('the page about versions has the oldest version of Kubernetes that the chart accepts', () => {
  const [, oldest = ''] =
    /kubeVersion: '>=(\d+\.\d+)\.0-0'/.exec(readProjectFile('charts/ephemeral-storage-exporter/Chart.yaml')) ?? [];
  expect(page).toContain(`refuses Kubernetes before ${oldest}.`);
  const openApi = triedVersions().find(({ program }) => program === 'Kubernetes OpenAPI');
  expect(openApi?.versions[0]).toMatch(new RegExp(`^${oldest.replace('.', String.raw`\.`)}\\.`));
});

it.skipIf(!hasCaptures)(`the page about versions lists those of the recorded summaries (${capturesNeeded})`, () => {
  const [, list = ''] = /Summaries of real kubelets, of the versions ([^]*?), are decoded/.exec(page) ?? [];
  expect(list.match(/1\.\d+/g)).toEqual(capturedVersions());
});
