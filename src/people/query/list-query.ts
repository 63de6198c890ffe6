import type { LabelSelector } from '../../cluster/kube/selector.js';
import { parseSelector } from '../../cluster/kube/selector-parser.js';
import { listKinds } from '../../config/served-paths.js';
import { UserError } from '../../lib/base/errors.js';
import { didYouMean } from '../../lib/base/suggestion.js';
import { truncate } from '../../lib/base/text.js';

/** What there are lists of. */
export type ListKind = (typeof listKinds)[number];

/** Which pods, or nodes, are listed alone. */
export const conditions = ['near', 'unknown', 'unenforced'] as const;
export type Condition = (typeof conditions)[number];

/** Orders of each list; the first one is the default. */
export const ordersOf = {
  problems: ['urgency'],
  nodes: ['urgency', 'used', 'full', 'headroom', 'time', 'pods', 'name'],
  pods: ['urgency', 'used', 'ratio', 'time', 'request', 'node', 'name'],
  containers: ['used', 'ratio', 'name'],
  volumes: ['used', 'ratio', 'name'],
  workloads: ['used', 'largest', 'pods', 'limit', 'name'],
  namespaces: ['used', 'pods', 'near', 'evictions', 'name'],
  evictions: ['newest', 'name'],
} as const satisfies Readonly<Record<ListKind, readonly string[]>>;

export const maxLimit = 1_000;
const defaultLimit = 50;
const maxTextLength = 253;

/** Which items of a list are shown. */
export interface ListQuery {
  /** In lower case. Each occurs in what names an item. */
  readonly search: readonly string[];
  /** What the items are called, as commands take it; there is one at least. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly node: string | undefined;
  /** `NAMESPACE/TYPE/NAME`, with `-` for a workload that may span namespaces. */
  readonly workload: string | undefined;
  /** Of the labels of pods. */
  readonly selector: LabelSelector;
  readonly only: Condition | undefined;
  /** Volumes that are a part of what their pods use, and no others. */
  readonly isCountedOnly: boolean;
  readonly order: string;
  /** The parameters as they were given, without empty ones. */
  readonly given: Readonly<Record<string, string>>;
  readonly limit: number;
}

interface Parameter {
  readonly help: string;
  /** Undefined: of all lists. */
  readonly kinds?: readonly ListKind[];
  /** Undefined: any. */
  readonly values?: readonly string[];
  readonly schema: Readonly<Record<string, unknown>>;
}

const text = { type: 'string', maxLength: maxTextLength } as const;

/** Lists of what has a name. */
const ofObjects = listKinds.filter((kind) => kind !== 'problems');
/** Lists of pods, and of what pods have or had. */
const ofPods: readonly ListKind[] = ['pods', 'containers', 'volumes', 'evictions'];

/** The parameters of lists, as the documentation of the API has them. */
export const listParameters: Readonly<Record<string, Parameter>> = {
  search: {
    help: 'Words, each of which occurs in the name of an item. Without regard to case. The name q is the same.',
    schema: text,
  },
  name: {
    help: 'Called so; 404 without any. Of workloads also TYPE/NAME.',
    kinds: ofObjects,
    schema: { type: 'string', maxLength: 3 * maxTextLength },
  },
  namespace: {
    help: 'Of this namespace.',
    kinds: [...ofPods, 'workloads'],
    schema: text,
  },
  node: { help: 'On this node; 404 without it, but of evictions.', kinds: ofPods, schema: text },
  workload: {
    help: 'NAMESPACE/TYPE/NAME, with "-" for the namespace of one that may span them; 404 without it, but of evictions.',
    kinds: ofPods,
    schema: { type: 'string', maxLength: 3 * maxTextLength },
  },
  selector: {
    help: 'Of pods with these labels, in the form of kubectl: app=web,tier!=cache. Of workloads: those that have such pods.',
    kinds: [...ofPods, 'workloads'],
    schema: { type: 'string', maxLength: 1_000 },
  },
  only: {
    help: 'near: pods at 80 % of a limit, or there soon, and nodes with a disk in trouble; unknown: not all is known of it; unenforced: a limit or threshold does not do what it seems to.',
    kinds: ['pods', 'nodes'],
    values: conditions,
    schema: { type: 'string' },
  },
  counted: {
    help: 'yes: only those that are a part of what their pods use.',
    kinds: ['volumes'],
    values: ['yes'],
    schema: { type: 'string' },
  },
  order: { help: 'By what the items are sorted.', schema: { type: 'string' } },
  limit: {
    help: 'Items at most: the first of the order.',
    schema: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
  },
};

