/**
 * Label selectors, as Kubernetes defines them.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
import type { Labels } from './objects.js';

export const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
export interface Requirement {
  readonly key: string;
  readonly operator: (typeof operators)[number];
  /** At least one for In and NotIn, none for the others. */
  readonly values: readonly string[];
}

/** All must hold; an empty one matches everything. */
export type LabelSelector = readonly Requirement[];

/** NotIn holds for an absent key too; In with '' holds for a label that is present and empty, not for an absent one. */
export function matchesSelector(selector: LabelSelector, labels: Labels): boolean {
  return selector.every((requirement) => holds(requirement, labels));
}

function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

/** The kubectl form, sorted and without repetitions: equal selectors give equal texts. */
export function formatSelector(selector: LabelSelector): string {
  return [...new Set(selector.map(formatRequirement))].sort().join(',');
}

function formatRequirement({ key, operator, values }: Requirement): string {
  const [first = '', ...rest] = [...new Set(values)].sort();
  const list = [first, ...rest].join(',');
  switch (operator) {
    case 'In':
      return rest.length === 0 ? `${key}=${first}` : `${key} in (${list})`;
    case 'NotIn':
      return rest.length === 0 ? `${key}!=${first}` : `${key} notin (${list})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}
