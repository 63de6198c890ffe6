import { UserError } from '../base/errors.js';
import { joinTruncated } from '../base/text.js';
import type { ClusterReading } from '../query/cluster-reading.js';
import { workloadOf } from '../report/workload-report.js';
import { type Workload, workloadKey, workloadName } from '../workload/workload.js';
import { notFound } from './text/suggestions.js';
import { terminalText } from './text/terminal-text.js';

/** All workloads that there are, each once; those without a measured pod too. */
function allWorkloads({ snapshot, knownPods, evictions }: ClusterReading): readonly Workload[] {
  const workloads = [
    ...snapshot.workloads.map(({ workload }) => workload),
    ...Array.from(knownPods, (pod) => pod.workloads).flat(),
    ...evictions.flatMap((eviction) => eviction.workloads.map(workloadOf)),
  ];
  return [...new Map(workloads.map((workload) => [workloadKey(workload), workload])).values()];
}

/**
 * The workload of the name: `NAME`, `TYPE/NAME`, `NAMESPACE/NAME` or `NAMESPACE/TYPE/NAME`. A name without a namespace
 * is one of `namespace` (undefined: of any) or of a workload that spans namespaces. Throws UserError when there is
 * none, or more than one.
 */
export function findWorkload(reading: ClusterReading, name: string, namespace: string | undefined): Workload {
  const workloads = allWorkloads(reading);
  const exact = workloads.filter((workload) => workload.namespace === '' && workload.name === name);
  const matching = exact.length > 0 ? exact : workloads.filter((workload) => isNamed(workload, name, namespace));
  const [found, ...others] = matching;
  if (found === undefined) throw notFound('workload', name, workloads.map(workloadName), namespace);
  if (others.length === 0) return found;
  const names = joinTruncated(matching.map(workloadName).map(terminalText).sort(), maxNamesCount);
  throw new UserError(`workload "${terminalText(name)}" is ambiguous: ${names}`);
}

const maxNamesCount = 10;

function isNamed(workload: Workload, text: string, namespace: string | undefined): boolean {
  const parts = text.split('/');
  if (parts.pop() !== workload.name) return false;
  const isInScope = namespace === undefined || ['', namespace].includes(workload.namespace);
  return qualifiersOf(parts).some(
    (qualifier) =>
      (qualifier.namespace === undefined ? isInScope : qualifier.namespace === workload.namespace) &&
      (qualifier.type === undefined || isOfType(workload, qualifier.type)),
  );
}

/** What the parts before a name may mean. */
function qualifiersOf(
  parts: readonly string[],
): readonly { readonly namespace?: string | undefined; readonly type?: string | undefined }[] {
  const [first, second] = parts;
  if (parts.length === 0) return [{}];
  if (parts.length === 1) return [{ namespace: first }, { type: first }];
  return parts.length === 2 ? [{ namespace: first, type: second }] : [];
}

/** As kubectl names them. */
const shortTypes: Readonly<Record<string, string>> = {
  deploy: 'deployment',
  sts: 'statefulset',
  ds: 'daemonset',
  rs: 'replicaset',
  cj: 'cronjob',
};

function isOfType({ type, origin }: Workload, text: string): boolean {
  const word = text.toLowerCase().replace(/s$/, '');
  const kind = origin.source === 'controller' ? origin.kind.toLowerCase() : type;
  return [type, kind].includes(shortTypes[text.toLowerCase()] ?? word) || [type, kind].includes(text.toLowerCase());
}
