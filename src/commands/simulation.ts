/** What `demo` and `simulate` share. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { SimulatedCluster } from '../../sim/cluster.js';
import type { Scenario } from '../../sim/model/scenario.js';
import { codeOf, messageOf, UsageError, UserError } from '../base/errors.js';
import type { CommandContext } from './context.js';
import { defaultNodeCount, diskScenarioName, maxNodeCount, type SimulationFlags } from './simulation-flags.js';

export interface Simulation extends AsyncDisposable {
  readonly scenario: Scenario;
  readonly start: () => Promise<SimulatedCluster>;
  /** Of an exporter that listens on this port. */
  readonly addExporter: (cluster: SimulatedCluster, port: number) => void;
  /** The folder that stands for the root of its node, until disposal; undefined unless its node is on the disk of this machine. */
  readonly hostRoot: string | undefined;
}

type SimulationContext = Pick<CommandContext, 'clock' | 'environment'>;

/** Throws UsageError for a flag that is no number of its range, and UserError without the simulated cluster. */
export async function simulatedCluster(
  flags: SimulationFlags,
  { clock, environment }: SimulationContext,
  apiPort = 0,
): Promise<Simulation> {
  const seed = wholeNumber('--seed', flags.seed, { max: 2 ** 32 - 1 });
  const { nodes, pods } = flags;
  const nodeCount = wholeNumber('--nodes', nodes ?? defaultNodeCount, { min: 2, max: maxNodeCount });
  const podCount = pods === undefined ? undefined : wholeNumber('--pods', pods, { max: 110 * maxNodeCount });
  const { SimulatedCluster, addExporter, scenarioOf } = await loadSimulation();
  const start = (scenario: Scenario) => () =>
    SimulatedCluster.start({ seed, clock, apiPort, controlPort: 0, scenario });
  if (flags.scenario !== diskScenarioName) {
    const scenario = scenarioOf({ name: flags.scenario, nodeCount, podCount });
    return {
      scenario,
      start: start(scenario),
      addExporter: ({ model }, port) => {
        addExporter(model, port);
      },
      hostRoot: undefined,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  const scenario = await diskScenario(flags, { seed, clock, environment });
  return {
    scenario,
    start: start(scenario),
    addExporter: ({ model }, port) => {
      addExporter(model, port, scenario.exporter);
    },
    hostRoot: scenario.hostRoot,
    [Symbol.asyncDispose]: () => scenario[Symbol.asyncDispose](),
  };
}

async function diskScenario(
  { nodes, pods }: SimulationFlags,
  { seed, clock, environment }: SimulationContext & { readonly seed: number },
) {
  const sizeFlag = nodes === undefined ? pods && '--pods' : '--nodes';
  if (sizeFlag !== undefined)
    throw new UsageError(
      `${sizeFlag}: not allowed with --scenario ${diskScenarioName}, which has one node and its pods`,
    );
  const { findDuCommand } = await import('../agent/du-command.js');
  await findDuCommand(environment['PATH'] ?? '').catch((error: unknown) => {
    const needed = 'needs Linux with du and nice of GNU coreutils and ionice of util-linux in PATH';
    throw new UserError(`--scenario ${diskScenarioName} ${needed}`, { cause: error });
  });
  const { nodeAgentScenario } = await import('../../sim/scenarios/node-agent.js');
  try {
    return nodeAgentScenario({ seed, nowMs: clock.nowMs() });
  } catch (error) {
    if (codeOf(error) !== 'ENOSPC') throw error;
    throw new UserError(`--scenario ${diskScenarioName} needs 150 MB in ${tmpdir()}: ${messageOf(error)}`);
  }
}

export function wholeNumber(
  flag: string,
  text: string,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new UsageError(`${flag}: found "${text}", allowed: a whole number from ${min} to ${max}`);
}

/** Loads the simulated cluster. Throws UserError if it is not part of the bundle, as in the production image. */
export async function loadSimulation() {
  try {
    const [{ SimulatedCluster }, { parseFault }, { addExporter }, { scenarioOf }] = await Promise.all([
      import('../../sim/cluster.js'),
      import('../../sim/simulated-faults.js'),
      import('../../sim/model/exporter-pod.js'),
      import('../../sim/scenarios/catalogue.js'),
    ]);
    return { SimulatedCluster, parseFault, addExporter, scenarioOf };
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UserError(
      'the simulated cluster is not part of this installation; run it from a checkout: npm ci && npm run demo',
    );
  }
}

/** A file that is readable by its owner alone, until disposal. */
export async function kubeconfigFile(text: string): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ephemeral-storage-exporter-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, text, { mode: 0o600 }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return { path: file, [Symbol.asyncDispose]: remove };
}
