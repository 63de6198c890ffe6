/** The commands that the demo prints to try. */
import type { SimulatedCluster } from '../../sim/cluster.js';
import type { Scenario, ScenarioHighlights } from '../../sim/model/scenario.js';
import { commandLine } from '../lib/base/text.js';
import type { CommandContext } from './context.js';

type CommandWords = readonly string[];

/** Returns lines with commands that show what the scenario is about. */
export function tryLines(
  { highlights }: Scenario,
  { model }: Pick<SimulatedCluster, 'model'>,
  kubeconfig: string,
  context: Pick<CommandContext, 'invocation'>,
): readonly string[] {
  const lineOf = (words: CommandWords): string => `  ${shownCommand(words, kubeconfig, context)}`;
  const next: CommandWords = ['top', 'next', '-A'];
  const evictions: CommandWords = ['top', 'evictions', '-A'];
  if (highlights === undefined) return [next, evictions].map(lineOf);
  const { nodeName, namespace, deployment } = highlights;
  const node: CommandWords = ['explain', 'node', nodeName];
  const pod: CommandWords = ['explain', 'pod', '-n', namespace, highlightedPod(model, highlights)];
  return [next, node, pod, ['explain', 'workload', '-n', namespace, deployment], evictions].map(lineOf);
}

/** The command of this program, as a shell in any folder runs it. */
export function shownCommand(
  words: CommandWords,
  kubeconfig: string,
  { invocation }: Pick<CommandContext, 'invocation'>,
): string {
  return `${invocation} ${commandLine([...words, '--kubeconfig', kubeconfig])}`;
}

function highlightedPod(model: SimulatedCluster['model'], { namespace, deployment }: ScenarioHighlights): string {
  const pod = model.pods.find(({ spec }) => spec.namespace === namespace && spec.labels?.['app'] === deployment);
  return pod?.spec.name ?? '';
}
