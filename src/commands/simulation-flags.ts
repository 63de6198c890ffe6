import { type Command, Option } from 'commander';

import type { ScenarioName } from '../../sim/scenarios/catalogue.js';

/** Named here too, as the production image has the flags and no simulated cluster. */
export const scenarioNames = [
  'mixed',
  'images-full',
  'log-flood',
  'lost-kubelet',
  'ci-burst',
] as const satisfies readonly ScenarioName[];

export interface SimulationFlags {
  readonly scenario: ScenarioName;
  readonly nodes?: string;
  readonly pods?: string;
  readonly seed: string;
}

export const maxNodeCount = 1000;
export const defaultNodeCount = '5';

/** Takes what the simulated cluster consists of. */
export function withSimulation(command: Command): Command {
  return command
    .addOption(
      new Option('--scenario <name>', 'what happens in the cluster').choices(scenarioNames).default(scenarioNames[0]),
    )
    .option('--nodes <number>', `number of nodes, from 2 to ${maxNodeCount} (default: ${defaultNodeCount})`)
    .option('--pods <number>', 'number of pods at the start, in all, up to 110 a node (default: those of the scenario)')
    .option('--seed <number>', 'seed of names, sizes and growth', '1');
}
