import { type FamilyFilter, familyLevels } from '../../metrics/exposition/selection.js';

/**
 * The filter in the query: `name[]=FAMILY` and `collect[]=LEVEL`, each any number of times, with or without the brackets.
 * Other parameters are ignored.
 */
export function familyFilter(
  query: object,
  isFamily: (name: string) => boolean,
): { readonly filter: FamilyFilter } | { readonly fault: string } {
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
  return `unknown value of ${parameter}: expected the name of a metric family for name[], one of ${familyLevels.join(', ')} for collect[]`;
}
