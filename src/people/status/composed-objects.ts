import { workloadPath } from '../../facts/workload/workload.js';
import type { NamespaceObject, NamespaceReport } from '../query/list-namespaces.js';
import type { ListPage } from '../query/list-page.js';
import type { WorkloadObject } from '../query/list-workloads.js';
import type { ShownEviction } from '../report/eviction-report.js';
import type { PodReport } from '../report/pod-report.js';
import { workloadVerdict } from '../report/pod-verdict.js';
import { workloadOf, type WorkloadReport } from '../report/workload-report.js';

export interface Lists {
  readonly workloads: ListPage<WorkloadReport>;
  readonly namespaces: ListPage<NamespaceReport>;
  readonly pods: ListPage<PodReport>;
  readonly evictions: ListPage<ShownEviction>;
}

/** Reads a list of one exporter, or that of several as one. Throws NotFoundError for a name that it lacks. */
export type ReadList = <Kind extends keyof Lists>(
  kind: Kind,
  parameters: Readonly<Record<string, string | undefined>>,
) => Promise<Lists[Kind]>;

const shownEvictions = { limit: '20' };

/** Makes an object whose pods are on many nodes of the lists that it consists of. `given`: parameters of its pods. */
export const composedObjects = {
  workload: async (read: ReadList, name: string, given: Parameters<ReadList>[1]): Promise<WorkloadObject> => {
    const found = await read('workloads', { name });
    const [facts] = found.items;
    if (facts === undefined) throw new Error(`a list of ${name} is empty`);
    const workload = workloadPath(workloadOf(facts));
    const pods = await read('pods', { limit: '50', ...given, workload });
    const near = await read('pods', { workload, only: 'near', limit: '1' });
    const missing = await read('pods', { workload, only: 'unknown', limit: '20' });
    const { items: evictions } = await read('evictions', { workload, ...shownEvictions });
    return { workload: { ...facts, verdict: workloadVerdict(facts, near, evictions[0]) }, pods, missing, evictions };
  },
  namespace: async (read: ReadList, name: string, given: Parameters<ReadList>[1]): Promise<NamespaceObject> => {
    const found = await read('namespaces', { name });
    const [namespace] = found.items;
    if (namespace === undefined) throw new Error(`a list of ${name} is empty`);
    const pods = await read('pods', { limit: '50', ...given, namespace: name });
    const workloads = await read('workloads', { limit: '50', namespace: name });
    const { items: evictions } = await read('evictions', { namespace: name, ...shownEvictions });
    return { namespace, pods, workloads, evictions };
  },
};
