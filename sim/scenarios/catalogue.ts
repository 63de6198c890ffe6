import { UsageError } from '../../src/lib/base/errors.js';
import { mixedScenario } from '../model/demo-scenario.js';
import type { Scenario } from '../model/scenario.js';
import { ciBurstScenario } from './ci-burst.js';
import { imagesFullScenario } from './images-full.js';
import { logFloodScenario } from './log-flood.js';
import { lostKubeletScenario } from './lost-kubelet.js';
import { addOrdinaryPods } from './ordinary-pods.js';

/** For nodes named `node-1` and so on. */
const scenarios = {
  mixed: mixedScenario,
  'images-full': imagesFullScenario,
  'log-flood': logFloodScenario,
  'lost-kubelet': lostKubeletScenario,
  'ci-burst': ciBurstScenario,
} as const satisfies Readonly<Record<string, (nodeCount: number) => Scenario>>;

export type ScenarioName = keyof typeof scenarios;

/** The default of kubelets: https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ (maxPods) */
const maxPodsPerNode = 110;

/**
 * The scenario of a name. `podCount`: of the pods at its start, in all; those that it has not itself are of ordinary services.
 * Populating it throws UsageError if it has more pods, or its nodes have no room for so many.
 */
export function scenarioOf(options: {
  readonly name: ScenarioName;
  readonly nodeCount: number;
  readonly podCount: number | undefined;
}): Scenario {
  const { name, nodeCount, podCount } = options;
  const scenario = scenarios[name](nodeCount);
  if (podCount === undefined) return scenario;
  return {
    ...scenario,
    populate: (context) => {
      scenario.populate(context);
      const ownCount = context.model.pods.length;
      const maxCount = maxPodsPerNode * nodeCount;
      if (podCount < ownCount || podCount > maxCount) {
        const range = `${ownCount}, those of ${name} itself, to ${maxCount}, ${maxPodsPerNode} a node`;
        throw new UsageError(`--pods: found "${podCount}", allowed with --nodes ${nodeCount}: from ${range}`);
      }
      addOrdinaryPods(context, podCount - ownCount);
    },
  };
}
