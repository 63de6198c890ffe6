import type { Victim } from '../../src/facts/node/victims.js';

/** One of these is evicted first: those of the best rank among the pods that are not exempt. */
export function firstVictims(victims: readonly Victim[]): readonly Victim[] {
  const evictable = victims.filter(({ exempt }) => exempt === undefined);
  return evictable.filter(({ rank }) => rank === evictable[0]?.rank);
}
