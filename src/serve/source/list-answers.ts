import { workloadPath } from '../../facts/workload/workload.js';
import { byNames, largestFirst } from '../../lib/base/ranking.js';
import { didYouMean } from '../../lib/base/suggestion.js';
import { formatCount } from '../../lib/base/text.js';
import { type Kind, listDocument } from '../../people/kinds/kind.js';
import type { Document, Line } from '../../people/pens/document.js';
import { headerOf, lineText } from '../../people/pens/text-pen.js';
import type { ListedNodeReport } from '../../people/query/list-nodes.js';
import { maxLimit } from '../../people/query/list-query.js';
import { workloadOf } from '../../people/report/workload-report.js';
import { kindOf } from '../../people/status/document-of.js';
import type { ListQuestion, ListResource } from './answer-source.js';
import { nothingNext, readNext } from './next-answer.js';
import { notFound, tooManyAlike } from './not-found.js';
import type { AnswerFacts, FoundDocuments, ListAnswer, ViewParameters, ViewReader } from './view-source.js';
import { findWorkload, type FoundWorkload } from './workload-lookup.js';

/** A question, with the parameters of the list of the API. */
interface AskedList extends ListQuestion {
  readonly reader: ViewReader;
  readonly parameters: ViewParameters;
}

/**
 * Throws UserError when there is nothing of a name that the question has. `found`: workloads by the names that they were asked for by,
 * which stay what was asked for when their pods are gone.
 */
export async function listAnswer(
  reader: ViewReader,
  question: ListQuestion,
  found: Map<string, FoundWorkload>,
): Promise<FoundDocuments> {
  const asked = { ...question, reader, parameters: await parametersOf(reader, question, found) };
  const { resource, parameters } = asked;
  const kind = kindOf(resource);
  const { items, totalCount, isComplete, ...facts } = await readRows(asked, kind);
  const page = { items, totalCount, isComplete, limit: maxLimit };
  const document = listDocument(kind, page, { order: '', namespace: parameters['namespace'], given: {} });
  const data = kind.dataOf === undefined ? items : items.map(kind.dataOf);
  if (items.length > 0) return { facts, data, documents: [document] };
  const none = await emptyNote(asked, { facts, node: await namedNode(asked) });
  return { facts, data, documents: [withNone(document, none)] };
}

function withNone(document: Document, none: string): Document {
  return { ...document, blocks: document.blocks.map((block) => (block.is === 'table' ? { ...block, none } : block)) };
}

/** Nodes and namespaces belong to none. The namespace of a workload that is named with it need not be given again. */
async function parametersOf(
  reader: ViewReader,
  question: ListQuestion,
  known: Map<string, FoundWorkload>,
): Promise<ViewParameters> {
  const { resource, namespace, workload, selector, node } = question;
  const order = question.order ?? (resource === 'pods' ? 'used' : undefined);
  if (isOfCluster(resource)) return { order };
  const place = resource === 'workloads' ? { order, selector } : { order, selector, node };
  if (workload === undefined) return { ...place, namespace };
  const key = JSON.stringify([namespace, workload]);
  const found = known.get(key) ?? (await findWorkload(reader, workload, namespace));
  known.set(key, found);
  const isElsewhere = !question.isNamespaceNamed && found.workloadNamespace !== namespace;
  const scope = isElsewhere ? found.workloadNamespace || undefined : namespace;
  return { ...place, namespace: scope, workload: found.path };
}

function isOfCluster(resource: ListResource): boolean {
  return resource === 'nodes' || resource === 'namespaces';
}

async function readRows(asked: AskedList, kind: Kind<unknown>): Promise<ListAnswer<unknown>> {
  const { name, limit, parameters, column } = asked;
  if (name !== undefined) return readNamed({ ...asked, name }, kind);
  return column === undefined ? rowsOf(asked, parameters, limit) : sortedBy(column, kind, asked);
}

/** Sorts as many rows as an answer has by a column: numbers, the largest first and unknown ones last, or texts. */
async function sortedBy(title: string, { columns }: Kind<unknown>, asked: AskedList): Promise<ListAnswer<unknown>> {
  const found = await rowsOf(asked, asked.parameters, maxLimit);
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

function rowsOf(
  { reader, resource }: Pick<AskedList, 'reader' | 'resource'>,
  parameters: ViewParameters,
  limit: number,
): Promise<ListAnswer<unknown>> {
  if (resource === 'next') return readNext(reader, parameters, limit);
  return resource === 'workloads' ? readWorkloads(reader, parameters, limit) : reader.list(resource, parameters, limit);
}

/** The API's list has no parameter for one workload: what it finds by the name may be more. */
async function readWorkloads(
  reader: ViewReader,
  { workload, ...parameters }: ViewParameters,
  limit: number,
): Promise<ListAnswer<unknown>> {
  if (workload === undefined) return reader.list('workloads', parameters, limit);
  const found = await reader.list('workloads', { ...parameters, search: workload });
  const items = found.items.filter((report) => workloadPath(workloadOf(report)) === workload);
  return { ...found, items, totalCount: items.length };
}

async function readNamed(asked: AskedList & { readonly name: string }, { nameOf }: Kind<unknown>) {
  const { name, resource, parameters } = asked;
  const nameIn = (row: unknown): string => nameOf(row).split('/')[1] ?? '';
  const search = isOfCluster(resource) ? name : `/${name}`;
  const found = await rowsOf(asked, { ...parameters, search }, maxLimit);
  const items = found.items.filter((row) => nameIn(row) === name);
  if (items.length > 0) return { ...found, items, totalCount: items.length };
  if (!found.isComplete) throw tooManyAlike(resource, name, 'choose with -n, -l, --node');
  const others = await rowsOf(asked, { ...parameters, search: name.split('-')[0] }, maxLimit);
  throw notFound(resource.replace(/s$/, ''), name, others.items.map(nameIn), {
    namespace: parameters['namespace'],
    facts: others,
  });
}

/** Undefined without one, and of evictions, which outlive their nodes. Throws UserError when there is none of the name. */
async function namedNode({ reader, resource, parameters: { node } }: AskedList): Promise<ListedNodeReport | undefined> {
  if (node === undefined || resource === 'evictions') return undefined;
  const alike = await reader.list('nodes', { search: node, order: 'name' });
  const found = alike.items.find((item) => item.node === node);
  if (found !== undefined) return found;
  const { items, ...facts } = await reader.list('nodes', {});
  throw notFound(
    'node',
    node,
    items.map((item) => item.node),
    { facts },
  );
}

/** Why there is nothing, as far as the namespace explains it. */
async function emptyNote(
  { reader, resource, parameters }: AskedList,
  { facts, node }: { readonly facts: AnswerFacts; readonly node: ListedNodeReport | undefined },
): Promise<string> {
  const { namespace } = parameters;
  const nothing = resource === 'next' ? nothingNext(parameters, facts, node) : `No ${resource} found.`;
  if (namespace === undefined) return nothing;
  const start = `No ${whatOf(resource)} found in namespace ${namespace}`;
  const alike = await reader.list('namespaces', { search: namespace });
  const isThere = alike.items.some((item) => item.namespace === namespace);
  const { items } = await reader.list('namespaces', {});
  if (isThere && resource === 'next') return nothing;
  if (items.length === 0 || isThere) return `${start}.`;
  const names = items.map((item) => item.namespace);
  return `${start}${didYouMean(namespace, names) || '; -A for all namespaces'}`;
}

function whatOf(resource: ListResource): string {
  return resource === 'next' ? 'pods' : resource;
}
