import { formatCount } from '../../lib/base/text.js';
import type { Document, DocumentPart, Line, Link, Statement, Tone } from '../pens/document.js';
import type { ListPage } from '../query/list-page.js';
import type { Problem } from '../query/status.js';

/** All problems, each with what is known of it and what to do. `tone`: of the cluster, which says whether others may be unknown. */
export function problemsDocument({ items, totalCount }: ListPage<Problem>, tone: Tone): Document {
  const none = tone === 'unknown' ? 'No known problems.' : 'No problems.';
  const part: DocumentPart =
    items.length === 0
      ? { is: 'verdict', tone: tone === 'unknown' ? tone : 'ok', lines: [none], commands: [] }
      : problemPart(items, totalCount);
  return { title: ['Problems', ''], blocks: [part] };
}

/** Some of all problems, and the way to the others. */
export function problemPart(shown: readonly Problem[], totalCount: number): DocumentPart {
  const moreCount = totalCount - shown.length;
  const more: Link = { path: ['problems'], shown: `and ${formatCount(moreCount)} more` };
  return {
    is: 'verdicts',
    title: 'Current problems',
    verdicts: shown.map(problemVerdict),
    ...(moreCount > 0 && { more }),
  };
}

/** A problem in its own sentences, with its commands. */
function problemVerdict(problem: Problem): Statement {
  const { severity, detail, hint, commands } = problem;
  const lines: readonly Line[] = [
    problemLink(problem),
    ...(detail === undefined ? [] : [detail.replace(/[^.]$/, '$&.')]),
    ...(hint === undefined ? [] : [{ text: hint, isMuted: true }]),
  ];
  return { tone: severity, lines, commands };
}

/** Parts of pages; the others are lists. */
const pagesOf: Readonly<Partial<Record<Problem['section'], readonly string[]>>> = {
  'next-evictions': [],
  findings: [],
  trust: ['exporter'],
  configuration: ['exporter'],
};

/** Leads to where the problem is explained: the page of the only thing that it is about, a list, or a part of a page. */
function problemLink({ text: shown, section, only, about }: Problem): Link {
  if (about !== undefined)
    return { path: about.pod === undefined ? ['nodes', about.node] : ['pods', about.namespace, about.pod], shown };
  const path = pagesOf[section];
  if (path === undefined) return { path: [section], ...(only !== undefined && { query: { only } }), shown };
  return { path, section, shown };
}
