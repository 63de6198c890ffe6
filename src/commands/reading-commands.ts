import { parseSelector } from '../cluster/kube/selector-parser.js';
import { UsageError, UserError } from '../lib/base/errors.js';
import { type ClusterFlags, openAnswers } from '../serve/source/one-shot.js';
import type { CommandContext } from './context.js';
import { explain, type ExplainOptions } from './explain/explain-command.js';
import { connectionWords, sourceWords } from './setting-flags.js';
import { sortOrder } from './top/sort-by.js';
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
