import { isNear } from '../../facts/node/standing.js';
import type { Ranked } from '../../lib/base/ranking.js';
import { countedText, joinTruncated } from '../../lib/base/text.js';
import { absentCount } from '../../people/answers/coverage-notes.js';
import { type NextRow, nextRows } from '../../people/kinds/next-kind.js';
import type { ListedNodeReport } from '../../people/query/list-nodes.js';
import { firstOf } from '../../people/query/list-page.js';
import { maxLimit } from '../../people/query/list-query.js';
import type { PodReport } from '../../people/report/pod-report.js';
import { shardsText } from './shards.js';
import type { AnswerFacts, ListAnswer, ViewParameters, ViewReader } from './view-source.js';

/** Reads what is near, pods and nodes, and says what may be near for all that is known. */
export async function readNext(
  reader: ViewReader,
  parameters: ViewParameters,
  count: number,
): Promise<ListAnswer<NextRow>> {
  const near = { ...parameters, only: 'near' };
  const isOfPodsAlone = asksForPodsAlone(parameters);
  const [pods, unknownPods, nodes, unknown] = await Promise.all([
    reader.list('pods', near, count),
    reader.list('pods', { ...parameters, only: 'unknown' }),
    reader.list('nodes', { only: 'near', search: parameters['node'] }, isOfPodsAlone ? 1 : count),
    reader.list('nodes', { only: 'unknown', search: parameters['node'] }, isOfPodsAlone ? 1 : maxLimit),
  ]);
  const isMeant = ({ node, pressure }: ListedNodeReport): boolean =>
    pressure !== undefined && !isOfPodsAlone && [undefined, node].includes(parameters['node']);
  const ofNodes = nodes.items.filter(isMeant);
  const rows = nextRows(pods.items, ofNodes);
  const nodeCount = isOfPodsAlone ? 0 : nodes.totalCount - (nodes.items.length - ofNodes.length);
  const notes = [...pods.notes, ...(isOfPodsAlone ? [] : unknownNotes(unknown)), ...unknownPodNotes(unknownPods)];
  return { ...pods, notes, ...firstOf(rows, count, pods.totalCount + nodeCount) };
}

const shownCount = 3;

/** Names the nodes of which nobody knows how close they are to a threshold. */
function unknownNotes({ items, totalCount }: Ranked<ListedNodeReport>): readonly string[] {
  const names = items.flatMap(({ node, condition }) => (condition === 'unknown' ? [node] : []));
  if (names.length === 0) return [];
  const count = names.length + totalCount - items.length;
  return [`Not known whether close to evicting pods (explain node): ${joinTruncated(names, shownCount, count)}.`];
}

/** Counts the pods with a limit that may be near, for all that is known: of those that are listed. */
function unknownPodNotes({ items, totalCount }: Ranked<PodReport>): readonly string[] {
  const names = items.filter(isUnknown).map(({ namespace, pod }) => `${namespace}/${pod}`);
  if (names.length === 0) return [];
  const count = `${totalCount > items.length ? 'at least ' : ''}${countedText(names.length, ['pod', 'pods'])}`;
  return [`Unknown: the usage of ${count} with limits (${joinTruncated(names, shownCount)}).`];
}

function isUnknown(pod: PodReport): boolean {
  if (pod.hasLimits !== true || isNear(pod.standing)) return false;
  const isLacking = pod.state === 'unmeasured' ? pod.isExpected : pod.state === 'pending';
  return isLacking || pod.hasUnknownUsage === true || pod.dataState === 'absent';
}

/** Says that nothing is near, of the nodes of which it is known. `node`: the only one that is asked for. */
export function nothingNext(
  parameters: ViewParameters,
  { coverage, shards, notes }: AnswerFacts,
  node: ListedNodeReport | undefined,
): string {
  if (node?.state === 'absent') {
    return `Node ${node.node} has no data (${node.reason}): what is next there is unknown.`;
  }
  const measuredCount = coverage.freshNodeCount + coverage.staleNodeCount;
  const nodeCount = measuredCount + absentCount(coverage);
  if (measuredCount === 0) return 'No node has data: what is next is unknown.';
  const dataText = measuredCount === nodeCount ? '' : ` among the ${measuredCount} of ${nodeCount} nodes with data`;
  const place = shards === undefined ? dataText : ` ${shardsText(shards)}`;
  if (asksForPodsAlone(parameters)) {
    const near = notes.length > 0 ? 'known to be near' : 'near';
    return `None of these pods is ${near} a limit${node === undefined ? place : ''}; nodes are shown without --namespace, --selector and --workload.`;
  }
  return calmText(node, place, notes.length > 0);
}

function calmText(node: ListedNodeReport | undefined, place: string, isPartial: boolean): string {
  if (isPartial) return `Nothing that is known is near a limit or a threshold${node === undefined ? place : ''}.`;
  return node === undefined
    ? `No pod is near a limit, and no node is near a threshold${place}.`
    : `No pod on node ${node.node} is near a limit, and the node is near no threshold.`;
}

/** Nodes belong to no namespace and to no workload. */
function asksForPodsAlone({ namespace, selector, workload }: ViewParameters): boolean {
  return [namespace, selector, workload].some(Boolean);
}
