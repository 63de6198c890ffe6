import { capitalised, formatCount } from '../../lib/base/text.js';
import type { Document, DocumentPart, Link } from '../pens/document.js';
import type { NamespaceReport } from '../query/list-namespaces.js';
import type { ListPage } from '../query/list-page.js';
import type { ListKind } from '../query/list-query.js';
import type { EvictionReport } from '../report/eviction-report.js';
import type { ListedNodeReport } from '../report/node-report.js';
import type { PodReport } from '../report/pod-report.js';
import { workloadLink, type WorkloadReport } from '../report/workload-report.js';
import { evictionLink, namespaceLink, nodeLink, podLink, section, text } from './parts.js';

/** The first of each kind whose names have the words; of pods those that are nearest to an eviction. */
export interface SearchResults {
  readonly words: readonly string[];
  readonly nodes: ListPage<ListedNodeReport>;
  readonly pods: ListPage<PodReport>;
  readonly workloads: ListPage<WorkloadReport>;
  readonly namespaces: ListPage<NamespaceReport>;
  readonly evictions: ListPage<EvictionReport>;
}

/** Each with what distinguishes it from others of its name. */
function hitsOf({ pods, workloads, nodes, namespaces, evictions }: SearchResults) {
  const of = <T>(
    kind: ListKind,
    { items, totalCount }: ListPage<T>,
    linkOf: (item: T) => Link,
    noteOf: (item: T) => string = () => '',
  ) => ({ kind, items: items.map((item) => [linkOf(item), noteOf(item)] as const), totalCount });
  return [
    of('pods', pods, podLink),
    of('workloads', workloads, workloadLink, ({ workloadNamespace: name }) => (name === '' ? '' : ` in ${name}`)),
    of('nodes', nodes, ({ node }) => nodeLink(node)),
    of('namespaces', namespaces, ({ namespace }) => namespaceLink(namespace)),
    of('evictions', evictions, evictionLink, ({ namespace, pod }) => ` ${namespace}/${pod}`),
  ].filter(({ totalCount }) => totalCount > 0);
}

/** What was found of each kind, with the way to all of it. */
export function searchDocument(found: SearchResults): Document {
  const words = found.words.join(' ');
  const sections = hitsOf(found).map(({ kind, items, totalCount }): DocumentPart =>
    section(
      {
        id: kind,
        title: capitalised(kind),
        ...(totalCount > items.length && {
          note: { path: [kind], query: { search: words }, shown: `all ${formatCount(totalCount)}` },
        }),
      },
      [{ is: 'list', items, totalCount, what: kind }],
    ),
  );
  const none = text('No pod, workload, node, namespace or eviction has this in its name.');
  const part: DocumentPart = section({ id: 'none', title: 'Nothing found' }, [none]);
  return {
    title: [words === '' ? 'Search' : 'Search for', words],
    blocks: sections.length === 0 ? [part] : sections,
  };
}

/** Returns the path of what was found, where it is one thing. */
export function onlyHit(found: SearchResults): readonly string[] | undefined {
  const [first, ...others] = hitsOf(found);
  return others.length === 0 && first?.totalCount === 1 ? first.items[0]?.[0].path : undefined;
}
