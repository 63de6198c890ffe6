import { formatBytes } from '../../base/units.js';
import type { ClusterReading } from '../cluster-reader.js';
import type { Column } from '../text/table.js';
import type { PodFilter } from './filter.js';

/** One kind of things that `top` lists. A row is plain data with exact numbers: it is what the JSON shows. */
export interface View<Row> {
  /** Biggest first; those of unknown size last. */
  readonly rows: (reading: ClusterReading, filter: PodFilter) => readonly Row[];
  readonly columns: readonly Column<Row>[];
}

/** Equal sizes in the order of the names, so that a table does not dance when nothing changes. */
export function biggestFirst<Row>(
  rows: readonly Row[],
  bytesOf: (row: Row) => number | undefined,
  nameOf: (row: Row) => string,
): readonly Row[] {
  return [...rows].sort((a, b) => {
    const difference = (bytesOf(b) ?? -1) - (bytesOf(a) ?? -1);
    if (difference !== 0) return difference;
    return nameOf(a) < nameOf(b) ? -1 : 1;
  });
}

export function bytesColumn<Row>(
  header: string,
  bytesOf: (row: Row) => number | undefined,
  dropRank?: number,
): Column<Row> {
  return {
    header,
    text: (row) => formatBytes(bytesOf(row)),
    align: 'right',
    ...(dropRank === undefined ? {} : { dropRank }),
  };
}
