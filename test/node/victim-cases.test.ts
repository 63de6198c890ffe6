import { describe, expect, it } from 'vitest';

import { compareAmounts, parseAmount } from '../../src/cluster/kube/quantity.js';
import type { EvictionSignal } from '../../src/cluster/kubelet/eviction-signals.js';
import { evictionRequest, exemptionOf, isActive } from '../../src/facts/node/limits.js';
import { rankVictims, type Victim } from '../../src/facts/node/victims.js';
import { type CaseInput, casePods, readCases } from '../support/kubelet-answers.js';

interface RankCase extends CaseInput {
  readonly requests: Readonly<Record<string, string>>;
  readonly exempt?: Readonly<Record<string, string>>;
  readonly inactive?: readonly string[];
  readonly signals: readonly SignalAnswer[];
}

interface SignalAnswer {
  readonly signals: readonly EvictionSignal[];
  readonly order: readonly (readonly string[])[];
  readonly usage: Readonly<Record<string, number>>;
  readonly first?: readonly string[];
  readonly skipped?: readonly string[];
}

describe.each(['1.26', '1.36', '1.37'])("the kubelet's own orders, version %s", (version) => {
  const answers = readCases(`rank-${version}`);
  const { kubeletVersion } = answers;
  const cases = answers.cases as readonly RankCase[];

  it.each(cases.map((one) => [one.id, one] as const))("orders are the kubelet's in case %s", (_id, one) => {
    const pods = casePods(one);
    const active = pods.filter(({ pod }) => isActive(pod));
    expect(pods.filter(({ pod }) => !isActive(pod)).map(({ pod }) => pod.name)).toEqual(one.inactive ?? []);
    expect(exemptions(active.map(({ pod }) => pod))).toEqual(one.exempt ?? {});
    expect(Object.keys(one.requests).sort()).toEqual(active.map(({ pod }) => pod.name).sort());
    for (const { pod } of active) {
      const request = parseAmount(one.requests[pod.name] ?? '');
      expect(request).toBeDefined();
      expect(compareAmounts(evictionRequest(pod, kubeletVersion), request ?? -1)).toBe(0);
    }
    for (const answer of one.signals) {
      for (const signal of answer.signals) {
        const victims = rankVictims(pods, { signal, layout: one.layout, kubeletVersion });
        expect({ signal, ...answered(victims) }).toEqual({
          signal,
          order: answer.order,
          usage: answer.usage,
          first: answer.first ?? [],
          skipped: [...(answer.skipped ?? [])].sort(),
        });
      }
    }
  });
});

function exemptions(pods: readonly Victim['pod'][]): object {
  return Object.fromEntries(
    pods.flatMap((pod) => (exemptionOf(pod) === undefined ? [] : [[pod.name, exemptionOf(pod)]])),
  );
}

function answered(victims: readonly Victim[]): Omit<SignalAnswer, 'signals'> {
  const ranks = [...new Set(victims.map(({ rank }) => rank))];
  const order = ranks.map((rank) => namesOf(victims.filter((victim) => victim.rank === rank)).sort());
  const evictable = victims.filter(({ exempt }) => exempt === undefined);
  const firstRank = evictable[0]?.rank ?? Infinity;
  return {
    order,
    usage: Object.fromEntries(victims.flatMap(({ pod, usage }) => (usage === undefined ? [] : [[pod.name, usage]]))),
    first: namesOf(evictable.filter(({ rank }) => rank === firstRank)).sort(),
    skipped: namesOf(victims.filter(({ rank, exempt }) => rank <= firstRank && exempt !== undefined)).sort(),
  };
}

function namesOf(victims: readonly Victim[]): string[] {
  return victims.map(({ pod }) => pod.name);
}
