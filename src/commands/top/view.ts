import { canBind } from '../../facts/node/unenforced-limits.js';
import { formatBytes, formatRatio } from '../../lib/base/units.js';
import type { Column } from '../../people/pens/table.js';
import type { LimitReport } from '../../people/report/limit-report.js';
import type { ListAnswer, ViewParameters, ViewReader } from '../../serve/source/view-source.js';
import { ratioStyle } from '../text/output.js';

/** A column that rows can be sorted by: by its value, largest first, or by its text. */
export interface ViewColumn<Row> extends Column<Row> {
  readonly value?: (row: Row) => number | undefined;
  /** The order of the API's list that sorts by it: the others are sorted here, from the whole list. */
  readonly order?: string;
  /** Only in the wide table. */
  readonly isWide?: true;
  /** Only where the rows are of more than one namespace. */
  readonly isOfNamespace?: true;
  /** Only where a row has a value of it. */
  readonly isSeldom?: true;
}

/** Which rows are read. */
export interface RowQuery {
  /** Of the API's list. */
  readonly parameters: ViewParameters;
  /** Infinity for all. */
  readonly count: number;
}

/** One kind of things that `top` lists. */
export interface View<Row> {
  /** In the usual order of the API's list, unless the parameters name another one. */
  readonly read: (reader: ViewReader, query: RowQuery) => Promise<ListAnswer<Row>>;
  readonly columns: readonly ViewColumn<Row>[];
  /** As `-o name` shows it. */
  readonly name: (row: Row) => string;
  /** What needs an explanation in these rows. */
  readonly note?: (rows: readonly Row[]) => string | undefined;
  /** As JSON shows it; without it the row itself. */
  readonly report?: (row: Row) => object;
}

/** Never left out, as the names are: the next command needs it. */
export function namespaceColumn<Row>(namespaceOf: (row: Row) => string): ViewColumn<Row> {
  return {
    header: 'NAMESPACE',
    text: (row) => namespaceOf(row) || '-',
    minWidth: 6,
    dropRank: 0,
    isOfNamespace: true,
  };
}

export function bytesColumn<Row>(
  header: string,
  bytesOf: (row: Row) => number | undefined,
  options: Pick<ViewColumn<Row>, 'dropRank' | 'isWide' | 'order'> = {},
): ViewColumn<Row> {
  return { header, text: (row) => formatBytes(bytesOf(row)), value: bytesOf, align: 'right', dropRank: 1, ...options };
}

/**
 * Usage divided by a limit, in the colour of how near it is. Marked when the limit does not do what it seems to do; one that
 * cannot bind has no colour.
 */
export function ratioColumn<Row>(
  header: string,
  limitOf: (row: Row) => LimitReport | undefined,
  dropRank: number,
): ViewColumn<Row> {
  const ratioOf = (row: Row): number | undefined => limitOf(row)?.ratio;
  return {
    header,
    text: (row) => `${formatRatio(ratioOf(row))}${markOf(limitOf(row))}`,
    value: ratioOf,
    align: 'right',
    dropRank,
    order: 'ratio',
    style: (row) => (canBind(limitOf(row) ?? {}) ? ratioStyle(ratioOf(row)) : undefined),
  };
}

function markOf({ unenforced }: Partial<LimitReport> = {}): string {
  return unenforced === undefined ? '' : '*';
}

/** What {@link ratioColumn} marks, by reason; undefined without any. */
export function unenforcedNote(limits: readonly (LimitReport | undefined)[]): string | undefined {
  const reasons = new Set(limits.flatMap((limit) => limit?.unenforced ?? []));
  if (reasons.size === 0) return undefined;
  return `* Limit not enforced: ${[...reasons].map((reason) => reasonTexts[reason]).join('; ')}.`;
}

const reasonTexts: Readonly<Record<NonNullable<LimitReport['unenforced']>, string>> = {
  isolation_disabled: 'the kubelet enforces none',
  exempt: 'static and critical pods are never evicted',
  rootfs_not_measured: 'writable layers are not measured and not counted',
  dedicated_imagefs: 'limits of containers count logs alone on nodes with a dedicated imagefs',
  memory_medium: 'an emptyDir in memory can be full, which evicts no pod',
};

/** `emptydir/data`, `container/app` or `pod`. */
export function ruleText(limit: LimitReport | undefined): string {
  if (limit === undefined) return '-';
  const part = limit.container ?? limit.volume;
  return part === undefined ? limit.rule : `${limit.rule}/${part}`;
}
