import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { atNight } from '../support/nightly.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';
import { writeSingleTests } from '../support/rule-tests.js';
import { inhibitionsPath, optionalAlertsPath, ruleFilePath, ruleTestPaths } from '../support/rules.js';
import { writeVmalertTests } from '../support/vmalert.js';

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
  return stdout + stderr;
}

const ruleTests = (await ruleTestPaths()).map((file) => ({ file, name: path.basename(file) }));

describeInEachPrometheus('promtool', ({ promtool }) => {
  it('promtool accepts the rules without a remark', () => {
    const files = [ruleFilePath, optionalAlertsPath];
    expect(run(promtool, 'check', 'rules', '--lint=all', '--lint-fatal', ...files)).toContain('SUCCESS');
  });

  it('promtool accepts the configuration for the demo', () => {
    expect(run(promtool, 'check', 'config', 'manifests/rules/demo-prometheus.yaml')).toMatch(
      /1 rule files? found[^]*SUCCESS/,
    );
  });

  it.each(ruleTests)('the rules pass their tests: $name', async ({ file }) => {
    await using folder = await temporaryFolder();
    // The whole file with the oldest version by day, as users run it: no rule fails on the series of another one's test.
    const files = promtool === 'promtool' ? [file] : await writeSingleTests(folder.path, file);
    expect(run(promtool, 'test', 'rules', ...files)).toContain('SUCCESS');
  });
});

/** They take a minute each. */
const longNames = ['gaps.yaml', 'growth.yaml'];

describe.skipIf(!isInstalled('vmalert-tool'))('vmalert (needs vmalert-tool)', () => {
  async function unitTest(file: string, isLate: boolean): Promise<void> {
    await using folder = await temporaryFolder();
    const files = await writeVmalertTests(folder.path, file, isLate);
    const args = files.map((name) => `--files=${name}`);
    expect(run('vmalert-tool', 'unittest', '-disableAlertgroupLabel', ...args)).toContain('SUCCESS');
  }

  it.each(ruleTests.filter(({ name }) => atNight(true, !longNames.includes(name))))(
    'the rules pass their tests in MetricsQL: $name',
    ({ file }) => unitTest(file, false),
  );

  it.each(ruleTests.filter(({ name }) => ['evictions.yaml', 'limits.yaml'].includes(name)))(
    'nothing fires because a recorded series comes an evaluation late: $name',
    ({ file }) => unitTest(file, true),
  );
});

describe.skipIf(!isInstalled('amtool'))('amtool (needs prometheus-alertmanager)', () => {
  it('amtool accepts the inhibitions as part of a configuration', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'alertmanager.yml');
    const inhibitions = await readFile(inhibitionsPath, 'utf8');
    await writeFile(file, `${inhibitions}\nroute: {receiver: nobody}\nreceivers: [{name: nobody}]\n`);
    expect(run('amtool', 'check-config', file)).toMatch(/SUCCESS[^]* 15 inhibit rules/);
  });
});
