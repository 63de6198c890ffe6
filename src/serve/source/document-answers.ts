import type { Config } from '../../config/schema.js';
import { UserError } from '../../lib/base/errors.js';
import { joinTruncated, programName } from '../../lib/base/text.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import { absentCount, ageNote, missingNotes } from '../../people/query/coverage.js';
import { maxLimit } from '../../people/query/list-query.js';
import { unreachableReasons } from '../../people/report/absence-hints.js';
import { causeText } from '../../people/report/eviction-cause-text.js';
import type { EvictionReport } from '../../people/report/eviction-report.js';
import { explainEviction } from '../../people/report/verdict-commands.js';
import { objectDocument } from '../../people/status/document-of.js';
import { NotFoundError } from '../../people/status/view-errors.js';
import type { Answers, ObjectQuestion, ObjectResource, WrittenAnswer } from './answer-source.js';
import { findWorkload, listAnswer } from './list-answers.js';
import type { AnswerFacts, FoundDocuments, ObjectAnswer, ViewReader } from './view-source.js';

/** Answers from what the reader reads. `access`: how kubelets are reached from here; undefined where they are not. */
export function answersFrom(reader: ViewReader, access: Config['kubelet']['access'] | undefined): Answers {
  const answer = ({ documents, data, facts }: FoundDocuments, missing: readonly string[]): WrittenAnswer => {
    const notes = [...facts.notes, ...missing];
    return {
      documents: documents.map((document, index) =>
        index === documents.length - 1 ? { ...document, notes } : document,
      ),
      data,
      maxRowCount: maxLimit,
      causes: causesOfAbsence(facts, access),
      ageNote: (isWatched) => ageNote(facts.coverage, isWatched),
    };
  };
  return {
    list: async (question) => {
      const listed = await listAnswer(reader, question).catch(throwSaid);
      return answer(listed, missingNotes(listed.facts.coverage));
    },
    explain: async (question) => {
      const explained = await explainers[question.resource]({ ...question, reader }).catch(throwSaid);
      return answer(explained, missingNotes(explained.facts.coverage, true));
    },
  };
}

/** What there is not is told to the user as it is. */
function throwSaid(error: unknown): never {
  throw error instanceof NotFoundError ? new UserError(error.message, { cause: error }) : error;
}

const maxNamesCount = 5;

/** Why no node has data, a line per reason and the fix, where there is one; empty when a node has data, or there is none to scrape. */
function causesOfAbsence(
  { coverage }: AnswerFacts,
  access: Config['kubelet']['access'] | undefined,
): readonly string[] {
  const { absences, freshNodeCount, staleNodeCount } = coverage;
  if (freshNodeCount + staleNodeCount > 0 || absentCount(coverage) === 0) return [];
  const causes = absences.map(({ reason, nodeCount, exampleNodes, message, hint }) => {
    const others = nodeCount - exampleNodes.length;
    const more = others > 0 ? ` and ${others} more` : '';
    return `no data from ${joinTruncated(exampleNodes, maxNamesCount)}${more} (${reason}): ${message ?? hint}`;
  });
  const isUnreachable = absences.every(({ reason }) => unreachableReasons.has(reason));
  return access === 'direct' && isUnreachable ? [...causes, proxyHint] : causes;
}

const proxyHint =
  'to reach the kubelets through the API server, add --set kubelet.access=proxy (needs get on nodes/proxy)';

/** Throw NotFoundError when there is nothing of the name. */
const explainers: Readonly<
  Record<ObjectResource, (question: ObjectQuestion & { readonly reader: ViewReader }) => Promise<FoundDocuments>>
> = {
  /** Every pod of the name: in all namespaces there may be several. */
  pod: async ({ reader, name, namespace }) => {
    const named = namespace === undefined ? (await reader.list('pods', { name })).items : [{ namespace }];
    const namespaces = [...new Set(named.map((of) => of.namespace))].sort();
    const found: ObjectAnswer<'pod'>[] = [];
    for (const each of namespaces) found.push(await reader.object('pod', [each, name], {}));
    const [facts, answers] = [found[0], found.filter(({ data }) => data.pods.length > 0)];
    if (facts === undefined || answers.length === 0) throw podGone(name, found[0]?.data.evictions[0]);
    const documents = answers.map(({ data }) => objectDocument('pod', data));
    return { facts, data: answers.flatMap(({ data }) => data.pods), documents };
  },
  workload: async ({ reader, name, namespace }) => {
    const { path } = await findWorkload(reader, name, namespace);
    const facts = await reader.object('workload', path.split('/'), { limit: String(maxLimit) });
    return { facts, data: facts.data, documents: [objectDocument('workload', facts.data)] };
  },
  node: async ({ reader, name }) => {
    const facts = await reader.object('node', [name], {});
    return { facts, data: facts.data.node, documents: [objectDocument('node', facts.data)] };
  },
  namespace: async ({ reader, name }) => {
    const facts = await reader.object('namespace', [name], {});
    return { facts, data: facts.data, documents: [objectDocument('namespace', facts.data)] };
  },
  /** The newest of the pod first: a name may be used again. Of a workload the newest. */
  eviction: async ({ reader, name, namespace }) => {
    const { items, ...facts } = await reader.list('evictions', { name, namespace });
    const ofPod = items.filter(({ pod }) => pod === name.slice(name.lastIndexOf('/') + 1));
    const data = ofPod.length > 0 ? ofPod : items.slice(0, 1);
    return { facts, data, documents: data.map((eviction) => objectDocument('eviction', eviction)) };
  },
};

/** It is known by its eviction alone. */
function podGone(name: string, eviction: EvictionReport | undefined): Error {
  const command = eviction && explainEviction(eviction).replace(`${programName} `, '');
  const why = eviction && `: it was evicted (${causeText(eviction)}), see ${command}`;
  return new UserError(`no pod "${terminalText(name)}"${why ?? ''}`);
}
