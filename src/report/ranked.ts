/** The first of many. */
export interface Ranked<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
}
