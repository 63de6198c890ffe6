import type { SimulatedCluster } from '../../sim/cluster.js';

/** What happens between two looks at the exporter. */
export interface Step {
  readonly name: string;
  readonly advanceMs: number;
  readonly change?: (cluster: SimulatedCluster) => Promise<void> | void;
  /** A kubelet does not respond, or may not: each response is waited for on the clock. */
  readonly hangs?: boolean;
  /** A settings file that is applied. */
  readonly settings?: string;
}

export interface Timeline {
  readonly name: string;
  /** Settings file at the start. */
  readonly settings: string;
  readonly steps: readonly Step[];
}

const minuteMs = 60_000;

const faults: readonly Step[] = [
  { name: 'first', advanceMs: 0 },
  { name: 'second', advanceMs: 15_000 },
  {
    name: 'failing',
    advanceMs: minuteMs,
    hangs: true,
    change: async (cluster) => {
      await cluster.setFault('node-1', 'hang');
      await cluster.setFault('node-2', 'status:503');
      await cluster.setFault('node-3', 'restarted');
      await cluster.setFault('node-4', 'empty');
    },
  },
  { name: 'absent', advanceMs: 3 * minuteMs, hangs: true },
  {
    name: 'recovered',
    advanceMs: 2 * minuteMs,
    hangs: true,
    change: async (cluster) => {
      for (const name of ['node-1', 'node-2', 'node-3', 'node-4']) await cluster.setFault(name, undefined);
    },
  },
  {
    name: 'api-server-away',
    advanceMs: minuteMs,
    change: (cluster) => cluster.setApiFault('down'),
  },
  { name: 'api-server-back', advanceMs: 2 * minuteMs, change: (cluster) => cluster.setApiFault(undefined) },
  { name: 'node-gone', advanceMs: 15_000, change: (cluster) => cluster.removeNode('node-5') },
  { name: 'evictions', advanceMs: 12 * minuteMs },
];

const reloads: readonly Step[] = [
  { name: 'first', advanceMs: 90_000 },
  { name: 'labels', advanceMs: 0, settings: 'workloads: {labels: [app]}' },
  { name: 'labels-later', advanceMs: 30_000 },
  { name: 'namespaces', advanceMs: minuteMs, settings: 'cluster: {namespaces: [shop, media]}' },
  { name: 'selected-pods', advanceMs: minuteMs, settings: 'cluster: {podSelector: app}' },
  { name: 'configuration', advanceMs: minuteMs, settings: 'kubelet: {readConfig: false}\nmetrics: {profile: full}' },
  {
    name: 'one-node-skipped',
    advanceMs: minuteMs,
    settings: "cluster: {skipNodes: ['kubernetes.io/hostname=node-2']}",
  },
  { name: 'even', advanceMs: 30_000, settings: 'attribution: even' },
  { name: 'default', advanceMs: 3 * minuteMs, settings: '' },
];

const selectors = `workloads:
  controllers: false
  selectors:
    - {name: all, selector: ''}
    - {name: shop, selector: app, namespaces: [shop]}
    - {name: media, selector: 'app in (thumbnailer, transcoder)'}`;

/** Each with the demo cluster, seed 1, on a manual clock. */
export const timelines: readonly Timeline[] = [
  { name: 'standard', settings: '', steps: faults },
  {
    name: 'full',
    settings: 'metrics: {profile: full, compatibility: k8s-ephemeral-storage-metrics}\nkubelet: {readConfig: true}',
    steps: faults,
  },
  { name: 'minimal', settings: 'metrics: {profile: minimal, maxSeries: 200}', steps: faults.slice(0, 4) },
  { name: 'selectors', settings: `${selectors}\nmetrics: {profile: full}`, steps: faults },
  { name: 'uncached', settings: 'cache: {ttl: 0s, nearTtl: 0s}', steps: faults.slice(0, 5) },
  { name: 'reloads', settings: '', steps: reloads },
];
