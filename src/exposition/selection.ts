/** Which families an exposition has: what the settings allow, of that what the request asks for. */
import { compilePattern } from '../base/pattern.js';
import type { FamilyGroup, FamilyRow, Level } from './family.js';

export interface FamilyRules {
  readonly levels: Readonly<Record<Level, boolean>>;
  /** Regular expressions that are held against whole names. Empty: all are allowed. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

type NamedFamily = Pick<FamilyRow, 'name' | 'level'>;
export type FamilyPredicate = (family: NamedFamily) => boolean;

/** Levels first, then `allow`, then `deny`. Families about the exporter are never left out: they tell what is. */
export function allowedBy({ levels, allow, deny }: FamilyRules): FamilyPredicate {
  const allowed = allow.map(compilePattern);
  const denied = deny.map(compilePattern);
  return ({ name, level }) => {
    if (level === 'exporter') return true;
    const isListed = allowed.length === 0 || allowed.some((pattern) => pattern.matches(name));
    return levels[level] && isListed && !denied.some((pattern) => pattern.matches(name));
  };
}

/** What a request asks for, of what the settings allow; an empty set asks for everything. */
export interface FamilyFilter {
  readonly names: ReadonlySet<string>;
  readonly levels: ReadonlySet<FamilyRow['level']>;
}

export const noFilter: FamilyFilter = { names: new Set(), levels: new Set() };

/** All that `collect[]` may name. */
export const familyLevels: readonly FamilyRow['level'][] = [
  'workload',
  'node',
  'pod',
  'container',
  'volume',
  'exporter',
];

/** The same text for the same filter; '' for {@link noFilter}. */
export function filterText({ names, levels }: FamilyFilter): string {
  const texts = [
    ...Array.from(names, (name) => `name[]=${name}`),
    ...Array.from(levels, (level) => `collect[]=${level}`),
  ];
  return texts.sort().join('&');
}

/** Both sets must have it: each narrows. */
export function requestedBy({ names, levels }: FamilyFilter): FamilyPredicate {
  return ({ name, level }) => (names.size === 0 || names.has(name)) && (levels.size === 0 || levels.has(level));
}

/** The groups with these families alone; the others are not formatted. */
export function groupsOf<Source>(
  groups: readonly FamilyGroup<Source>[],
  isWanted: FamilyPredicate,
): readonly FamilyGroup<Source>[] {
  return groups.map((group) => narrowed(group, isWanted)).filter(({ families }) => families.length > 0);
}

function narrowed<Source>(group: FamilyGroup<Source>, isWanted: FamilyPredicate): FamilyGroup<Source> {
  const indexes = group.families.flatMap((family, index) => (isWanted(family) ? [index] : []));
  if (indexes.length === group.families.length) return group;
  return {
    ...group,
    families: group.families.filter(isWanted),
    *samples(source) {
      for (const { labelValues, values } of group.samples(source)) {
        yield { labelValues, values: indexes.map((index) => values[index]) };
      }
    },
  };
}
