import type { WorkloadSnapshot } from '../workload/workload-partial.js';
import type { WorkloadPage } from './series-sources.js';
import { originLabels } from './workload-info.js';

/** Formatted in one go; about a millisecond. */
const workloadsPerPage = 100;

/** Pages of workloads: the same ones for the same array, so that their text is kept by reference. */
export class WorkloadPages {
  readonly #kept = new WeakMap<readonly WorkloadSnapshot[], readonly WorkloadPage[]>();

  of(workloads: readonly WorkloadSnapshot[]): readonly WorkloadPage[] {
    const kept = this.#kept.get(workloads);
    if (kept !== undefined) return kept;
    const pages = pagesOf(workloads);
    this.#kept.set(workloads, pages);
    return pages;
  }
}

function pagesOf(workloads: readonly WorkloadSnapshot[]): readonly WorkloadPage[] {
  const labelKeys = new Set(workloads.flatMap(({ workload: { origin } }) => Object.keys(originLabels(origin))));
  const pages: WorkloadPage[] = [];
  for (let start = 0; start < workloads.length; start += workloadsPerPage) {
    pages.push({ workloads: workloads.slice(start, start + workloadsPerPage), labelKeys });
  }
  return pages;
}
