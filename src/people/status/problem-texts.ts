import { countedText, joinTruncated } from '../../lib/base/text.js';
import { formatForecast } from '../../lib/base/units.js';
import type { AffectedWorkloadsReport } from '../report/affected-workloads.js';
import type { PodPlace } from '../report/pod-report.js';
import type { WorkloadReference } from '../report/workload-report.js';
import type { Problem, ProblemSubject } from './status.js';

/** How many of what a problem is about are named. Every namespace has its own check. */
const maxNamesCount = 3;

export function warning(text: string, section: Problem['section']): Problem {
  return { severity: 'warning', text, section };
}

/** None for a count of 0. */
export function counted(
  count: number,
  severity: Problem['severity'],
  section: Problem['section'],
  words: readonly [one: string, many: string],
): readonly Problem[] {
  const text = countedText(count, words);
  return text === '' ? [] : [{ severity, text, section }];
}

/** '' for none; also the names that `explain` takes. */
export function affectedText({ incompleteWorkloadCount, exampleWorkloads }: AffectedWorkloadsReport): string {
  const count = countedText(incompleteWorkloadCount, ['workload incomplete', 'workloads incomplete']);
  return count === '' ? '' : `${count}: ${namesText(exampleWorkloads.map(referenceName), incompleteWorkloadCount)}`;
}

export function referenceName({ workload, workloadNamespace }: WorkloadReference): string {
  return workloadNamespace === '' ? workload : `${workloadNamespace}/${workload}`;
}

/** `subjects`: examples of what a problem is about, of `count`. Only a single one has a page that explains it. */
export function aboutOne(subjects: readonly ProblemSubject[], count: number): Pick<Problem, 'about'> {
  return count === 1 && subjects[0] !== undefined ? { about: subjects[0] } : {};
}

/** Each with examples of what it is about, and what to do about the first of them. */
export function withExamples(
  problems: readonly Problem[],
  {
    names,
    count,
    hint,
    noteOf = () => '',
    ...more
  }: Pick<Problem, 'about' | 'only'> & {
    /** Some of what the problem is about. */
    readonly names: readonly string[];
    readonly count: number;
    readonly hint?: (first: string) => string;
    /** Follows a name. */
    readonly noteOf?: (name: string) => string;
  },
): readonly Problem[] {
  const [first] = names;
  if (first === undefined) return problems;
  const detail = namesText(
    names.map((name) => `${name}${noteOf(name)}`),
    count,
  );
  return problems.map((problem) => ({ ...problem, ...more, detail, hint: hint?.(first) }));
}

/** Returns how much time is left, to follow a name: ` (in 4m)`; '' where that is not known. */
export function timeLeftNote(timeMs: number | undefined): string {
  return timeMs === undefined || timeMs === 0 ? '' : ` (in ${formatForecast(timeMs)})`;
}

/** By their nodes: `shop/a, shop/b on node-1`. */
export function placesText(pods: readonly PodPlace[]): readonly string[] {
  const byNode = new Map<string | undefined, string[]>();
  for (const { namespace, pod, node } of pods) byNode.set(node, [...(byNode.get(node) ?? []), `${namespace}/${pod}`]);
  return Array.from(byNode, ([node, names]) => `${names.join(', ')}${node === undefined ? '' : ` on ${node}`}`);
}

/** The parts that are not empty. */
export function joinParts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}

/** `count`: of all that there are, where `names` are some of them. */
export function namesText(names: readonly string[], count?: number): string {
  return joinTruncated(names, maxNamesCount, count);
}
