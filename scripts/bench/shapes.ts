import type { Profile } from '../../src/metrics/exposition/family.js';
import { nodeNameOf } from './cluster/pods.js';

/** A cluster of one size. Each pod has two containers, an emptyDir, a configMap and a projected token. */
export interface Shape {
  readonly name: ShapeName;
  readonly nodeCount: number;
  readonly podsPerNode: number;
  /** The settings of a cluster of this size. */
  readonly profile: Profile;
  /** From one scrape to the next, in milliseconds. */
  readonly scrapeEveryMs: number;
  /** The same where time is compressed: long enough for the scrape itself. */
  readonly intervalMs: number;
  /** As `PATH=VALUE`. */
  readonly settings?: readonly string[];
}

const minuteMs = 60_000;
/** What Prometheus scrapes of a DaemonSet. */
const quarterMs = 15_000;

export const shapeNames = ['small-10', 'normal-100', 'dense-100', 'large-1000', 'huge-5000', 'node-local'] as const;
export type ShapeName = (typeof shapeNames)[number];

export const shapes: Readonly<Record<ShapeName, Shape>> = {
  'small-10': {
    name: 'small-10',
    nodeCount: 10,
    podsPerNode: 30,
    profile: 'standard',
    scrapeEveryMs: minuteMs,
    intervalMs: 8_000,
  },
  'normal-100': {
    name: 'normal-100',
    nodeCount: 100,
    podsPerNode: 30,
    profile: 'standard',
    scrapeEveryMs: minuteMs,
    intervalMs: 8_000,
  },
  'dense-100': {
    name: 'dense-100',
    nodeCount: 100,
    podsPerNode: 110,
    profile: 'standard',
    scrapeEveryMs: minuteMs,
    intervalMs: 10_000,
  },
  'large-1000': {
    name: 'large-1000',
    nodeCount: 1_000,
    podsPerNode: 30,
    profile: 'standard',
    scrapeEveryMs: minuteMs,
    intervalMs: 15_000,
  },
  'huge-5000': {
    name: 'huge-5000',
    nodeCount: 5_000,
    podsPerNode: 30,
    profile: 'minimal',
    scrapeEveryMs: minuteMs,
    intervalMs: 40_000,
  },
  'node-local': {
    name: 'node-local',
    nodeCount: 1,
    podsPerNode: 110,
    profile: 'standard',
    scrapeEveryMs: quarterMs,
    intervalMs: quarterMs,
    settings: [`cluster.node=${nodeNameOf(0)}`],
  },
};

export function podCountOf({ nodeCount, podsPerNode }: Pick<Shape, 'nodeCount' | 'podsPerNode'>): number {
  return nodeCount * podsPerNode;
}
