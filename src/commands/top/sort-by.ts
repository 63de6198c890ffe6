import { UsageError } from '../../lib/base/errors.js';
import { didYouMean } from '../../lib/base/suggestion.js';
import { terminalText, wrapped } from '../../people/pens/terminal-text.js';
import { sortOrders } from '../../people/status/listed-kinds.js';
import type { TopResource } from '../resources.js';
import type { CommandOutput } from '../text/output.js';
import type { TopOptions } from './top-command.js';

/** Returns what `--sort-by` names, also as `.used` or `{.used}`. Throws UsageError. */
export function sortOrder(text: string, resource: TopResource): Pick<TopOptions, 'order' | 'column'> {
  if (resource === 'next') throw new UsageError('top next takes no --sort-by: the soonest are first');
  const orders = sortOrders(resource);
  const word = text.replace(/^\{?\.?(.*?)\}?$/, '$1').toLowerCase();
  const found = Object.hasOwn(orders, word) ? orders[word] : undefined;
  if (found !== undefined) return { order: found.order, column: found.column };
  const names = Object.keys(orders);
  const allowed = `${names.join(', ')}${didYouMean(Object.hasOwn(synonyms, word) ? (synonyms[word] ?? word) : word, names)}`;
  throw new UsageError(`--sort-by: found "${terminalText(text)}", allowed: ${allowed}`);
}

const synonyms: Readonly<Record<string, string>> = { usage: 'used', size: 'used', memory: 'used' };

/** Says what the columns of a list mean, for its help: those that do not say it by their names. */
export function columnsHelp(resource: TopResource, { terminal }: Pick<CommandOutput, 'terminal'>): string {
  const lines = Object.entries(sortOrders(resource)).flatMap(([name, { about = '' }]) => {
    const [first = '', ...others] = about === '' ? [] : wrapped([about], (terminal()?.columns ?? 80) - indent.length);
    return first === ''
      ? []
      : [`  ${name.toUpperCase()}`.padEnd(indent.length) + first, ...others.map((line) => indent + line)];
  });
  return ['', `Columns of ${resource}:`, ...lines].join('\n');
}

const indent = ' '.repeat(15);
