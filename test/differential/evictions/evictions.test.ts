import fc from 'fast-check';
import { expect, it } from 'vitest';

import type { EvictionSnapshot } from '../../../src/facts/history/eviction-snapshot.js';
import type { ParsedFamily } from '../../support/exposition-parser.js';
import { sharedParts } from '../../support/living-core.js';
import { Draws } from '../draws.js';
import { roundCount, seed, timeoutMs } from '../rounds.js';
import { EvictionHistory } from './eviction-history.js';
import { podScopes, workloadKinds } from './history-settings.js';
import { endingWays, listFaults, settings, timedStep, watchFaults } from './history-steps.js';
import type { RunningExporter } from './running-exporter.js';
import { evictionEndings, otherEndings } from './simulated-pods.js';

/** As `LEVEL NAME CAUSE`; those above 0. */
type Counts = ReadonlyMap<string, number>;

function countsIn({ workloads, nodes }: EvictionSnapshot): Counts {
  const ofWorkloads = workloads.flatMap(({ of: { namespace, name }, counts }) =>
    [...counts].map(([cause, count]) => [`workload ${namespace}/${name} ${cause}`, count] as const),
  );
  const ofNodes = nodes.flatMap(({ of, counts }) =>
    [...counts].map(([cause, count]) => [`node ${of} ${cause}`, count] as const),
  );
  return new Map([...ofWorkloads, ...ofNodes].filter(([, count]) => count > 0));
}

function countsOf(families: readonly ParsedFamily[]): Counts {
  const samples = (name: string) =>
    families.find((family) => family.name === `ephemeral_storage_${name}`)?.samples ?? [];
  const ofWorkloads = samples('workload_evictions_total').map(
    ({ labels, value }) =>
      [`workload ${labels['namespace'] ?? ''}/${labels['workload'] ?? ''} ${labels['cause'] ?? ''}`, value] as const,
  );
  const ofNodes = samples('node_evictions_total').map(
    ({ labels, value }) => [`node ${labels['node'] ?? ''} ${labels['cause'] ?? ''}`, value] as const,
  );
  return new Map([...ofWorkloads, ...ofNodes].filter(([, value]) => value > 0));
}

/** What Prometheus makes of the counters of one exporter: one that is gone or lower than before begins at 0 again. */
class Increase {
  readonly total = new Map<string, number>();
  #last: Counts = new Map();

  add(counts: Counts): void {
    for (const [key, count] of counts) {
      const last = this.#last.get(key) ?? 0;
      const increase = count >= last ? count - last : count;
      if (increase > 0) this.total.set(key, (this.total.get(key) ?? 0) + increase);
    }
    this.#last = counts;
  }
}

const sorted = (counts: Counts): readonly string[] => [...counts].map(([key, count]) => `${key}: ${count}`).sort();

/** Compares what each exporter of a history says with the oracle. */
function comparison(): (history: EvictionHistory) => Promise<void> {
  const seen = new WeakMap<RunningExporter, Increase>();
  return async ({ exporter, oracle }) => {
    const snapshot = await exporter.evictions();
    if (snapshot === undefined) return;
    const increase = seen.get(exporter) ?? new Increase();
    seen.set(exporter, increase);
    increase.add(countsIn(snapshot));
    expect(sorted(increase.total)).toEqual(sorted(oracle.counts));
    expect(exporter.records.map(({ uid }) => uid).sort()).toEqual([...oracle.records.keys()].sort());
  };
}

const expectedDraws = [
  ...['add', 'touch', 'relabel', 'delete', 'replace'].map((change) => `change: ${change}`),
  ...endingWays.map((way) => `way: ${way}`),
  ...new Set([...evictionEndings, ...otherEndings].map(({ cause }) => `ending: ${cause ?? 'no storage'}`)),
  ...watchFaults.map((fault) => `fault: watches ${fault}`),
  ...listFaults.map((fault) => `fault: request ${fault}`),
  ...['gap', 'relist', 'slow lists', 'scrape', 'restart'].map((step) => `step: ${step}`),
  ...['pods', 'role', 'workloads', 'ttlSeconds'].map((part) => `reload: ${part}`),
  ...Object.keys(podScopes).map((pods) => `setting: ${pods}`),
  ...workloadKinds.map((workloads) => `setting: workloads by ${workloads}`),
  ...['setting: one role', 'setting: all roles', 'outcome: counted', 'outcome: listed alone'],
];

it(
  'evictions of any history are counted once, by cause, for their node and workloads',
  async () => {
    const [draws, parts] = [new Draws(), sharedParts()];
    process.stdout.write(`evictions: ${roundCount} rounds, SEED=${seed}\n`);
    await fc.assert(
      fc.asyncProperty(settings, fc.array(timedStep, { minLength: 5, maxLength: 40 }), async (first, steps) => {
        await using history = new EvictionHistory(first, draws, parts, comparison());
        await history.perform({ type: 'elapse', ms: 1, isAtOnce: false });
        for (const step of steps) await history.perform(step);
        await history.recover();
        const { exporter, oracle } = history;
        const snapshot = await exporter.evictions();
        if (snapshot === undefined) throw new Error('the first lists have not arrived');
        expect(sorted(countsOf(await exporter.exposition()))).toEqual(sorted(countsIn(snapshot)));
        const recorded = new Set(exporter.records.map(({ uid }) => uid));
        expect(history.listedUids.filter((uid) => !recorded.has(uid))).toEqual([]);
        for (const uid of oracle.records.keys())
          draws.add('outcome', oracle.isCounted(uid) ? 'counted' : 'listed alone');
      }),
      { numRuns: roundCount, seed },
    );
    process.stdout.write(`${draws.lines.join('\n')}\n`);
    expect(draws.rare(expectedDraws)).toEqual([]);
  },
  timeoutMs,
);
