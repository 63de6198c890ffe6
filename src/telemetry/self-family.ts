/** A metric family about the exporter itself, and its samples. */

export interface FamilyOf<L extends string> {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly labels: readonly L[];
}

export interface Sample<L extends string> {
  readonly labels?: Readonly<Record<L, string>>;
  readonly value: number;
}

/** The samples are read at each exposition. */
export type ExposeFamily = <L extends string>(family: FamilyOf<L>, samples: () => readonly Sample<L>[]) => void;
