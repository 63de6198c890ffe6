import { podsUsed } from '../queries.js';

export const itself = { matchers: ['node="$node"'] } as const;
export const usedByPods = `sum by (cluster) (${podsUsed(itself)})`;
