import { byNames, type Ranked, Ranking } from '../base/ranking.js';
import { nearest } from '../config/suggestion.js';
import type { Labels, Pod } from '../kube/objects.js';
import { formatSelector, matchesSelector, type Requirement } from '../kube/selector.js';
import type { WorkloadDefinition } from '../workload/label-workloads.js';

/** A pod that a configured workload leaves out for one thing alone. */
export interface NearMiss {
  readonly namespace: string;
  readonly pod: string;
  readonly requirements: readonly RequirementReport[];
}

interface RequirementReport {
  /** `namespace in (a,b)`, or a part of the selector in kubectl's form. */
  readonly requirement: string;
  readonly isMet: boolean;
  /** The value that it is about; undefined for a label that the pod does not have. */
  readonly found: string | undefined;
}

/**
 * Pods that meet all but one of the requirements. When that one is the only one, nothing makes a pod near but a value
 * that is almost right. First those in another namespace, then those with a value that is almost right, with another one, without the label.
 * Pods are added one by one; the texts are made of those that are kept.
 */
export class NearMisses {
  readonly #definition: WorkloadDefinition;
  readonly #ranking: Ranking<{ readonly pod: Pod; readonly rank: number }>;
  /** By requirement and value: pods have few different ones. */
  readonly #almostRight = new Map<string, boolean>();

  /** `count`: of those that are kept. */
  constructor(definition: WorkloadDefinition, count: number) {
    this.#definition = definition;
    this.#ranking = new Ranking(count, (a, b) => a.rank - b.rank || byPodName(a.pod, b.pod));
  }

  add(pod: Pod): void {
    const rank = this.#rankOf(pod);
    if (rank !== undefined) this.#ranking.add({ pod, rank });
  }

  ranked(): Ranked<NearMiss> {
    return this.#ranking.ranked(({ pod }) => {
      const { namespace, name } = pod;
      return { namespace, pod: name, requirements: requirementsOf(this.#definition, pod) };
    });
  }

  /** Undefined for a pod that is not near. */
  #rankOf({ namespace, labels }: Pod): number | undefined {
    const { selector, namespaces } = this.#definition;
    const unmet = unmetRequirement(this.#definition, namespace, labels);
    if (unmet === undefined) return undefined;
    const [found, wanted] =
      unmet === 'namespace' ? [namespace, namespaces] : [ownLabel(labels, unmet.key), unmet.values];
    const isAlmost = found !== undefined && this.#isAlmostRight(found, wanted);
    const requirementCount = selector.length + Math.min(1, namespaces.length);
    if (requirementCount === 1 && !isAlmost) return undefined;
    if (unmet === 'namespace') return 0;
    return isAlmost ? 1 : found === undefined ? 3 : 2;
  }

  #isAlmostRight(found: string, wanted: readonly string[]): boolean {
    const key = [found, ...wanted].join('\n');
    const known = this.#almostRight.get(key);
    if (known !== undefined) return known;
    const isAlmost = nearest(found, wanted) !== undefined;
    this.#almostRight.set(key, isAlmost);
    return isAlmost;
  }
}

/** Returns the only one; undefined where none or several are not met, as for nearly all pods of a cluster. */
function unmetRequirement(
  { selector, namespaces }: WorkloadDefinition,
  namespace: string,
  labels: Labels,
): Requirement | 'namespace' | undefined {
  let unmet: Requirement | 'namespace' | undefined =
    namespaces.length > 0 && !namespaces.includes(namespace) ? 'namespace' : undefined;
  for (const requirement of selector) {
    if (matchesSelector([requirement], labels)) continue;
    if (unmet !== undefined) return undefined;
    unmet = requirement;
  }
  return unmet;
}

function requirementsOf({ selector, namespaces }: WorkloadDefinition, pod: Pod): readonly RequirementReport[] {
  const ofLabels = selector.map((requirement) => ({
    requirement: formatSelector([requirement]),
    isMet: matchesSelector([requirement], pod.labels),
    found: ownLabel(pod.labels, requirement.key),
  }));
  if (namespaces.length === 0) return ofLabels;
  const isMet = namespaces.includes(pod.namespace);
  return [{ requirement: `namespace in (${namespaces.join(',')})`, isMet, found: pod.namespace }, ...ofLabels];
}

function ownLabel(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

const byPodName = byNames<Pod>(({ namespace, name }) => [namespace, name]);
