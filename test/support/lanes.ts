import type { Lane } from '../../src/lib/base/lane.js';

/** Runs each task at once: for what does not depend on when others run. */
export const atOnce: Lane = {
  isHeld: false,
  run: async (task) => task(),
  each: (items, task) => {
    for (const item of items) task(item);
    return Promise.resolve();
  },
};
