import type { StoreState } from '../../cluster/watch/store-lists.js';
import type { SnapshotCounts } from '../../facts/scrape/snapshot-counts.js';
import type { Instant } from '../../lib/base/clock.js';
import { requestFailureReasons } from '../../lib/base/errors.js';
import type { Level, Profile } from '../exposition/family.js';

/** What is done in the background. */
export const taskKinds = ['refresh'] as const;
export type TaskKind = (typeof taskKinds)[number];

/** The settings, or the file of `--web.config.file`. */
export type ReloadedFile = 'settings' | 'web';

/** What gauges show. */
export interface SelfState {
  /** Of the exporter. */
  readonly version: string;
  readonly nodeVersion: string;
  /** Of the settings in force; undefined before there are any, as the following. */
  readonly source?: {
    readonly store: { readonly lists: { states(): readonly StoreState[] } };
    readonly watches: { readonly watchCount: number; readonly subscriptionCount: number };
    /** `depth`: tasks of the kind that wait or are in process. */
    readonly queue: { depth(kind: TaskKind): number };
  };
  /** The part of the cluster that is measured. `nodeName`: undefined unless one node alone is measured. */
  readonly scope?: { readonly shard: number; readonly totalShards: number; readonly nodeName: string | undefined };
  /** The settings in force. `hash`: a whole number that a double holds exactly. */
  readonly loaded?: { readonly hash: number; readonly at: Instant };
  readonly failedFiles: ReadonlySet<ReloadedFile>;
  readonly isKubeletTlsUnverified: boolean;
  /** Of the last exposition; undefined before the first. */
  readonly series?: Readonly<Record<Level, number>>;
  /** What the last scrape left out. */
  readonly collected?: SnapshotCounts;
  readonly workloadNameClashCount: number;
}

/** Returns whether the last attempts to load all files were successful; undefined before any settings were loaded. */
export function isLastReloadSuccessful({ loaded, failedFiles }: SelfState): boolean | undefined {
  return loaded === undefined && failedFiles.size === 0 ? undefined : failedFiles.size === 0;
}

/** Of a request. */
export const requestResults = ['success', ...requestFailureReasons] as const;

export type Sample = readonly [value: number, ...labels: readonly string[]];

/** The closed list of the values of each label. */
export type LabelValues = Readonly<Record<string, readonly string[]>>;

const prefix = 'ephemeral_storage_exporter_';

/** Declares families that this profile, and larger ones, have. */
export function familiesIn<const P extends Profile>(profile: P) {
  const row = (name: string, help: string) => ({ name: `${prefix}${name}`, profile, help });
  return {
    /** Has a series for each combination of label values. */
    counter: <const L extends LabelValues>(name: string, help: string, values: L) =>
      ({ ...row(name, help), type: 'counter', labels: Object.keys(values), values }) as const,
    /** `read`: at each exposition. */
    gauge: (name: string, help: string, labels: readonly string[], read: (state: SelfState) => readonly Sample[]) =>
      ({ ...row(name, help), type: 'gauge', labels, read }) as const,
    histogram: (name: string, help: string, buckets: readonly number[]) =>
      ({ ...row(name, help), type: 'histogram', labels: [], buckets }) as const,
  };
}

/** Returns no sample of what is not known yet: 0 would be a claim. */
export function known(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [[value]];
}

export function byLabel(counts: Readonly<Record<string, number>> = {}): readonly Sample[] {
  return Object.entries(counts).map(([label, value]) => [value, label]);
}

/** Reads samples of each store, and adds its resource as the first label. */
export function perStore(read: (store: StoreState) => readonly Sample[]) {
  return ({ source }: SelfState): readonly Sample[] =>
    (source?.store.lists.states() ?? []).flatMap((store) =>
      read(store).map(([value, ...labels]): Sample => [value, store.resource, ...labels]),
    );
}

/** Counts by label values, each combination of which has a count from the start. */
export class LabelledCounter<L extends LabelValues> {
  readonly #labels: readonly (keyof L & string)[];
  readonly #counts: Map<string, Sample>;

  constructor(values: L) {
    this.#labels = Object.keys(values);
    const combinations = Object.values(values).reduce<readonly (readonly string[])[]>(
      (shorter, more) => shorter.flatMap((labels) => more.map((label) => [...labels, label])),
      [[]],
    );
    this.#counts = new Map(combinations.map((labels) => [labels.join(), [0, ...labels]]));
  }

  add(labels: { readonly [K in keyof L]: L[K][number] }, count = 1): void {
    const values = this.#labels.map((label): string => labels[label]);
    const key = values.join();
    this.#counts.set(key, [(this.#counts.get(key)?.[0] ?? 0) + count, ...values]);
  }

  samples(): readonly Sample[] {
    return [...this.#counts.values()];
  }

  get total(): number {
    return this.samples().reduce((sum, [count]) => sum + count, 0);
  }

  /** Returns the counts by the value of the last label. */
  toRecord(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.samples().map(([count, ...labels]) => [labels.at(-1) ?? '', count] as const));
  }
}
