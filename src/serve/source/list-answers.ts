import { byNames, largestFirst } from '../../lib/base/ranking.js';
import { meantText } from '../../lib/base/suggestion.js';
import { formatCount } from '../../lib/base/text.js';
import { type Kind, listDocument } from '../../people/kinds/kind.js';
import type { Line } from '../../people/pens/document.js';
import { headerOf, lineText } from '../../people/pens/text-pen.js';
import { maxLimit } from '../../people/query/list-query.js';
import { listedKind } from '../../people/status/listed-kinds.js';
import { NotFoundError } from '../../people/status/view-errors.js';
import type { ListQuestion } from './answer-source.js';
import { nothingNext, readNext } from './next-answer.js';
import type { AnswerFacts, FoundDocuments, ListAnswer, ViewParameters, ViewReader } from './view-source.js';
import { findWorkload } from './workload-lookup.js';

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
