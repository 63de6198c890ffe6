// @module-tag sockets

import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { runArguments } from '../../src/commands/command-line.js';
import { parseWalkOutput } from '../../src/commands/explain/directories/walk-output.js';
import { podSpec } from '../sim/pods.js';
import { aCommandContext } from '../support/command-context.js';
import { untilEnd } from '../support/fixtures.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

/** From 1.31 on, it uses WebSockets. The one of .ci/build-programs does not know its version. */
const hasWebSockets = (): boolean => {
  if (!isInstalled('kubectl')) return false;
  const { stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
  const minor = /"minor": "(\d*)/.exec(stdout)?.[1];
  return minor === '' || Number(minor) >= 31;
};

const it = test
  .extend('folder', ({ onTestFinished }) => untilEnd(onTestFinished, temporaryFolder()))
  .extend('sim', ({ onTestFinished }) =>
    untilEnd(onTestFinished, SimulatedCluster.start({ scenario: emptyScenario('node-1') })),
  )
  .extend('kubeconfig', async ({ sim, folder }) => {
    const file = path.join(folder.path, 'kubeconfig');
    await writeFile(file, sim.kubeconfig());
    return file;
  });

/** What a container answers, whatever is run in it. */
const launcher = ['sh', '-c', "printf 'w 0\\ne 0\\nt 8 1 0\\n'"];

async function explained(kubeconfig: string, flags: readonly string[] = [], expected = 0): Promise<string> {
  const { context, out } = aCommandContext({
    environment: { PATH: process.env['PATH'], HOME: path.dirname(kubeconfig) },
  });
  const line = ['explain', 'pod', 'default/web', '--directories', '--kubeconfig', kubeconfig, '--from', 'kubelets'];
  expect(await runArguments([...line, ...flags], context)).toBe(expected);
  return out();
}

/** Runs a line as a person who copies it. */
async function copied(line: string, kubeconfig: string): Promise<string> {
  const env = { PATH: process.env['PATH'], KUBECONFIG: kubeconfig, HOME: path.dirname(kubeconfig) };
  return (await promisify(execFile)('sh', ['-c', line], { env })).stdout;
}

describe.skipIf(!hasWebSockets())('kubectl exec and debug (needs kubectl 1.31 or later)', () => {
  it('the line that --dry-run prints does the same with kubectl', async ({ sim, kubeconfig }) => {
    const containers = podSpec('web').containers.map((container) => ({ ...container, launcher: ['env'] }));
    sim.model.addPod(podSpec('web', { containers }));
    const line = await explained(kubeconfig, ['--dry-run']);
    const echoed = await copied(line.replace('-- sh -c', '-- printf %s'), kubeconfig);
    expect(echoed).toMatch(/^root=\$1 start=\$2 .*\ndone/s);
    sim.model.deletePod('default', 'web');
    sim.model.addPod(podSpec('web', { containers: containers.map((container) => ({ ...container, launcher })) }));
    expect(parseWalkOutput(await copied(line, kubeconfig)).walks.get(0)?.bytes).toBe(4096);
  });

  it('the commands for an image without a shell list it', async ({ sim, kubeconfig }) => {
    sim.model.addPod(podSpec('web', { ephemeralLauncher: launcher }));
    const line = /^ {2}(kubectl --kubeconfig .* debug .*)$/m.exec(await explained(kubeconfig, [], 1))?.[1];
    await copied(line ?? 'false', kubeconfig);
    const report = JSON.parse(await explained(kubeconfig, ['-o', 'json'])) as { parts: readonly object[] };
    expect(report.parts[0]).toMatchObject({ part: 'rootfs', foundBytes: 4096 });
  });
});
