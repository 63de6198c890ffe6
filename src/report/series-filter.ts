import { equals, matches, patternOf, seriesOf } from './promql.js';

/** What a page asks for: as a list has it. */
export interface SeriesQuestion {
  /** In lower case. */
  readonly search: readonly string[];
  readonly namespace?: string | undefined;
  readonly node?: string | undefined;
  /** `NAMESPACE/TYPE/NAME`, with `-` for no namespace. */
  readonly workload?: string | undefined;
  readonly selector: readonly unknown[];
  readonly rule?: string | undefined;
  readonly only?: string | undefined;
}

/** Which series of a family a page shows. */
export interface SeriesFilter {
  /** Each series has all of them. */
  readonly matchers: readonly string[];
  /** For each word: the matchers of each place where it may be. */
  readonly words: readonly (readonly (readonly string[])[])[];
  /** Matchers of the workload of the pods; undefined for any. */
  readonly workload: readonly string[] | undefined;
  /** Parts of the question that no series can be asked for. */
  readonly ignored: readonly string[];
}

/** What the labels of series are to a list. */
export interface ListLabels {
  /** The names that a word of a search may be in: labels, joined by `/`. */
  readonly names: readonly (readonly string[])[];
  /** Whether the series are of pods that run: those of a workload can be told then. */
  readonly hasWorkloads?: boolean;
  /** Whether the namespace may be empty in what belongs to a namespace. */
  readonly spansNamespaces?: boolean;
}

export const everything: SeriesFilter = { matchers: [], words: [], workload: undefined, ignored: [] };

export function seriesFilter(question: SeriesQuestion, labels: ListLabels): SeriesFilter {
  const { search, namespace, node, workload, selector, rule, only } = question;
  const places = search.map((word) => placesOf(word, labels.names));
  const isOfPods = labels.hasWorkloads === true;
  const others = { selector: selector.length > 0, rule: rule !== undefined, only: only !== undefined };
  const isIgnored = { ...others, workload: workload !== undefined && !isOfPods, search: places.some(isNowhere) };
  return {
    matchers: [
      ...(namespace === undefined ? [] : [namespaceMatcher(namespace, labels)]),
      ...(node === undefined ? [] : [equals('node', node)]),
    ],
    words: places.filter((of) => !isNowhere(of)),
    workload: workload === undefined || !isOfPods ? undefined : workloadMatchers(workload),
    ignored: Object.entries(isIgnored).flatMap(([name, isSo]) => (isSo ? [name] : [])),
  };
}

/** More of `/` than names have. */
function isNowhere(places: readonly unknown[]): boolean {
  return places.length === 0;
}

function namespaceMatcher(namespace: string, { spansNamespaces = false }: ListLabels): string {
  return spansNamespaces ? matches('namespace', `|${patternOf(namespace)}`) : equals('namespace', namespace);
}

function workloadMatchers(path: string): readonly string[] {
  const [namespace = '', type = '', name = ''] = path.split('/');
  return [
    equals('workload_namespace', namespace === '-' ? '' : namespace),
    equals('workload_type', type),
    equals('workload', name),
  ];
}

/** A word with `/` goes over labels that follow each other. */
function placesOf(word: string, names: ListLabels['names']): readonly (readonly string[])[] {
  const parts = word.split('/');
  return names.flatMap((labels) =>
    labels.flatMap((_, start) => {
      const of = labels.slice(start, start + parts.length);
      return of.length < parts.length ? [] : [of.map((label, index) => partMatcher(label, parts, index))];
    }),
  );
}

/** Without regard to case. What has no namespace is named with `-` in its place. */
function partMatcher(label: string, parts: readonly string[], index: number): string {
  const part = parts[index] ?? '';
  const before = index === 0 ? '.*' : '';
  const after = index === parts.length - 1 ? '.*' : '';
  const pattern = `${before}${patternOf(part)}${after}`;
  return matches(label, label === 'namespace' && part === '-' ? `(?is)(${pattern})?` : `(?is)${pattern}`);
}

/** The family that tells the workloads of pods. */
export const workloadFamily = 'pod_workload_info';

/** Returns the series of a family that the filter lets through; in parentheses where it takes more than one selector. `shape`: of each. */
export function filteredSeries(
  family: string,
  own: readonly string[],
  filter: SeriesFilter,
  shape: (selector: string) => string = (selector) => selector,
): string {
  const select = (more: readonly string[]): string => shape(seriesOf(family, [...own, ...filter.matchers, ...more]));
  const single = filter.words.flatMap(([place = [], ...others]) => (others.length === 0 ? place : []));
  const several = filter.words.filter((places) => places.length > 1);
  const terms = several.map((places) => `(${places.map((place) => select([...single, ...place])).join(' or ')})`);
  const series = terms.length === 0 ? [select(single)] : terms;
  const ofWorkload = filter.workload && `on (namespace, pod) ${seriesOf(workloadFamily, filter.workload)}`;
  const all = ofWorkload === undefined ? series : [...series, ofWorkload];
  return all.length === 1 ? all.join('') : `(${all.join(' and ')})`;
}
