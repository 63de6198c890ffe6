import type { FamilyGroup } from './family.js';
import type { FamilyRowPredicate } from './selection.js';

/** The families of a source of series: about the source as a whole, or about each of its parts. */
export type SourceGroup<Source, Part> =
  | { readonly per: 'source'; readonly group: FamilyGroup<Source> }
  | { readonly per: 'part'; readonly group: FamilyGroup<Part> };

export function perSource<Source>(groups: readonly FamilyGroup<Source>[]): readonly SourceGroup<Source, never>[] {
  return groups.map((group) => ({ per: 'source', group }));
}

export function perPart<Part>(groups: readonly FamilyGroup<Part>[]): readonly SourceGroup<never, Part>[] {
  return groups.map((group) => ({ per: 'part', group }));
}

/** The groups with these families only; the others are not formatted. */
export function groupsOf<Source, Part>(
  groups: readonly SourceGroup<Source, Part>[],
  isWanted: FamilyRowPredicate,
): readonly SourceGroup<Source, Part>[] {
  return groups
    .map((entry): SourceGroup<Source, Part> =>
      entry.per === 'source'
        ? { per: 'source', group: entry.group.narrowed(isWanted) }
        : { per: 'part', group: entry.group.narrowed(isWanted) },
    )
    .filter(({ group }) => group.families.length > 0);
}
