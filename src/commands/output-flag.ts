import { Option } from 'commander';

export const topForms = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export const explainForms = ['text', 'json', 'yaml'] as const;

/** `-o`, with the first form as default. */
export function outputFlag(forms: readonly [string, ...string[]]): Option {
  return new Option('-o, --output <form>', 'output format').choices(forms).default(forms[0]);
}
