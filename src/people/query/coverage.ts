import type { AbsenceReason, NodeView } from '../../facts/node/node-view.js';
import { groupBy } from '../../lib/base/maps.js';
import { countedText, formatCount } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
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
  /** Changes of nodes and pods are not seen. */
  readonly isApiServerAway?: true | undefined;
  /** Why nothing but evictions is known, and which of them; absent from the first lists of nodes and pods on. */
  readonly notListed?: string | undefined;
  /** The other nodes without data, by reason and what to do. */
  readonly absences: readonly CoverageGap[];
}

interface CoverageGap {
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
export function coverageOf({ scope, ttlMs, snapshot: { nodes }, failures, apiServer }: ClusterReading): Coverage {
  const { shard, totalShards, nodeName: onlyNode } = scope;
  const countOf = (state: NodeView['state']): number => nodes.filter((view) => view.state === state).length;
  const ages = nodes.flatMap((view) => (view.state === 'absent' ? [] : [Math.round(view.ageMs)]));
  const absent = nodes.filter((view) => view.state === 'absent');
  const lacking = absent.filter(({ reason }) => reason !== 'skipped');
  const gaps = groupBy(lacking, ({ nodeName, reason }) => {
    return `${reason} ${nodeHint(reason, failures.get(nodeName), apiServer)}`;
  });
  return {
    ...(totalShards > 1 ? { shard, totalShards } : {}),
    onlyNode,
    isApiServerAway: apiServer.isAway || undefined,
    freshNodeCount: countOf('fresh'),
    staleNodeCount: countOf('stale'),
    skippedNodeCount: absent.length - lacking.length,
    oldestDataAgeMs: ages.length === 0 ? undefined : ages.reduce((a, b) => Math.max(a, b)),
    ttlMs,
    absences: Array.from(gaps.values(), ([{ nodeName, reason }, ...others]) => {
      const names = [nodeName, ...others.map((other) => other.nodeName)];
      return {
        reason,
        isAwaited: isAwaitedNode(reason, failures.get(nodeName)),
        hint: nodeHint(reason, failures.get(nodeName), apiServer),
        nodeCount: names.length,
        exampleNodes: names.slice(0, exampleCount),
        message: names.map((name) => failures.get(name)?.message).find((message) => message !== undefined),
      };
    }),
  };
}

/** Says how old the data is, and, `isWatched`, when there is newer data; undefined without any. */
export function ageNote(coverage: Coverage, isWatched = false): string | undefined {
  const { freshNodeCount, staleNodeCount, oldestDataAgeMs, ttlMs } = coverage;
  const count = freshNodeCount + staleNodeCount;
  if (count === 0 || oldestDataAgeMs === undefined) return undefined;
  const stale = staleNodeCount === 0 ? '' : `, ${formatCount(staleNodeCount)} of them stale`;
  const nextMs = Math.max(0, ttlMs - oldestDataAgeMs);
  const next = isWatched && nextMs >= 1_000 ? `; the next values come within ${formatAge(nextMs)}` : '';
  return `Data from ${formatCount(count)} of ${formatCount(count + absentCount(coverage))} nodes${stale}, up to ${formatAge(oldestDataAgeMs)} old${next}.`;
}

/** Says what an answer may lack, a sentence each. `isOfObject`: a node that is silent elsewhere is not missing from it. */
export function missingNotes(coverage: Coverage, isOfObject = false): readonly string[] {
  const { absences, skippedNodeCount, isApiServerAway } = coverage;
  const away = isApiServerAway === true ? [awayNote] : [];
  if (isOfObject) return away;
  const failed = absences.flatMap(({ reason, isAwaited, exampleNodes }) =>
    exampleNodes.map((name) => `${name} (${isAwaited ? 'no response yet' : reason})`),
  );
  const shown = failed.slice(0, exampleCount);
  const hiddenCount = absentCount(coverage) - shown.length;
  const more = hiddenCount > 0 ? ` and ${formatCount(hiddenCount)} more` : '';
  return [
    ...away,
    ...(shown.length === 0 ? [] : [`No data from ${shown.join(', ')}${more}.`]),
    ...(skippedNodeCount === 0
      ? []
      : [`Skipped by cluster.skipNodes: ${countedText(skippedNodeCount, ['node', 'nodes'])}.`]),
  ];
}

const awayNote = 'The API server is not reachable: nodes and pods are those from before, and may be gone.';

/** Nodes without data that are to be measured. */
export function absentCount({ absences }: Coverage): number {
  return absences.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
}
