import { InvalidArgumentError } from 'commander';

import { UsageError } from '../../lib/base/errors.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import type { ListResource } from '../../serve/source/answer-source.js';
import type { TopOptions } from './top-command.js';

export interface NamespaceFlags {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
}

export interface TopFlags extends NamespaceFlags {
  readonly selector?: string;
  readonly workload?: string;
  readonly node?: string;
  /** The node that it names. */
  readonly fieldSelector?: string;
  readonly containers?: boolean;
  readonly sortBy?: string;
  readonly limit?: number;
  readonly output: TopOptions['output'];
  readonly headers: boolean;
  readonly watch?: boolean;
  readonly interval?: number;
  readonly help?: boolean;
}

const defaultIntervalMs = 5000;

/** As with kubectl: all namespaces include one, and an empty namespace counts as not set. */
export function namespaceOptions(flags: NamespaceFlags): Pick<TopOptions, 'namespace' | 'allNamespaces'> {
  const allNamespaces = flags.allNamespaces === true;
  const namespace = allNamespaces || flags.namespace === '' ? undefined : flags.namespace;
  return { namespace, allNamespaces };
}

/** Throws UsageError for flags that do not go together, or not with what is listed. */
export function topOptions(
  resource: ListResource,
  name: string | undefined,
  flags: TopFlags,
): Omit<TopOptions, 'order' | 'column'> {
  for (const [isWrong, message] of misuses(resource, name, flags)) if (isWrong) throw new UsageError(message);
  const { selector = '', node, fieldSelector, workload, limit, output, headers, watch, interval } = flags;
  return {
    ...namespaceOptions(flags),
    resource: flags.containers === true ? 'containers' : resource,
    name,
    selector,
    node: node ?? fieldSelector,
    workload,
    limit: limit === 0 ? Infinity : limit,
    output,
    hasHeader: headers,
    watchIntervalMs: watch === true ? (interval ?? defaultIntervalMs) : undefined,
  };
}

type Misuse = readonly [isWrong: boolean, message: string];

function misuses(resource: ListResource, name: string | undefined, flags: TopFlags): readonly Misuse[] {
  const { interval, watch, containers } = flags;
  const isNamed = ['pods', 'nodes', 'namespaces'].includes(resource);
  return [
    [interval !== undefined && watch !== true, '--interval needs --watch'],
    [containers === true && resource !== 'pods', '--containers is for pods'],
    [name !== undefined && !isNamed, nameMisuse(resource, name)],
    ...placeMisuses(resource, flags),
  ];
}

function placeMisuses(
  resource: ListResource,
  { node, fieldSelector, selector, workload }: TopFlags,
): readonly Misuse[] {
  const isOfNone = resource === 'nodes' || resource === 'namespaces';
  const hasPlace = (node ?? fieldSelector) !== undefined;
  const choosesPods = (selector ?? workload) !== undefined;
  return [
    [hasPlace && resource === 'nodes', 'top nodes takes no --node: name the node instead, as in "top node NAME"'],
    [hasPlace && resource === 'namespaces', 'top namespaces takes no --node: a namespace may be on all'],
    [hasPlace && resource === 'workloads', 'top workloads takes no --node: a workload may be on many'],
    [isOfNone && choosesPods, `top ${resource} takes no --selector and no --workload: they choose pods`],
  ];
}

function nameMisuse(resource: ListResource, name = ''): string {
  return `top ${resource} takes no name: found "${terminalText(name)}"; --workload and --node choose pods`;
}

/** Returns the node. */
export function parseFieldSelector(text: string): string {
  const node = /^spec\.nodeName==?([-.a-z0-9]+)$/.exec(text)?.[1];
  if (node !== undefined) return node;
  throw new InvalidArgumentError('allowed: spec.nodeName=NODE');
}
