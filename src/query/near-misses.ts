import { byNames, type Ranked, Ranking } from '../base/ranking.js';
import { nearest } from '../config/suggestion.js';
import type { Pod } from '../kube/objects.js';
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
 * Pods are added one by one.
 */
export class NearMisses {
  readonly #definition: WorkloadDefinition;
  readonly #ranking: Ranking<{ readonly pod: Pod; readonly checks: readonly Check[] }>;

  /** `count`: of those that are kept. */
  constructor(definition: WorkloadDefinition, count: number) {
    this.#definition = definition;
    this.#ranking = new Ranking(count, (a, b) => rank(a.checks) - rank(b.checks) || byPodName(a.pod, b.pod));
  }

  add(pod: Pod): void {
    if (!missesOne(this.#definition, pod)) return;
    const checks = checksOf(this.#definition, pod);
    if (isNear(checks)) this.#ranking.add({ pod, checks });
  }

  ranked(): Ranked<NearMiss> {
    return this.#ranking.ranked(({ pod: { namespace, name }, checks }) => ({
      namespace,
      pod: name,
      requirements: checks.map(({ requirement, isMet, found }) => ({ requirement, isMet, found })),
    }));
  }
}

/** The same as its checks say, without their texts: nearly all pods of a cluster miss more. */
function missesOne({ selector, namespaces }: WorkloadDefinition, { namespace, labels }: Pod): boolean {
  let unmetCount = namespaces.length > 0 && !namespaces.includes(namespace) ? 1 : 0;
  for (const requirement of selector) {
    if (!matchesSelector([requirement], labels)) unmetCount += 1;
    if (unmetCount > 1) return false;
  }
  return unmetCount === 1;
}

interface Check extends RequirementReport {
  readonly wanted: readonly string[];
  readonly isNamespace: boolean;
}

function checksOf({ selector, namespaces }: WorkloadDefinition, pod: Pod): readonly Check[] {
  const ofLabels = selector.map((requirement) => checkLabel(requirement, pod));
  if (namespaces.length === 0) return ofLabels;
  const ofNamespace = {
    requirement: `namespace in (${namespaces.join(',')})`,
    isMet: namespaces.includes(pod.namespace),
    found: pod.namespace,
    wanted: namespaces,
    isNamespace: true,
  };
  return [ofNamespace, ...ofLabels];
}

function checkLabel(requirement: Requirement, { labels }: Pod): Check {
  const { key, values } = requirement;
  return {
    requirement: formatSelector([requirement]),
    isMet: matchesSelector([requirement], labels),
    found: Object.hasOwn(labels, key) ? labels[key] : undefined,
    wanted: values,
    isNamespace: false,
  };
}

function isNear(checks: readonly Check[]): boolean {
  const [failed, ...others] = checks.filter(({ isMet }) => !isMet);
  if (failed === undefined || others.length > 0) return false;
  return checks.length > 1 || isAlmostRight(failed);
}

function isAlmostRight({ found, wanted }: Check): boolean {
  return found !== undefined && nearest(found, wanted) !== undefined;
}

function rank(checks: readonly Check[]): number {
  const failed = checks.find(({ isMet }) => !isMet);
  if (failed?.found === undefined) return 3;
  if (failed.isNamespace) return 0;
  return isAlmostRight(failed) ? 1 : 2;
}

const byPodName = byNames<Pod>(({ namespace, name }) => [namespace, name]);
