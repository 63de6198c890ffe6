import { type Component, components } from '../node/usage.js';

/** Bytes by component; they add up to the pod's total. */
export type ComponentBytes = Readonly<Record<Component, number>>;

/** In the order in which they are shown. */
export const componentOrder: readonly Component[] = components;
