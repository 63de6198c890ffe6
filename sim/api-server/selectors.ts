import { badRequest } from './error.js';
import type { Resource, StoredObject } from './versioned-objects.js';

export type Predicate = (stored: StoredObject) => boolean;

type Values = Readonly<Record<string, string>>;
type Requirement = (values: Values) => boolean;

/** Supported fields of field selectors. The real server supports a few more of pods. */
const supportedFields: Readonly<Record<Resource, readonly string[]>> = {
  namespaces: ['metadata.name', 'status.phase'],
  nodes: ['metadata.name'],
  pods: ['metadata.name', 'metadata.namespace', 'spec.nodeName', 'status.phase'],
  services: ['metadata.name', 'metadata.namespace', 'spec.clusterIP', 'spec.type'],
};

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/ An invalid one results in 400. */
export function fieldSelector(resource: Resource, text: string): Predicate {
  const requirements = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => fieldRequirement(resource, term));
  return ({ fields }) => requirements.every((holds) => holds(fields));
}

function fieldRequirement(resource: Resource, term: string): Requirement {
  const [, field = '', operator, value = ''] = /^([^=!]*)(==|!=|=)(.*)$/.exec(term) ?? [];
  if (operator === undefined) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  if (!supportedFields[resource].includes(field)) throw badRequest(`field label not supported: ${field}`);
  return (fields) => (fields[field] === value) === (operator !== '!=');
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors An invalid one results in 400. */
export function labelSelector(text: string): Predicate {
  const requirements = requirementTexts(text).map(labelRequirement);
  return ({ object }) => requirements.every((holds) => holds(object.metadata.labels ?? {}));
}

/** Splits at the commas that are not inside parentheses. */
function requirementTexts(text: string): readonly string[] {
  const terms = text.split(/,(?![^(]*\))/).map((term) => term.trim());
  return terms.length === 1 && terms[0] === '' ? [] : terms;
}

const key = String.raw`([A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?)`;
const value = String.raw`([-A-Za-z0-9_.]*)`;
const existence = new RegExp(`^(!?)\\s*${key}$`);
const comparison = new RegExp(`^${key}\\s*(==|!=|=|<|>)\\s*${value}$`);
const membership = new RegExp(`^${key}\\s+(in|notin)\\s*\\(([-A-Za-z0-9_.,\\s]*)\\)$`);

function labelRequirement(term: string): Requirement {
  const requirement = membershipOf(term) ?? comparisonOf(term) ?? existenceOf(term);
  if (requirement !== undefined) return requirement;
  throw badRequest(requirementFault(term));
}

/** In the words of the real server, for the usual mistakes. */
function requirementFault(term: string): string {
  const [, negation = '', label, found = ''] = /^(!?)\s*([\w./-]*)\s*([\w./-]+|[=!<>]+|.|$)/.exec(term) ?? [];
  if (label === '') return `found '${negation}${found}', expected: !, identifier, or 'end of string'`;
  const isOpen = term.includes('(') && !term.includes(')');
  const expected = isOpen ? "found '', expected: ',', ')' or identifier" : `found '${found}', expected: ${operators}`;
  return `unable to parse requirement: ${expected}`;
}

const operators = 'in, notin, =, ==, !=, gt, lt';

function existenceOf(term: string): Requirement | undefined {
  const [, negation, label] = existence.exec(term) ?? [];
  if (label === undefined) return undefined;
  return (labels) => Object.hasOwn(labels, label) === (negation === '');
}

function comparisonOf(term: string): Requirement | undefined {
  const [, label, operator, wanted = ''] = comparison.exec(term) ?? [];
  if (label === undefined) return undefined;
  if (operator === '!=') return (labels) => labels[label] !== wanted;
  const numberOf = (labels: Values): number => Number.parseInt(labels[label] ?? '', 10);
  if (operator === '<') return (labels) => numberOf(labels) < Number(wanted);
  if (operator === '>') return (labels) => numberOf(labels) > Number(wanted);
  return (labels) => labels[label] === wanted;
}

function membershipOf(term: string): Requirement | undefined {
  const [, label, operator, list = ''] = membership.exec(term) ?? [];
  if (label === undefined) return undefined;
  const wanted = list.split(',').map((item) => item.trim());
  const isWanted: Requirement = (labels) => {
    const actual = labels[label];
    return actual !== undefined && wanted.includes(actual);
  };
  return operator === 'in' ? isWanted : (labels) => !isWanted(labels);
}
