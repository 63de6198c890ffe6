import { type FamilyFilter, familyLevels } from '../exposition/selection.js';

/** `fault`: one line for the client, which repeats nothing of what the client sent. */
export type FilterResult = { readonly filter: FamilyFilter } | { readonly fault: string };

/**
 * The filter that the query asks for by `name[]=FAMILY` and `collect[]=LEVEL`, each as often as wanted, with or without
 * the brackets. Other parameters are none of its business.
 */
export function familyFilter(query: object, isFamily: (name: string) => boolean): FilterResult {
  const names = new Set(valuesOf(query, 'name'));
  const levels = new Set(valuesOf(query, 'collect'));
  const known = familyLevels.filter((level) => levels.has(level));
  if (known.length < levels.size) return { fault: faultOf('collect[]') };
  if (![...names].every(isFamily)) return { fault: faultOf('name[]') };
  return { filter: { names, levels: new Set(known) } };
}

function valuesOf(query: object, parameter: string): readonly string[] {
  return Object.entries(query)
    .filter(([key]) => key === parameter || key === `${parameter}[]`)
    .flatMap(([, values]: [string, unknown]): readonly unknown[] => (Array.isArray(values) ? values : [values]))
    .map(String);
}

function faultOf(parameter: string): string {
  return `unknown value of ${parameter}: name[] takes the name of a metric family, collect[] one of ${familyLevels.join(', ')}`;
}
