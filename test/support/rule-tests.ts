/** The files that test the rules, as data, and the rules that each test needs. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { parse, stringify } from 'yaml';

import { atNight } from './nightly.js';
import { type AlertingRule, readRules, type RecordingRule, type RuleFile, type RuleTest } from './rules.js';

export type Rule = AlertingRule | RecordingRule;

/** What a file for `promtool test rules` has, with one test. */
export interface SingleTest {
  readonly settings: object;
  readonly rules: RuleFile;
  readonly test: RuleTest;
}

/** The recorded series that a rule reads. */
export function recordsReadBy(rule: Rule): readonly string[] {
  return recordsIn([rule.expr, ...('annotations' in rule ? Object.values(rule.annotations) : [])].join('\n'));
}

const recordsIn = (text: string): readonly string[] => [...text.matchAll(/[a-z_]+:\w+:\w+/g)].map(([name]) => name);

/** Whether an expression of a test reads the state of this alert: by its name, or that of all alerts. */
const isReadIn = (text: string, alert: string): boolean =>
  [...text.matchAll(/\bALERTS\b(?:\{([^}]*)\})?/g)].some(([, matchers = '']) =>
    [undefined, alert].includes(/alertname="(\w+)"/.exec(matchers)?.[1]),
  );

/** The rules of what a test asks for, and those that they read; other rules change nothing of it. */
function neededRules({ groups }: RuleFile, test: RuleTest): RuleFile {
  const text = (test.promql_expr_test ?? []).map(({ expr }) => expr).join('\n');
  const alerts = new Set((test.alert_rule_test ?? []).map(({ alertname }) => alertname));
  const records = new Set(recordsIn(text));
  const needed = new Set<Rule>();
  const isNeeded = (rule: Rule): boolean =>
    'record' in rule ? records.has(rule.record) : alerts.has(rule.alert) || isReadIn(text, rule.alert);
  const all = groups.flatMap(({ rules }) => rules);
  for (let before = -1; before < needed.size;) {
    before = needed.size;
    for (const rule of all.filter(isNeeded)) {
      needed.add(rule);
      for (const name of recordsReadBy(rule)) records.add(name);
    }
  }
  return {
    groups: groups
      .map((group) => ({ ...group, rules: group.rules.filter((rule) => needed.has(rule)) }))
      .filter(({ rules }) => rules.length > 0),
  };
}

const asYaml = (value: unknown): string => stringify(value, { aliasDuplicateObjects: false, keepUndefined: false });

/**
 * Writes the tests of a file into the folder, each with the rules that it needs, at night with all, which must not fail on
 * the series of any test; gives the paths of the tests.
 */
export async function writeSingleTests(
  folder: string,
  testPath: string,
  convert = (single: SingleTest): SingleTest => single,
): Promise<readonly string[]> {
  const { tests, ...settings } = parse(await readFile(testPath, 'utf8')) as { readonly tests: readonly RuleTest[] };
  const all = await readRules();
  const write = async (original: RuleTest, index: number): Promise<string> => {
    const single = convert({ settings, rules: atNight(all, neededRules(all, original)), test: original });
    const [rulesName, file] = [`rules-${index}.yaml`, path.join(folder, `test-${index}.yaml`)];
    await writeFile(path.join(folder, rulesName), JSON.stringify(single.rules));
    await writeFile(file, asYaml({ ...single.settings, rule_files: [rulesName], tests: [single.test] }));
    return file;
  };
  return Promise.all(tests.map(write));
}
