import type { KubeconfigEntries } from '../credentials/kubeconfig-names.js';
import type { LinePosition } from './command-model.js';
import { parseExplainTarget, parseTopResource } from './resources.js';
import { workloadTypeOf } from './workload-lookup.js';

/** Types of workloads that no other workload makes. */
export const listedTypes = ['deployment', 'statefulset', 'daemonset', 'cronjob'] as const;
type ListedType = (typeof listedTypes)[number];

export type NameableObjects = 'namespaces' | 'nodes' | 'pods' | 'containers' | 'evictions' | 'workloads' | ListedType;

/** Where a word is a name, as far as it is written. */
export interface NamePlace {
  /** Objects of the API server, or entries of the kubeconfig. */
  readonly kind: NameableObjects | KubeconfigEntries;
  /** What stands before the name in the same word, such as `pod/`. */
  readonly prefix: string;
  readonly word: string;
  /** With the namespace, also where one is chosen. */
  readonly isFull?: true;
  /** Of pods: only those on this node. */
  readonly node?: string | undefined;
  /** Of containers: the one that they are of. */
  readonly pod?: string | undefined;
}

const flagKinds: Readonly<Record<string, NamePlace['kind']>> = {
  '-n': 'namespaces',
  '--namespace': 'namespaces',
  '--node': 'nodes',
  '--workload': 'workloads',
  '--context': 'contexts',
  '--cluster': 'clusters',
  '--user': 'users',
};

/** Returns what the last word may name, where it is a name of the cluster or of the kubeconfig; undefined elsewhere. */
export function namePlace({ flag, operands }: LinePosition, word: string): NamePlace | undefined {
  if (flag !== undefined) return placeOfFlag(flag, operands, word);
  const [command, resource = ''] = operands;
  if (operands.length === 2)
    return placeOf(command === 'top' ? topKind(resource) : explainKind(command, resource), word);
  return operands.length === 1 ? placeInWord(explainKind(command, beforeSlash(word)), word) : undefined;
}

function placeOfFlag(flag: string, operands: readonly string[], word: string): NamePlace | undefined {
  if (flag === '--without') return { kind: 'pods', prefix: '', word, isFull: true, node: explainedNode(operands) };
  if (flag === '-c' || flag === '--container') return containerPlace(operands, word);
  if (flag !== '--field-selector') return placeOf(flagKinds[flag], word);
  const prefix = 'spec.nodeName=';
  return { kind: 'nodes', prefix, word: word.startsWith(prefix) ? word.slice(prefix.length) : '' };
}

/** Nothing without the name of a pod. */
function containerPlace([, resource = '', name]: readonly string[], word: string): NamePlace {
  const target = parsedOrNone(() => parseExplainTarget(resource, name));
  return { kind: 'containers', prefix: '', word, pod: target?.resource === 'pod' ? target.name : '' };
}

/** Of workloads the word may begin with a type. */
function placeOf(kind: NamePlace['kind'] | undefined, word: string): NamePlace | undefined {
  if (kind === undefined) return undefined;
  const type = kind === 'workloads' ? listedType(beforeSlash(word)) : undefined;
  return type === undefined ? { kind, prefix: '', word } : placeInWord(type, word);
}

/** The kind is named in the word itself. */
function placeInWord(kind: NameableObjects | undefined, word: string): NamePlace | undefined {
  const start = word.indexOf('/') + 1;
  const place = start === 0 ? undefined : placeOf(kind, word.slice(start));
  return place && { ...place, prefix: word.slice(0, start) + place.prefix };
}

function beforeSlash(word: string): string {
  return word.slice(0, Math.max(0, word.indexOf('/')));
}

function topKind(resource: string): NameableObjects | undefined {
  const parsed = parsedOrNone(() => parseTopResource(resource));
  return parsed === 'nodes' || parsed === 'pods' ? parsed : undefined;
}

function explainKind(command: string | undefined, resource: string): NameableObjects | undefined {
  if (command !== 'explain') return undefined;
  if (workloadTypeOf(resource) !== undefined) return listedType(resource);
  const target = parsedOrNone(() => parseExplainTarget(resource, 'name'));
  return target && `${target.resource}s`;
}

function explainedNode([, resource = '', name]: readonly string[]): string | undefined {
  const target = parsedOrNone(() => parseExplainTarget(resource, name));
  return target?.resource === 'node' ? target.name : undefined;
}

function listedType(text: string): ListedType | undefined {
  const named = workloadTypeOf(text);
  return listedTypes.find((type) => type === named);
}

/** An unfinished line may have faults. */
function parsedOrNone<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
