import { parseSelector } from '../cluster/kube/selector-parser.js';
import { UsageError, UserError } from '../lib/base/errors.js';
import { didYouMean } from '../lib/base/suggestion.js';
import { terminalText, wrapped } from '../people/pens/terminal-text.js';
import { sortOrders } from '../people/status/document-of.js';
import type { ListResource } from '../serve/source/answer-source.js';
import { type ClusterFlags, openAnswers } from '../serve/source/one-shot.js';
import type { CommandContext } from './context.js';
import { explain, type ExplainOptions } from './explain/explain-command.js';
import { connectionWords, sourceWords } from './setting-flags.js';
import type { CommandOutput } from './text/output.js';
import { top, type TopOptions } from './top/top-command.js';

/** Runs `top` on what the flags name. Throws UsageError for a selector or an order that there is not, before anything is read. */
export async function runTop(
  { sortBy, ...options }: Omit<TopOptions, 'order' | 'column'> & { readonly sortBy: string | undefined },
  cluster: ClusterFlags,
  context: CommandContext,
): Promise<void> {
  checkSelector(options.selector);
  const order = sortBy === undefined ? {} : sortOrder(sortBy, options.resource);
  await top({ ...options, ...order }, openAnswers(cluster, context), context);
}

/** Runs `explain` on what the flags name. */
export async function runExplain(
  options: ExplainOptions,
  cluster: ClusterFlags,
  context: CommandContext,
): Promise<void> {
  const { invocation } = context;
  const called = { invocation, connection: connectionWords(cluster), source: sourceWords(cluster) };
  await explain(options, { open: openAnswers(cluster, context), called }, context);
}

/** The API would refuse it as a parameter. */
function checkSelector(text: string): void {
  try {
    parseSelector(text);
  } catch (error) {
    throw error instanceof UserError ? new UsageError(`--selector: ${error.message}`, { cause: error }) : error;
  }
}

/** Returns what `--sort-by` names, also as `.used` or `{.used}`. Throws UsageError. */
export function sortOrder(text: string, resource: ListResource): Pick<TopOptions, 'order' | 'column'> {
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
export function columnsHelp(resource: ListResource, { terminal }: Pick<CommandOutput, 'terminal'>): string {
  const lines = Object.entries(sortOrders(resource)).flatMap(([name, { about = '' }]) => {
    const [first = '', ...others] = about === '' ? [] : wrapped([about], (terminal()?.columns ?? 80) - indent.length);
    return first === ''
      ? []
      : [`  ${name.toUpperCase()}`.padEnd(indent.length) + first, ...others.map((line) => indent + line)];
  });
  return ['', `Columns of ${resource}:`, ...lines].join('\n');
}

const indent = ' '.repeat(15);
