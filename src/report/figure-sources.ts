import { familyName } from './promql.js';
import { everything, filteredSeries, type SeriesFilter, workloadFamily } from './series-filter.js';

/** Where a figure of a page comes from. */
export interface FigureSource {
  /** As the page names it: a column, a tile, a section. */
  readonly name: string;
  /** How it comes about. */
  readonly text: string;
  /** PromQL that gives it. */
  readonly queries: readonly string[];
  /** Families that it would take, and that the settings leave out. */
  readonly missing: readonly string[];
}

/** The figures of one table, or of what is beside the tables. */
export interface FigureGroup {
  /** Undefined for the only one of a page. */
  readonly title?: string | undefined;
  readonly sources: readonly FigureSource[];
  /** What the expressions lack. */
  readonly notes: readonly string[];
}

/** What figures depend on, besides the question. */
export interface FigureSettings {
  /** The names of the families that the settings expose. */
  readonly exposed: ReadonlySet<string>;
  readonly retentionMs: number;
  readonly ttlMs: number;
}

/** Returns series of a family, which is named without the common prefix; `own`: further matchers. */
type Series = (family: string, ...own: readonly string[]) => string;

/** The series that a page is asked for, and all of them. */
export interface SeriesOfPage {
  readonly of: Series;
  /** Each with a function of a range before it. */
  readonly during: (rangeFunction: string, window: string) => Series;
  readonly all: Series;
}

export interface FigureRule {
  readonly name: string;
  readonly text: string;
  readonly queries?: readonly ((series: SeriesOfPage) => string)[];
}

/** The rules for one table: those whose families are exposed have expressions. */
export function figureGroup(
  rules: readonly FigureRule[],
  asked: SeriesFilter,
  exposed: FigureSettings['exposed'],
  { title, notes = [] }: { readonly title?: string | undefined; readonly notes?: readonly string[] } = {},
): FigureGroup {
  const tellsWorkloads = exposed.has(familyName(workloadFamily));
  const isCut = asked.workload !== undefined && !tellsWorkloads;
  const filter = isCut ? { ...asked, workload: undefined } : asked;
  const ignored = isCut ? [...asked.ignored, 'workload'] : asked.ignored;
  const sources = rules.map((rule) => sourceOf(rule, filter, exposed));
  return { title, sources, notes: [...notes, ...(ignored.length === 0 ? [] : [ignoredText(ignored)])] };
}

function ignoredText(ignored: readonly string[]): string {
  return `The expressions are not filtered by what no series has: ${ignored.join(', ')}.`;
}

function sourceOf(
  { name, text, queries = [] }: FigureRule,
  filter: SeriesFilter,
  exposed: FigureSettings['exposed'],
): FigureSource {
  const made = queries.map((query) => madeQuery(query, filter));
  const lacking = made.map(({ families }) => families.filter((family) => !exposed.has(family)));
  return {
    name,
    text,
    queries: made.flatMap(({ text: query }, index) => (lacking[index]?.length === 0 ? [query] : [])),
    missing: [...new Set(lacking.flat())],
  };
}

/** With the families that it takes. */
function madeQuery(
  query: (series: SeriesOfPage) => string,
  filter: SeriesFilter,
): { readonly text: string; readonly families: readonly string[] } {
  const families: string[] = [];
  const by =
    (filteredBy: SeriesFilter, shape?: (selector: string) => string): Series =>
    (family, ...own) => {
      families.push(familyName(family));
      return filteredSeries(family, own, filteredBy, shape);
    };
  const text = query({
    of: by(filter),
    during: (rangeFunction, window) => by(filter, (selector) => `${rangeFunction}(${selector}[${window}])`),
    all: by(everything),
  });
  return { text, families };
}
