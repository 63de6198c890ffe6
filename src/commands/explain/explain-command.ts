import { UsageError } from '../../base/errors.js';
import type { ClusterReading } from '../../query/cluster-reading.js';
import { nodeExplanation } from '../../query/node-explanation.js';
import { podExplanations } from '../../query/pod-explanation.js';
import { measuredNodes } from '../../query/pod-filter.js';
import { workloadExplanation } from '../../query/workload-explanation.js';
import { workloadName } from '../../workload/workload.js';
import type { CommandContext } from '../context.js';
import type { ExporterAddress } from '../evictions/exporter-address.js';
import { type ClusterFlags, type ClusterSession, withReader } from '../one-shot.js';
import type { explainForms, ExplainResource } from '../resources.js';
import { notFound } from '../text/suggestions.js';
import { dataText, hasColour, screenColumns, terminalText } from '../text/terminal-text.js';
import { causesOfAbsence } from '../top/missing.js';
import { findWorkload } from '../workload-lookup.js';
import { evictionText } from './eviction-text.js';
import { nodeText } from './node-text.js';
import { podText } from './pod-text.js';
import { workloadText } from './workload-text.js';

export interface ExplainOptions extends ClusterFlags {
  readonly resource: ExplainResource;
  /** `NAME` or `NAMESPACE/NAME`; of a workload whatever `findWorkload` takes. */
  readonly name: string;
  /** Undefined: that of the context. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly output: (typeof explainForms)[number];
  /** Of a node: the bytes that evictions are to free; undefined for what its thresholds lack. */
  readonly freeBytes: number | undefined;
  /** Of an eviction; undefined: the Service of this project's manifests. */
  readonly exporter: ExporterAddress | undefined;
}

/** Shows what adds up to a value. Throws UserError when there is nothing of the name. */
export async function explain(options: ExplainOptions, context: CommandContext): Promise<void> {
  const explainer = explainers[options.resource](options, context);
  const use = async (session: ClusterSession): Promise<void> => {
    const { reader, config } = session;
    const { stopSignal } = context;
    const reading = await reader.read(config.scrape.maxDurationMs, stopSignal);
    stopSignal.throwIfAborted();
    context.writeOut(explainer(reading, session));
    const causes = [...reading.notes.map(terminalText), ...causesOfAbsence(reading, config.kubelet.access)];
    for (const cause of causes) context.writeError(`${cause}\n`);
  };
  const evictions = options.resource === 'eviction' ? { ...options, ...podName(options) } : undefined;
  await withReader(options, context, use, {
    detailsOf: options.resource === 'node' ? options.name : undefined,
    podName: options.resource === 'pod' ? podName(options).name : undefined,
    evictions,
  });
}

type Explainer = (reading: ClusterReading, session: ClusterSession) => string;

const explainers: Readonly<Record<ExplainResource, (options: ExplainOptions, context: CommandContext) => Explainer>> = {
  pod: podExplainer,
  workload: workloadExplainer,
  node: nodeExplainer,
  eviction: evictionExplainer,
};

function podExplainer(options: ExplainOptions, context: CommandContext): Explainer {
  const { output } = options;
  const named = podName(options);
  return (reading, session) => {
    const namespace = named.namespace ?? (options.allNamespaces ? undefined : session.namespace);
    const found = podsOf(reading, named.name, namespace).flatMap((id) =>
      podExplanations(reading, { ...id, mode: session.config.attribution }),
    );
    if (found.length === 0) throw podNotFound(reading, options.name, namespace);
    if (output !== 'text') return dataText(found, output);
    const width = screenColumns(context.terminal());
    const textOptions = { width, readAtMs: reading.readAtMs, hasColour: hasColour(context) };
    return found.map((explanation) => podText(explanation, textOptions)).join('\n');
  };
}

interface PodId {
  readonly namespace: string;
  readonly name: string;
}

/** The namespace that the name or the flag has. Throws UsageError when they differ. */
function podName({ resource, name: text, namespace }: ExplainOptions): {
  readonly name: string;
  readonly namespace?: string;
} {
  const parts = text.split('/');
  const name = parts.pop() ?? '';
  const [named] = parts;
  if (name === '' || named === '' || parts.length > 1) {
    throw new UsageError(`explain ${resource} "${terminalText(text)}": expected NAME or NAMESPACE/NAME`);
  }
  if (named !== undefined && namespace !== undefined && named !== namespace) {
    throw new UsageError(`explain ${resource} "${terminalText(text)}": --namespace is ${terminalText(namespace)}`);
  }
  const found = named ?? namespace;
  return found === undefined ? { name } : { name, namespace: found };
}

function podsOf(reading: ClusterReading, name: string, namespace: string | undefined): readonly PodId[] {
  if (namespace !== undefined) return [{ namespace, name }];
  const namespaces = new Set(allPods(reading).flatMap((pod) => (pod.name === name ? [pod.namespace] : [])));
  return [...namespaces].sort().map((found) => ({ namespace: found, name }));
}

function allPods(reading: ClusterReading): readonly PodId[] {
  const measured = measuredNodes(reading).flatMap(({ snapshot }) => snapshot.pods);
  return [...Array.from(reading.knownPods, ({ pod }) => pod), ...measured.map(({ summary }) => summary)];
}

function podNotFound(reading: ClusterReading, name: string, namespace: string | undefined): Error {
  const names = allPods(reading).map((pod) => `${pod.namespace}/${pod.name}`);
  return notFound('pod', name, names, namespace);
}

function workloadExplainer({ name, output, ...options }: ExplainOptions, context: CommandContext): Explainer {
  return (reading, session) => {
    const namespace = options.allNamespaces ? undefined : (options.namespace ?? session.namespace);
    const workload = findWorkload(reading, name, namespace);
    const explanation = workloadExplanation(reading, workload, session.config.workloads);
    if (output !== 'text') return dataText(explanation, output);
    return workloadText(explanation, { name: workloadName(workload), width: screenColumns(context.terminal()) });
  };
}

/** The newest of the pod first: a name may be used again. */
function evictionExplainer(options: ExplainOptions, context: CommandContext): Explainer {
  const { output } = options;
  const named = podName(options);
  return (reading, session) => {
    const namespace = named.namespace ?? (options.allNamespaces ? undefined : session.namespace);
    const found = reading.evictions.filter(
      (eviction) => eviction.pod === named.name && (namespace === undefined || eviction.namespace === namespace),
    );
    if (found.length === 0) {
      const names = reading.evictions.map((eviction) => `${eviction.namespace}/${eviction.pod}`);
      throw notFound('eviction of pod', options.name, names, namespace);
    }
    if (output !== 'text') return dataText(found, output);
    const textOptions = { width: screenColumns(context.terminal()), readAtMs: reading.readAtMs };
    return found.map((eviction) => evictionText(eviction, textOptions)).join('\n');
  };
}

function nodeExplainer({ name, output, freeBytes }: ExplainOptions, context: CommandContext): Explainer {
  return (reading) => {
    const explanation = nodeExplanation(reading, { name, freeBytes });
    if (explanation === undefined) {
      const names = reading.snapshot.nodes.map(({ nodeName }) => nodeName);
      throw notFound('node', name, names);
    }
    if (output !== 'text') return dataText(explanation, output);
    const width = screenColumns(context.terminal());
    return nodeText(explanation, { width, readAtMs: reading.readAtMs, hasColour: hasColour(context) });
  };
}
