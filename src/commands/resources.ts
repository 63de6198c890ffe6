import { Option } from 'commander';

import { workloadTypeOf, workloadTypes } from '../facts/workload/workload-types.js';
import { UsageError } from '../lib/base/errors.js';
import { didYouMean } from '../lib/base/suggestion.js';
import { terminalText } from '../people/pens/terminal-text.js';
import type { ListResource, ObjectQuestion } from '../serve/source/answer-source.js';

/** What `top` lists. */
export const topResources = [
  'next',
  'workloads',
  'pods',
  'containers',
  'volumes',
  'nodes',
  'namespaces',
  'evictions',
] as const satisfies readonly ListResource[];

/** What `explain` explains. */
export const explainResources = ['pod', 'workload', 'node', 'namespace', 'eviction'] as const;

/** Singular and plural forms are understood too. */
const shortForms: Readonly<Record<string, ListResource>> = {
  wl: 'workloads',
  po: 'pods',
  co: 'containers',
  vol: 'volumes',
  vols: 'volumes',
  no: 'nodes',
  ns: 'namespaces',
  ev: 'evictions',
};

/** Throws UsageError. */
export function parseTopResource(text: string): ListResource {
  const resource = resourceNamed(text, topResources);
  if (resource !== undefined) return resource;
  const [kind = '', ...names] = text.split('/');
  const place = `top "${terminalText(text)}"`;
  if (names.length > 0 && resourceNamed(kind, topResources) !== undefined) {
    throw new UsageError(`${place}: write the name apart, as in "top ${terminalText(`${kind} ${names.join('/')}`)}"`);
  }
  if (workloadTypeOf(kind) === undefined) throw notAllowed(place, text, topResources);
  throw new UsageError(`${place}: use "top workloads", or "explain ${terminalText(kind)}/NAME" for one`);
}

/**
 * Returns the thing that is named as kubectl does: `pod NAME`, `pod/NAME`, `deploy/NAME`, `deployment NAME`,
 * `deployment.apps/NAME`; the name as it was written, of a workload with its type, where it was named. Throws UsageError.
 */
export function parseExplainTarget(word: string, second: string | undefined): Omit<ObjectQuestion, 'namespace'> {
  const slash = word.indexOf('/');
  const [kind, name] = slash < 0 ? [word, second] : [word.slice(0, slash), word.slice(slash + 1)];
  if (slash >= 0 && second !== undefined) {
    throw new UsageError(`explain "${terminalText(word)}" takes no second name: found "${terminalText(second)}"`);
  }
  if (kind === '') throw new UsageError(`explain "${terminalText(word)}": expected RESOURCE/NAME, as in "pod/NAME"`);
  const target = targetOf(kind, name ?? '');
  if (name !== undefined && name !== '') return target;
  throw new UsageError(`explain ${target.resource}: the name is missing, as in "explain ${target.resource} NAME"`);
}

function targetOf(kind: string, name: string): Omit<ObjectQuestion, 'namespace'> {
  if (workloadTypeOf(kind) !== undefined) {
    const end = name.lastIndexOf('/') + 1;
    return { resource: 'workload', name: `${name.slice(0, end)}${kind}/${name.slice(end)}` };
  }
  const resource = resourceNamed(kind, explainResources);
  if (resource !== undefined) return { resource, name };
  throw notAllowed(`explain "${terminalText(kind)}"`, kind, [...explainResources, ...workloadTypes]);
}

function resourceNamed<T extends string>(text: string, allowed: readonly T[]): T | undefined {
  const word = text.toLowerCase();
  const plural = shortForms[word] ?? (word.endsWith('s') ? word : `${word}s`);
  return allowed.find((resource) => resource === plural || `${resource}s` === plural);
}

function notAllowed(place: string, word: string, allowed: readonly string[]): UsageError {
  return new UsageError(`${place}: allowed: ${allowed.join(', ')}${didYouMean(word.toLowerCase(), allowed)}`);
}

export const topForms = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export const explainForms = ['text', 'json', 'yaml'] as const;

/** `-o`, with the first form as default. */
export function outputFlag(forms: readonly [string, ...string[]]): Option {
  return new Option('-o, --output <form>', 'output format').choices(forms).default(forms[0]);
}

/**
 * Whether the API server takes a name as part of a path, as kubectl checks it too.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#path-segment-names
 */
export function isPathSegment(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);
}