/** Returns the names of the parameters that the list has. */
export function parametersOf(kind: ListKind): readonly string[] {
  return Object.keys(listParameters).filter((name) => listParameters[name]?.kinds?.includes(kind) ?? true);
}

/** Throws UserError that names the parameter and what is allowed; `allowed`: names of parameters. */
export function parseListQuery(
  kind: ListKind,
  asked: Readonly<Record<string, unknown>>,
  allowed: readonly string[] = parametersOf(kind),
): ListQuery {
  const parameters = allowed.includes('search') ? named(asked) : asked;
  const unknown = Object.keys(parameters).find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    const names = allowed.length === 0 ? 'none' : allowed.join(', ');
    throw new UserError(`parameter "${shown(unknown)}": allowed: ${names}${didYouMean(unknown, allowed)}`);
  }
  const given = Object.fromEntries(allowed.flatMap((name) => textOf(name, parameters[name])));
  const read = (name: string): string | undefined => given[name];
  return {
    given,
    search: (read('search') ?? '').toLowerCase().split(/\s+/).filter(Boolean),
    name: read('name'),
    namespace: read('namespace'),
    node: read('node'),
    workload: workloadPath(read('workload')),
    selector: parseSelector(read('selector') ?? ''),
    only: among('only', read('only'), conditions),
    isCountedOnly: among('counted', read('counted'), ['yes']) !== undefined,
    order: among('order', read('order'), ordersOf[kind]) ?? ordersOf[kind][0],
    limit: limitOf(read('limit')) ?? defaultLimit,
  };
}

/** With `search` for its other name. */
function named({ q, ...others }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return q === undefined ? others : { search: q, ...others };
}

/** Returns the parameter and its text; nothing for one that is not given or empty, as a form sends it. */
function textOf(name: string, value: unknown): readonly (readonly [name: string, text: string])[] {
  if (value === undefined || value === '') return [];
  if (typeof value !== 'string') throw new UserError(`parameter ${name} is given more than once`);
  const { maxLength } = listParameters[name]?.schema ?? {};
  if (typeof maxLength === 'number' && value.length > maxLength) {
    throw new UserError(`parameter ${name}: found ${value.length} characters, allowed: at most ${maxLength}`);
  }
  return [[name, value]];
}

/** Returns what a parameter may be; undefined for a text or a number. */
export function valuesOf(kind: ListKind, name: string): readonly string[] | undefined {
  if (name === 'order') return ordersOf[kind];
  return listParameters[name]?.values;
}

function among<const T extends string>(name: string, value: string | undefined, allowed: readonly T[]): T | undefined {
  if (value === undefined) return undefined;
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new UserError(
    `parameter ${name}: found "${shown(value)}", allowed: ${allowed.join(', ')}${didYouMean(value, allowed)}`,
  );
}

function limitOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (number >= 1 && number <= maxLimit) return number;
  throw new UserError(`parameter limit: found "${shown(value)}", allowed: an integer from 1 to ${maxLimit}`);
}

function workloadPath(value: string | undefined): string | undefined {
  if (value === undefined || /^[^/]+\/[^/]+\/[^/]+$/.test(value)) return value;
  throw new UserError(`parameter workload: found "${shown(value)}", allowed: NAMESPACE/TYPE/NAME`);
}

function shown(value: string): string {
  return truncate(value, 60);
}

/** Returns whether each word occurs in one of the names; `names`: such as namespace/pod. */
export function matchesSearch(search: ListQuery['search'], names: string): boolean {
  return search.every((word) => names.includes(word)) || matchesLowerCase(search, names);
}

/** Names of Kubernetes are in lower case: others are those of a kubelet that lies. */
function matchesLowerCase(search: ListQuery['search'], names: string): boolean {
  if (!/[A-Z]/.test(names)) return false;
  const lower = names.toLowerCase();
  return search.every((word) => lower.includes(word));
}

/** Returns whether another one is wanted; undefined: any. */
export function isOther(wanted: string | undefined, name: string): boolean {
  return wanted !== undefined && wanted !== name;
}
