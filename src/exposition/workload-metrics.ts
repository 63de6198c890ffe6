import { Gauge, Registry } from 'prom-client';

import type { TimeSlicer } from '../base/time-slicer.js';
import type { WorkloadSnapshot } from '../scrape/snapshot.js';
import type { FamilyGroup } from './family.js';
import { type FamilyPredicate, groupsOf } from './selection.js';
import { workloadGroups, workloadInfoFamily } from './workload-families.js';
import { workloadInfo } from './workload-info.js';

type Fill = (snapshot: WorkloadSnapshot) => void;

export interface WorkloadRegistryOptions {
  readonly workloads: readonly WorkloadSnapshot[];
  readonly isWanted: FamilyPredicate;
  readonly slicer: TimeSlicer;
}

/** Taken in in one go; about a millisecond. */
const workloadsPerSlice = 100;

/**
 * The workload families of one scrape, in a registry of their own: nothing is shared between scrapes, so no series of
 * a vanished workload can stay behind. Rejects with the signal's reason.
 */
export async function workloadRegistry(
  { workloads, isWanted, slicer }: WorkloadRegistryOptions,
  signal: AbortSignal,
): Promise<Registry> {
  const registry = new Registry();
  const fills = groupsOf(workloadGroups, isWanted).map((group) => groupFill(group, registry));
  if (isWanted(workloadInfoFamily)) fills.push(infoFill(workloads, registry));
  for (let start = 0; start < workloads.length; start += workloadsPerSlice) {
    signal.throwIfAborted();
    await slicer.run(() => {
      for (const snapshot of workloads.slice(start, start + workloadsPerSlice)) {
        for (const fill of fills) fill(snapshot);
      }
    });
  }
  return registry;
}

function groupFill(group: FamilyGroup<WorkloadSnapshot>, registry: Registry): Fill {
  const gauges = group.families.map(
    ({ name, help, labels }) => new Gauge({ name, help, labelNames: labels, registers: [registry] }),
  );
  return (snapshot) => {
    for (const { labelValues, values } of group.samples(snapshot)) {
      const labels = Object.fromEntries(group.labels.map((name, index) => [name, labelValues[index] ?? '']));
      for (const [index, gauge] of gauges.entries()) {
        const value = values[index];
        if (value !== undefined) gauge.set(labels, value);
      }
    }
  };
}

function infoFill(snapshots: readonly WorkloadSnapshot[], registry: Registry): Fill {
  const { name, help } = workloadInfoFamily;
  const { labelNames, labelsOf } = workloadInfo(snapshots.map(({ workload }) => workload));
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  return ({ workload }) => {
    gauge.set(labelsOf(workload), 1);
  };
}
