import type { Labels } from '../../cluster/kube/objects.js';
import type { Workload, WorkloadOrigin } from '../../facts/workload/workload.js';
import type { WorkloadSnapshot } from '../../facts/workload/workload-partial.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { type FamilyGroup, familyGroup, seriesOf, type SeriesSource } from './family.js';
import { infoLabelNames, labelText } from './render.js';
import { pagesOf } from './stable-pages.js';

/** Some of the workloads of one scrape. */
interface WorkloadPage {
  readonly workloads: readonly WorkloadSnapshot[];
  /** Of the label keys behind all workloads of the scrape. */
  readonly labelNames: ReadonlyMap<string, string>;
}

/** Returns what cuts workloads into pages: the same ones for the same array, so that their text is kept by reference. */
export function workloadPager(): (scrape: {
  readonly workloads: readonly WorkloadSnapshot[];
}) => readonly WorkloadPage[] {
  const cached = new WeakMap<readonly WorkloadSnapshot[], readonly WorkloadPage[]>();
  return ({ workloads: all }) =>
    getOrAdd(cached, all, () => {
      const labelNames = infoLabelNames(all.flatMap(({ workload }) => Object.keys(originLabels(workload.origin))));
      return pagesOf(all).map((page) => ({ workloads: page, labelNames }));
    });
}

export const workloads = seriesOf(
  ['namespace', 'workload', 'workload_type'],
  (page: WorkloadPage) => page.workloads,
  ({ workload }) => namesOf(workload),
);

const workloadContainers = seriesOf(
  [...workloads.labels, 'container'],
  (page: WorkloadPage) =>
    page.workloads.flatMap(({ workload, usage }) => (usage?.containers ?? []).map((data) => ({ workload, data }))),
  ({ workload, data: { container } }) => [...namesOf(workload), container],
);

const fixedInfoLabels = [...workloads.labels, 'source'];

/** One for each workload, with the label values behind it. `label_…` stands for one label for each label key. */
const workloadInfos: SeriesSource<WorkloadPage, Workload> = {
  labels: [...fixedInfoLabels, 'label_…'],
  itemsOf: (page) => page.workloads.map(({ workload }) => workload),
  labelsOf({ labelNames }, workload) {
    const { origin } = workload;
    const values = originLabels(origin);
    const ofKeys = Array.from(labelNames.keys(), (key) => (Object.hasOwn(values, key) ? (values[key] ?? '') : ''));
    const labels = [...fixedInfoLabels, ...labelNames.values()];
    return labelText(labels, [...namesOf(workload), origin.source, ...ofKeys]);
  },
};

/** Those of the labels of {@link workloads}. */
export function namesOf({ namespace, name, type }: Workload): readonly string[] {
  return [namespace, name, type];
}

function originLabels(origin: WorkloadOrigin): Labels {
  return origin.source === 'labels' ? origin.labels : {};
}

/** Per workload. While it is backing off its usage is absent; limits, requests and numbers of pods are always known. */
export const workloadGroups: readonly FamilyGroup<WorkloadPage>[] = [
  familyGroup('workload', workloads, {
    workload_used_bytes: {
      profile: 'minimal',
      help: 'Ephemeral storage used by the measured pods of the workload.',
      value: ({ usage }) => usage?.usedBytes,
    },
    workload_pod_max_used_bytes: {
      profile: 'minimal',
      help: 'Ephemeral storage used by the largest measured pod of the workload.',
      value: ({ usage }) => usage?.podMaxUsedBytes,
    },
    workload_limit_bytes: {
      profile: 'minimal',
      help: 'Sum of the ephemeral-storage limits of the expected pods of the workload that have one, measured or not.',
      value: ({ limitBytes }) => limitBytes,
    },
    workload_request_bytes: {
      profile: 'minimal',
      help: 'Sum of the ephemeral-storage requests of the expected pods of the workload that have one, measured or not.',
      value: ({ requestBytes }) => requestBytes,
    },
    workload_pods: {
      profile: 'minimal',
      help: 'Pods of the workload that should be measured: running for longer than the grace period, or measured earlier.',
      value: ({ expectedPods }) => expectedPods,
    },
    workload_pods_measured: {
      profile: 'minimal',
      help: 'Pods of the workload that are measured: its usage is the sum over them.',
      value: ({ measuredPods }) => measuredPods,
    },
    workload_pods_on_absent_nodes: {
      profile: 'minimal',
      help: 'Pods of the workload that should be measured and are not, because their node has no data (node_data_available 0). No series without such pods.',
      value: ({ podsOnAbsentNodes }) => (podsOnAbsentNodes > 0 ? podsOnAbsentNodes : undefined),
    },
    workload_complete: {
      profile: 'minimal',
      help: '1 if all pods of the workload that should be measured are, volumes included; 0 if the sums are partial.',
      value: ({ complete }) => Number(complete),
    },
    workload_data_available: {
      profile: 'minimal',
      help: '1 if the last collection of the workload succeeded; 0 while its usage is absent.',
      value: ({ usage }) => Number(usage !== undefined),
    },
  }),
  familyGroup('workload', workloadContainers, {
    workload_container_used_bytes: {
      profile: 'standard',
      help: 'Ephemeral storage attributed to the containers of this name in the measured pods of the workload.',
      value: ({ data }) => data.usedBytes,
    },
    workload_container_max_used_bytes: {
      profile: 'standard',
      help: 'Largest ephemeral storage attributed to a container of this name in the measured pods of the workload.',
      value: ({ data }) => data.maxUsedBytes,
    },
  }),
  familyGroup('workload', workloadInfos, {
    workload_info: {
      profile: 'standard',
      help: '1; origin of the workload (configured, labels or controller), and the label values of one found by labels.',
      value: () => 1,
    },
  }),
];
