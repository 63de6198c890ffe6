import { InvalidArgumentError, Option } from 'commander';

import { didYouMean } from '../config/suggestion.js';

/** What `top` lists. */
export const topResources = ['next', 'workloads', 'pods', 'containers', 'volumes', 'nodes', 'evictions'] as const;
export type TopResource = (typeof topResources)[number];

/** What `explain` explains. */
export const explainResources = ['pod', 'workload', 'node', 'eviction'] as const;
export type ExplainResource = (typeof explainResources)[number];

/** Short forms; singular and plural forms are understood too. */
const shortForms: Readonly<Record<string, TopResource>> = {
  wl: 'workloads',
  po: 'pods',
  co: 'containers',
  vol: 'volumes',
  vols: 'volumes',
  no: 'nodes',
  ev: 'evictions',
};

export function parseTopResource(text: string): TopResource {
  return resourceNamed(text, topResources);
}

export function parseExplainResource(text: string): ExplainResource {
  return resourceNamed(text, explainResources);
}

function resourceNamed<T extends string>(text: string, allowed: readonly T[]): T {
  const word = text.toLowerCase();
  const plural = shortForms[word] ?? (word.endsWith('s') ? word : `${word}s`);
  const found = allowed.find((resource) => resource === plural || `${resource}s` === plural);
  if (found === undefined) {
    throw new InvalidArgumentError(`Allowed choices are ${allowed.join(', ')}${didYouMean(word, allowed)}.`);
  }
  return found;
}

export const topForms = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export const explainForms = ['text', 'json', 'yaml'] as const;

/** `-o`, with the first form as default. */
export function outputFlag(forms: readonly [string, ...string[]]): Option {
  return new Option('-o, --output <form>', 'output format').choices(forms).default(forms[0]);
}
