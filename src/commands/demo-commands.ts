/** The commands that the demo prints to try. */
import type { SimulatedCluster } from '../../sim/cluster.js';
import type { ScenarioHighlights } from '../../sim/model/scenario.js';
import { commandLine } from '../base/text.js';
import type { CommandContext } from './context.js';
import type { Simulation } from './simulation.js';

type CommandWords = readonly string[];

/** The listening exporter, and the kubeconfig of its cluster. */
interface RunningExporter {
  readonly url: string;
  readonly metricsUrl: string;
  /** That its readers must send; undefined where they need none. */
  readonly authorization: string | undefined;
  readonly kubeconfig: string;
}

/** Returns lines with commands that show what the scenario is about. */
export function tryLines(
  { scenario: { highlights }, hostRoot }: Pick<Simulation, 'scenario' | 'hostRoot'>,
  { model }: Pick<SimulatedCluster, 'model'>,
  running: RunningExporter,
  context: Pick<CommandContext, 'invocation'>,
): readonly string[] {
  const lineOf = (words: CommandWords): string => `  ${shownCommand(words, running.kubeconfig, context)}`;
  const next: CommandWords = ['top', 'next', '-A'];
  const evictions: CommandWords = ['top', 'evictions', '-A'];
  if (highlights === undefined) return [next, evictions].map(lineOf);
  const { nodeName, namespace, deployment } = highlights;
  const podName = highlightedPod(model, highlights);
  const node: CommandWords = ['explain', 'node', nodeName];
  const pod: CommandWords = ['explain', 'pod', '-n', namespace, podName];
  if (hostRoot === undefined)
    return [next, node, pod, ['explain', 'workload', '-n', namespace, deployment], evictions].map(lineOf);
  // Who asks without naming the node is answered from the summaries of all kubelets.
  return [
    ...[[...pod, '--directories'], node, [...next, '--node', nodeName]].map(lineOf),
    ...metricsLines(podName, running),
    'and in a browser:',
    `  ${running.url}/pods/${namespace}/${podName}/directories`,
    `  ${running.url}/nodes/${nodeName}`,
  ];
}

/** The command of this program, as a shell in any folder runs it. */
export function shownCommand(
  words: CommandWords,
  kubeconfig: string,
  { invocation }: Pick<CommandContext, 'invocation'>,
): string {
  return `${invocation} ${commandLine([...words, '--kubeconfig', kubeconfig])}`;
}

/** What the agent alone has, in the metrics. */
function metricsLines(podName: string, { metricsUrl, authorization }: RunningExporter): readonly string[] {
  // The certificate is that of the user's own file, perhaps for another name.
  const insecure = metricsUrl.startsWith('https:') ? ['-k'] : [];
  const header = authorization === undefined ? [] : ['-H', `Authorization: ${authorization}`];
  const curl = commandLine(['curl', '-s', ...insecure, ...header, metricsUrl]);
  return [`pod_cgroup_.*${podName}`, 'node_unattributed_'].map((form) => `  ${curl} | ${commandLine(['grep', form])}`);
}

function highlightedPod(model: SimulatedCluster['model'], { namespace, deployment }: ScenarioHighlights): string {
  const pod = model.pods.find(({ spec }) => spec.namespace === namespace && spec.labels?.['app'] === deployment);
  return pod?.spec.name ?? '';
}
