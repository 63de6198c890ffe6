import { workloadPath } from '../../facts/workload/workload.js';
import { UserError } from '../../lib/base/errors.js';
import { joinTruncated } from '../../lib/base/text.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import { shownName, workloadOf } from '../../people/report/workload-report.js';
import type { ViewReader } from './view-source.js';

/** A workload that there is, or was: it is known by its evictions too. */
export interface FoundWorkload {
  readonly workloadNamespace: string;
  /** See `workloadPath`. */
  readonly path: string;
}

/** Finds the workload of the name, see `isNamed`. Throws UserError where there are several, and NotFoundError. */
export async function findWorkload(
  reader: ViewReader,
  name: string,
  namespace: string | undefined,
): Promise<FoundWorkload> {
  const { items } = await reader.list('workloads', { name, namespace });
  const exact = items.filter(({ workloadNamespace, workload }) => workloadNamespace === '' && workload === name);
  const [found, ...others] = exact.length > 0 ? exact : items;
  if (found !== undefined && others.length === 0)
    return { workloadNamespace: found.workloadNamespace, path: workloadPath(workloadOf(found)) };
  const names = joinTruncated(items.map(shownName).map(terminalText).sort(), maxNamesCount);
  throw new UserError(`workload "${terminalText(name)}" is ambiguous: ${names}`);
}

const maxNamesCount = 10;
