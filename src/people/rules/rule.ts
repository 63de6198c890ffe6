import { soonMs } from '../../facts/forecast/forecast.js';
import { countedText, joinTruncated } from '../../lib/base/text.js';
import { formatForecast } from '../../lib/base/units.js';
import type { ClusterReport } from '../query/cluster-report.js';
import type { Problem, ProblemSubject, Status } from '../query/status.js';
import type { ShownEviction } from '../report/eviction-report.js';

/** What rules are applied to. */
export interface RuleFacts extends Pick<Status, 'readinessChecks' | 'notListed' | 'health'> {
  /** Undefined before the first lists of nodes and pods. */
  readonly cluster: ClusterReport | undefined;
  readonly evictions: readonly ShownEviction[];
}

/** What a rule applies to, for one cause. */
export interface Subjects<Subject extends ProblemSubject = ProblemSubject> {
  readonly count: number;
  /** The first of them; none of what has no page. */
  readonly examples?: readonly Subject[];
}

/** A row of the table: when something is a problem, and what is said of it. */
export interface RuleOf<S extends Subjects, Facts> extends Pick<Problem, 'section' | 'only'> {
  /** The shipped alerts about the same; each has its runbook. */
  readonly alerts?: readonly string[];
  /** One for each cause; without any, all is well. */
  readonly applies: (facts: Facts) => readonly S[];
  /** Whether somebody is woken for it, as for its alerts: data are lost, or nobody would see it. A warning without it. */
  readonly isCritical?: boolean | ((of: S, facts: Facts) => boolean);
  readonly sentence: readonly [one: string, many: string] | ((of: S, facts: Facts) => string);
  /** '' for none; without it, the names of the examples. */
  readonly detail?: (of: S, facts: Facts) => string;
  readonly name?: (subject: NonNullable<S['examples']>[number]) => string;
  /** Until it is evicted, or evicts: follows its name. Undefined while that is not forecast. */
  readonly timeMs?: (subject: NonNullable<S['examples']>[number]) => number | undefined;
  /** Follows the names of the examples. */
  readonly more?: (of: S) => string;
  /** What to do, in words. */
  readonly step?: string | ((of: S, facts: Facts) => string | undefined);
  readonly commands?: (of: S) => readonly string[];
}

export interface Rule {
  readonly alerts: readonly string[];
  /** That its problems may have. */
  readonly severities: readonly Problem['severity'][];
  readonly problems: (facts: RuleFacts) => readonly Omit<Problem, 'id'>[];
}

/** About the exporter, and what it reads. */
export function exporterRule<S extends Subjects>(of: RuleOf<S, RuleFacts>): Rule {
  return { ...heads(of), problems: (facts) => problemsBy(of, facts) };
}

/** About the cluster: it applies to nothing before the first lists. */
export function clusterRule<S extends Subjects>(of: RuleOf<S, RuleFacts & { readonly cluster: ClusterReport }>): Rule {
  const problems: Rule['problems'] = ({ cluster, ...facts }) =>
    cluster === undefined ? [] : problemsBy(of, { ...facts, cluster });
  return { ...heads(of), problems };
}

function heads<S extends Subjects>({ alerts = [], isCritical = false }: RuleOf<S, never>): Omit<Rule, 'problems'> {
  const mayBeBoth = typeof isCritical === 'function';
  return { alerts, severities: mayBeBoth ? ['warning', 'critical'] : [isCritical ? 'critical' : 'warning'] };
}

function problemsBy<S extends Subjects, Facts>(rule: RuleOf<S, Facts>, facts: Facts): readonly Omit<Problem, 'id'>[] {
  const { isCritical = false, section, only, sentence, detail = (of) => examplesText(rule, of), step } = rule;
  const found = rule.applies(facts).filter((of) => of.count > 0);
  return found.map((of) => ({
    severity: (typeof isCritical === 'function' ? isCritical(of, facts) : isCritical) ? 'critical' : 'warning',
    text: typeof sentence === 'function' ? sentence(of, facts) : countedText(of.count, sentence),
    detail: detail(of, facts) || undefined,
    hint: typeof step === 'function' ? step(of, facts) : step,
    commands: rule.commands?.(of) ?? [],
    section,
    only,
    timeToEvictionMs: soonestMs(rule, of),
    about: onlyOne(of),
  }));
}

/** Undefined unless it is within minutes. */
function soonestMs<S extends Subjects>({ timeMs }: RuleOf<S, never>, { examples = [] }: S): number | undefined {
  const times = examples.map((each) => timeMs?.(each) ?? Infinity);
  const soonest = Math.min(...times);
  return soonest <= soonMs ? soonest : undefined;
}

/** Only a single one has a page that explains it. */
function onlyOne({ count, examples: [first] = [] }: Subjects): ProblemSubject | undefined {
  if (count !== 1 || first === undefined) return undefined;
  return first.pod === undefined ? { node: first.node } : { namespace: first.namespace, pod: first.pod };
}

/** `node-1 (in 4m), node-2 and 3 more` */
function examplesText<S extends Subjects>({ name = subjectName, timeMs, more }: RuleOf<S, never>, of: S): string {
  const { examples = [], count } = of;
  const names = examples.map((each) => `${name(each)}${timeNote(timeMs?.(each))}`);
  return names.length === 0 ? '' : `${namesText(names, count)}${more?.(of) ?? ''}`;
}

function subjectName(of: ProblemSubject): string {
  return of.pod === undefined ? of.node : `${of.namespace}/${of.pod}`;
}

function timeNote(timeMs = 0): string {
  return timeMs === 0 ? '' : ` (in ${formatForecast(timeMs)})`;
}

/** How many of what a problem is about are named. Every namespace has its own check. */
const maxNamesCount = 3;

/** `count`: of all that there are, where `names` are some of them. */
export function namesText(names: readonly string[], count?: number): string {
  return joinTruncated(names, maxNamesCount, count);
}

/** The parts that are not empty. */
export function joinParts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}
