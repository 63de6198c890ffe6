import { soonMs } from '../../facts/forecast/forecast.js';
import type { Problem } from '../query/status.js';
import { dataRules } from './data-rules.js';
import { enforcementRules } from './enforcement-rules.js';
import { evictionRules, nextEvictionRules } from './eviction-rules.js';
import { healthRules, readinessRules } from './exporter-rules.js';
import { gapRules } from './gap-rules.js';
import type { Rule, RuleFacts } from './rule.js';

/** All that may be a problem, by the id that pages, API and tests know it by. Of equal weight, the first one comes first. */
export const rules: Readonly<Record<string, Rule>> = {
  ...readinessRules,
  ...nextEvictionRules,
  ...dataRules,
  ...enforcementRules,
  ...gapRules,
  ...evictionRules,
  ...healthRules,
};

/** The current problems: the critical ones, then evictions within minutes, the soonest first, then those that were, then the others. */
export function problemsOf(facts: RuleFacts): readonly Problem[] {
  const problems = Object.entries(rules).flatMap(([id, rule]) =>
    rule.problems(facts).map((problem) => ({ id, ...problem })),
  );
  return problems.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** The less, the sooner. What is over comes after what is about to happen, however bad it was. */
function placeOf({ severity, section, timeToEvictionMs = soonMs + 2 }: Problem): number {
  if (severity !== 'critical') return timeToEvictionMs;
  return section === 'evictions' ? soonMs + 1 : -1;
}
