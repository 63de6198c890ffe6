import type { Config } from '../../config/schema.js';
import { joinTruncated } from '../../lib/base/text.js';
import { absentCount, ageNote, missingNotes } from '../../people/answers/coverage-notes.js';
import { maxLimit } from '../../people/query/list-query.js';
import { unreachableReasons } from '../../people/report/absence-hints.js';
import type { Answers, WrittenAnswer } from './answer-source.js';
import { listAnswer } from './list-answers.js';
import { explainers } from './object-answers.js';
import type { AnswerFacts, FoundDocuments, ViewReader } from './view-source.js';
import type { FoundWorkload } from './workload-lookup.js';

/**
 * Answers from what the reader reads. `access`: how kubelets are reached from here; undefined where they are not. `found`: see
 * {@link listAnswer}.
 */
export function answersFrom(
  reader: ViewReader,
  access: Config['kubelet']['access'] | undefined,
  found = new Map<string, FoundWorkload>(),
): Answers {
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
      const listed = await listAnswer(reader, question, found);
      return answer(listed, missingNotes(listed.facts.coverage));
    },
    // A node that is silent elsewhere is not missing from one object.
    explain: async (question) => answer(await explainers[question.resource]({ ...question, reader }), []),
  };
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
