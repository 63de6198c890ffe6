import { Option } from 'commander';

/** `-o`, with the first form as default. */
export function outputFlag(forms: readonly [string, ...string[]]): Option {
  return new Option('-o, --output <form>', 'output format').choices(forms).default(forms[0]);
}
