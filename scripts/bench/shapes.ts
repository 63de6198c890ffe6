import type { Profile } from '../../src/exposition/family.js';

/** A cluster of one size. Each pod has two containers, an emptyDir, a configMap and a projected token. */
export interface Shape {
  readonly name: ShapeName;
  readonly nodeCount: number;
  readonly podsPerNode: number;
  /** The settings of a cluster of this size. */
  readonly profile: Profile;
  /** From one scrape of the steady state to the next, where a minute is compressed: long enough for the scrape itself. */
  readonly intervalMs: number;
}

export const shapeNames = ['small-10', 'normal-100', 'dense-100', 'large-1000', 'huge-5000'] as const;
export type ShapeName = (typeof shapeNames)[number];

export const shapes: Readonly<Record<ShapeName, Shape>> = {
  'small-10': { name: 'small-10', nodeCount: 10, podsPerNode: 30, profile: 'standard', intervalMs: 8_000 },
  'normal-100': { name: 'normal-100', nodeCount: 100, podsPerNode: 30, profile: 'standard', intervalMs: 8_000 },
  'dense-100': { name: 'dense-100', nodeCount: 100, podsPerNode: 110, profile: 'standard', intervalMs: 10_000 },
  'large-1000': { name: 'large-1000', nodeCount: 1_000, podsPerNode: 30, profile: 'standard', intervalMs: 15_000 },
  'huge-5000': { name: 'huge-5000', nodeCount: 5_000, podsPerNode: 30, profile: 'minimal', intervalMs: 40_000 },
};

export function podCountOf({ nodeCount, podsPerNode }: Pick<Shape, 'nodeCount' | 'podsPerNode'>): number {
  return nodeCount * podsPerNode;
}
