import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { isInstalled, temporaryFolder } from '../support/programs.js';
import { alertsOf, readDefaultRules, readRules, type RuleFile } from '../support/rules.js';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'mixin/README.md'), 'utf8');
const [addLines = '', , leaveOut = ''] = Array.from(
  page.matchAll(/```jsonnet\n([^]*?)```/g),
  ([, block = '']) => block,
);
const vendored = 'github.com/ephemeral-storage-exporter/ephemeral-storage-exporter';

/**
 * Stands in for the function of kube-prometheus: with the same parameters and results, as far as the page uses them.
 * https://github.com/prometheus-operator/kube-prometheus/blob/main/jsonnet/kube-prometheus/lib/mixin.libsonnet
 */
const addMixin = `function(params) {
  prometheusRules: {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: params.name },
    spec: params.mixin.prometheusAlerts,
  },
  grafanaDashboards: params.mixin.grafanaDashboards,
}`;

/** The value of a program whose imports are as jb vendors them. */
async function evaluate(program: string): Promise<unknown> {
  await using folder = await temporaryFolder();
  await mkdir(path.join(folder.path, path.dirname(vendored)), { recursive: true });
  await symlink(root, path.join(folder.path, vendored));
  await mkdir(path.join(folder.path, 'kube-prometheus/lib'), { recursive: true });
  await writeFile(path.join(folder.path, 'kube-prometheus/lib/mixin.libsonnet'), addMixin);
  const args = ['-J', folder.path, '-e', program];
  const { status, stdout, stderr } = spawnSync('jsonnet', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0 || stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

function dashboards(): Readonly<Record<string, unknown>> {
  const folder = path.join(root, 'charts/ephemeral-storage-exporter/dashboards');
  const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
  return Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => [name, read(name)]),
  );
}

describe.skipIf(!isInstalled('jsonnet'))('the mixin (needs jsonnet)', () => {
  it('the mixin becomes by the lines of its page a PrometheusRule and dashboards, with all of the files', async () => {
    expect(await evaluate(`${addLines}\nmixin`)).toEqual({
      prometheusRules: {
        apiVersion: 'monitoring.coreos.com/v1',
        kind: 'PrometheusRule',
        metadata: { name: 'ephemeral-storage' },
        spec: await readDefaultRules(),
      },
      grafanaDashboards: dashboards(),
    });
  });

  it('the mixin leaves out one alert and switches on another, as its page shows', async () => {
    const program = `${addLines}\n(${leaveOut}).prometheusAlerts`;
    const names = (rules: RuleFile): readonly string[] => alertsOf(rules).map(({ alert }) => alert);
    const kept = names(await readDefaultRules()).filter((name) => name !== 'EphemeralStorageNearLimit');
    expect(names((await evaluate(program)) as RuleFile)).toEqual([...kept, 'EphemeralStorageNodeDataGaps']);
  });

  const withOptional = (...names: readonly string[]): string =>
    `${addLines.replace('mixin: ephemeralStorage', `mixin: ephemeralStorage { _config+:: { ephemeralStorage+: { optionalAlerts: ${JSON.stringify(names)} } } }`)}\nmixin.prometheusRules.spec`;

  it('the mixin with all optional alerts is both rule files', async () => {
    const rules = await readRules();
    const optional = alertsOf({ groups: rules.groups.slice(-1) }).map(({ alert }) => alert);
    expect(await evaluate(withOptional(...optional))).toEqual(rules);
  });

  it('the mixin refuses an optional alert that does not exist', async () => {
    await expect(evaluate(withOptional('EphemeralStorageNearLimits'))).rejects.toThrow('these are no optional alerts');
  });
});
