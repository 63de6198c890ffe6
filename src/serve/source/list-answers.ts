import { isNear } from '../../facts/node/standing.js';
import { workloadPath } from '../../facts/workload/workload.js';
import { UserError } from '../../lib/base/errors.js';
import { byNames, largestFirst, type Ranked } from '../../lib/base/ranking.js';
import { meantText } from '../../lib/base/suggestion.js';
import { countedText, formatCount, joinTruncated } from '../../lib/base/text.js';
import { type Kind, listDocument } from '../../people/kinds/kind.js';
import { type NextRow, nextRows } from '../../people/kinds/next-kind.js';
import { headerOf, type Line } from '../../people/pens/document.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import { lineText } from '../../people/pens/text-pen.js';
import { absentCount } from '../../people/query/coverage.js';
import { firstOf } from '../../people/query/list-page.js';
import { maxLimit } from '../../people/query/list-query.js';
import type { ListedNodeReport } from '../../people/report/node-report.js';
import type { PodReport } from '../../people/report/pod-report.js';
import { shownName, workloadOf } from '../../people/report/workload-report.js';
import { listedKind } from '../../people/status/document-of.js';
import { NotFoundError } from '../../people/status/view-errors.js';
import type { ListQuestion } from './answer-source.js';
import { shardsText } from './shards.js';
import type { AnswerFacts, FoundDocuments, ListAnswer, ViewParameters, ViewReader } from './view-source.js';

/** A question, with the parameters of the list of the API. */
interface AskedList extends ListQuestion {
  readonly reader: ViewReader;
  readonly parameters: ViewParameters;
}

/** Throws UserError and NotFoundError when there is nothing of a name that the question has. */
export async function listAnswer(reader: ViewReader, question: ListQuestion): Promise<FoundDocuments> {
  const asked = { ...question, reader, parameters: await parametersOf(reader, question) };
  const { resource, parameters } = asked;
  const kind = listedKind(resource);
  const { items, totalCount, isComplete, ...facts } = await readRows(asked, kind);
  const page = { items, totalCount, isComplete, limit: maxLimit };
  const none = items.length > 0 ? undefined : await emptyNote(asked, facts);
  const query = { order: '', namespace: parameters['namespace'], given: {} };
  const data = kind.dataOf === undefined ? items : items.map(kind.dataOf);
  return { facts, data, documents: [listDocument(kind, page, query, none)] };
}

/** Nodes and namespaces belong to none. */
async function parametersOf(reader: ViewReader, question: ListQuestion): Promise<ViewParameters> {
  const { resource, name, selector, node } = question;
  const order = question.order ?? (resource === 'pods' ? 'used' : undefined);
  if (resource === 'nodes' || resource === 'namespaces') return { order, name };
  const { namespace, workload } = await workloadParameters(reader, question);
  if (resource === 'workloads') return { order, selector, namespace, name: workload };
  return { order, name, selector, node, namespace, workload };
}

/** The namespace of a workload that is named with it need not be given again. */
async function workloadParameters(
  reader: ViewReader,
  { workload, namespace, isNamespaceNamed }: ListQuestion,
): Promise<ViewParameters> {
  if (workload === undefined) return { namespace };
  const found = await findWorkload(reader, workload, namespace);
  const isElsewhere = !isNamespaceNamed && found.workloadNamespace !== namespace;
  return { namespace: isElsewhere ? found.workloadNamespace || undefined : namespace, workload: found.path };
}

const maxNamesCount = 10;

/**
 * Finds the workload of the name, see `isNamed`: one that there is, or was, as it is known by its evictions too. Throws
 * UserError where there are several, and NotFoundError.
 */
export async function findWorkload(reader: ViewReader, name: string, namespace: string | undefined) {
  const { items } = await reader.list('workloads', { name, namespace });
  const exact = items.filter(({ workloadNamespace, workload }) => workloadNamespace === '' && workload === name);
  const [found, ...others] = exact.length > 0 ? exact : items;
  if (found !== undefined && others.length === 0)
    return { workloadNamespace: found.workloadNamespace, path: workloadPath(workloadOf(found)) };
  const names = joinTruncated(items.map(shownName).map(terminalText).sort(), maxNamesCount);
  throw new UserError(`workload "${terminalText(name)}" is ambiguous: ${names}`);
}

function readRows(asked: AskedList, kind: Kind<unknown>): Promise<ListAnswer<unknown>> {
  return asked.column === undefined ? rowsOf(asked, asked.limit) : sortedBy(asked.column, kind, asked);
}

/** Sorts as many rows as an answer has by a column: numbers, the largest first and unknown ones last, or texts. */
async function sortedBy(title: string, { columns }: Kind<unknown>, asked: AskedList): Promise<ListAnswer<unknown>> {
  const found = await rowsOf(asked, maxLimit);
  const { cell, isNumber } = columns.find((column) => column.title === title) ?? {};
  if (cell === undefined) throw new Error(`no column ${title}`);
  const order =
    isNumber === true
      ? largestFirst<unknown>(
          (row) => amountOf(cell(row)),
          () => [],
        )
      : byNames<unknown>((row) => [lineText(cell(row))]);
  const sorted = { ...found, items: found.items.toSorted(order).slice(0, asked.limit) };
  if (found.isComplete) return sorted;
  const counts = `${formatCount(found.items.length)} of ${formatCount(found.totalCount)}`;
  const note = `Sorted by ${headerOf(title)}: ${counts}, the first of the usual order.`;
  return { ...sorted, notes: [...found.notes, note] };
}

/** The first number of a cell. */
function amountOf(line: Line): number {
  const [amount = -Infinity] = [line]
    .flat()
    .flatMap((piece) => (typeof piece === 'object' && 'amount' in piece ? (piece.amount ?? []) : []));
  return amount;
}

function rowsOf({ reader, resource, parameters }: AskedList, limit: number): Promise<ListAnswer<unknown>> {
  return resource === 'next' ? readNext(reader, parameters, limit) : reader.list(resource, parameters, limit);
}

/** Why there is nothing, as far as the names explain it. Throws NotFoundError without the node, but of evictions, which outlive theirs. */
async function emptyNote({ reader, resource, parameters }: AskedList, facts: AnswerFacts): Promise<string> {
  const { namespace, node } = parameters;
  const isOfNode = node !== undefined && resource !== 'evictions';
  const [onNode] = isOfNode ? (await reader.list('nodes', { name: node })).items : [];
  const nothing = resource === 'next' ? nothingNext(parameters, facts, onNode) : `No ${resource} found.`;
  if (namespace === undefined) return nothing;
  const start = `No ${resource === 'next' ? 'pods' : resource} found in namespace ${namespace}`;
  try {
    await reader.list('namespaces', { name: namespace });
    return resource === 'next' ? nothing : `${start}.`;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return `${start}${meantText(error.meant) || '; -A for all namespaces'}`;
  }
}

/** Reads what is near, pods and nodes, and says what may be near for all that is known. */
async function readNext(reader: ViewReader, parameters: ViewParameters, count: number): Promise<ListAnswer<NextRow>> {
  const near = { ...parameters, only: 'near' };
  const isOfPodsAlone = asksForPodsAlone(parameters);
  const [pods, unknownPods, nodes, unknown] = await Promise.all([
    reader.list('pods', near, count),
    reader.list('pods', { ...parameters, only: 'unknown' }),
    reader.list('nodes', { only: 'near', search: parameters['node'] }, isOfPodsAlone ? 1 : maxLimit),
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
function nothingNext(
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
