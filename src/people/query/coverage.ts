import type { AbsenceReason } from '../../facts/node/node-view.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { isAwaitedNode, nodeHint } from '../report/absence-hints.js';
import type { ClusterReading } from './cluster-reading.js';

/** How much of the cluster an answer is made of. */
export interface Coverage {
  /** Of an exporter that measures a part of the nodes only: which part, from 0, and how many there are. */
  readonly shard?: number | undefined;
  readonly totalShards?: number | undefined;
  /** The only node that the exporter measures. */
  readonly onlyNode?: string | undefined;
  readonly freshNodeCount: number;
  readonly staleNodeCount: number;
  /** Nodes that settings leave out. */
  readonly skippedNodeCount: number;
  /** Of the oldest summary that is served; absent without any. */
  readonly oldestDataAgeMs?: number | undefined;
  /** Time after which a kubelet is scraped again; 0: for each answer. */
  readonly ttlMs: number;
  /** Why nothing but evictions is known, and which of them; absent from the first lists of nodes and pods on. */
  readonly notListed?: string | undefined;
  /** The other nodes without data, by reason and what to do. */
  readonly absences: readonly CoverageGap[];
}

export interface CoverageGap {
  readonly reason: AbsenceReason;
  /** Their kubelets have not responded yet, and did not fail: the next answer may have them. */
  readonly isAwaited: boolean;
  readonly nodeCount: number;
  /** The first of them. */
  readonly exampleNodes: readonly string[];
  /** What the last request to one of them failed with. */
  readonly message?: string | undefined;
  /** What to do about it. */
  readonly hint: string;
}

const exampleCount = 5;

/** Takes all nodes at once: counts alone. */
export function coverageOf({ scope, ttlMs, snapshot, failures, apiServer }: ClusterReading): Coverage {
  const counts = { freshNodeCount: 0, staleNodeCount: 0, skippedNodeCount: 0 };
  let oldestDataAgeMs: number | undefined;
  const gaps = new Map<string, GapCounts>();
  for (const view of snapshot.nodes) {
    if (view.state !== 'absent') {
      counts[view.state === 'fresh' ? 'freshNodeCount' : 'staleNodeCount'] += 1;
      oldestDataAgeMs = Math.max(oldestDataAgeMs ?? 0, Math.round(view.ageMs));
    } else if (view.reason === 'skipped') counts.skippedNodeCount += 1;
    else {
      const { nodeName, reason } = view;
      const failure = failures.get(nodeName);
      const isAwaited = isAwaitedNode(reason, failure);
      const hint = nodeHint(reason, failure, apiServer);
      const gap = getOrAdd(gaps, `${reason} ${hint}`, () => newGap({ reason, isAwaited, hint }));
      gap.nodeCount += 1;
      if (gap.exampleNodes.length < exampleCount) gap.exampleNodes.push(nodeName);
      gap.message ??= failure?.message;
    }
  }
  const { shard, totalShards, nodeName: onlyNode } = scope;
  return {
    ...(totalShards > 1 ? { shard, totalShards } : {}),
    onlyNode,
    ...counts,
    oldestDataAgeMs,
    ttlMs,
    absences: [...gaps.values()],
  };
}

interface GapCounts extends Pick<CoverageGap, 'reason' | 'isAwaited' | 'hint'> {
  nodeCount: number;
  readonly exampleNodes: string[];
  message: string | undefined;
}

function newGap(of: Pick<CoverageGap, 'reason' | 'isAwaited' | 'hint'>): GapCounts {
  return { ...of, nodeCount: 0, exampleNodes: [], message: undefined };
}
