import type { Profile } from '../../src/metrics/exposition/family.js';

/** What the process of the library is asked for. */
export type LibraryRequest =
  | {
      readonly do: 'ingest';
      readonly podsPerNode: number;
      readonly profile: Profile;
      readonly roundCount: number;
      /** Of the pods of a node, how many have other sizes in its next summary; from 0 to 1. */
      readonly changedShare: number;
    }
  | { readonly do: 'kept'; readonly podsPerNode: number };

/** CPU for one node, in milliseconds. */
export interface Ingest {
  readonly rounds: readonly { readonly ingestMs: number; readonly parseMs: number }[];
}

/** Of one pod. */
export interface Kept {
  readonly storedBytes: number;
  readonly fullBytes: number;
}
