/** The families of an exposition: those that the settings allow, and of these the ones that the request selects. */
import { compilePattern } from '../../lib/base/pattern.js';
import { type FamilyRow, type Level, type Profile, profiles } from './family.js';

export interface FamilyRules {
  readonly profile: Profile;
  readonly levels: readonly Level[];
  /** Regular expressions that match whole names. Empty: the families of the profile. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export type FamilyPredicate = (family: Pick<FamilyRow, 'name' | 'level'>) => boolean;

/**
 * Of these levels: the families that `allow` matches, whatever their profile, or those of the profile when
 * `allow` is empty; without those that `deny` matches. About the exporter: those of the profile.
 */
export function allowedBy(rules: FamilyRules): (family: Pick<FamilyRow, 'name' | 'level' | 'profile'>) => boolean {
  const [allowed, denied] = [rules.allow.map(compilePattern), rules.deny.map(compilePattern)];
  return ({ name, level, profile }) => {
    if (level === 'exporter') return isInProfile(profile, rules.profile);
    if (!rules.levels.includes(level) || denied.some((pattern) => pattern.test(name))) return false;
    return allowed.length === 0 ? isInProfile(profile, rules.profile) : allowed.some((pattern) => pattern.test(name));
  };
}

/** Whether a family of profile `family` is part of the profile `selected`. */
export function isInProfile(family: Profile, selected: Profile): boolean {
  return profiles.indexOf(family) <= profiles.indexOf(selected);
}

/** The selection of a request among the families that the settings allow; an empty set selects all. */
export interface FamilyFilter {
  readonly names: ReadonlySet<string>;
  readonly levels: ReadonlySet<FamilyRow['level']>;
}

export const noFilter: FamilyFilter = { names: new Set(), levels: new Set() };

/** The values of `collect[]`. */
export const familyLevels = ['workload', 'node', 'pod', 'container', 'volume', 'exporter'] as const;

/** The same text for the same filter; '' for {@link noFilter}. */
export function filterText({ names, levels }: FamilyFilter): string {
  const texts = [
    ...Array.from(names, (name) => `name[]=${name}`),
    ...Array.from(levels, (level) => `collect[]=${level}`),
  ];
  return texts.sort().join('&');
}

/** A family must be in both sets. */
export function requestedBy({ names, levels }: FamilyFilter): FamilyPredicate {
  return ({ name, level }) => (names.size === 0 || names.has(name)) && (levels.size === 0 || levels.has(level));
}
