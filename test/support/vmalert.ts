/** The rules and their tests as `vmalert-tool unittest` takes them. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { parse, stringify } from 'yaml';

import { type AlertingRule, readRules, type RecordingRule, type RuleFile } from './rules.js';

type Rule = AlertingRule | RecordingRule;

interface ExpressionTest {
  readonly expr: string;
  readonly exp_samples: readonly { readonly labels: string }[];
}

interface PromtoolTest {
  readonly promql_expr_test?: readonly ExpressionTest[];
  readonly alert_rule_test?: readonly { readonly exp_alerts: readonly unknown[] }[];
}

/** The tool's samples begin in the year 2000, those of promtool in 1970. */
const firstSampleSeconds = Date.UTC(2000) / 1000;

const textsOf = (rule: Rule): string =>
  [rule.expr, ...('annotations' in rule ? Object.values(rule.annotations) : [])].join('\n');

/** Puts rules into groups that read only what groups before them have recorded: the tool writes after each group. */
function layered({ groups }: RuleFile): RuleFile {
  const layerOf = new Map<string, number>();
  const layers: Rule[][] = [];
  for (const rule of groups.flatMap(({ rules }) => rules)) {
    const read = [...textsOf(rule).matchAll(/[a-z_]+:\w+:\w+/g)].map(([name]) => layerOf.get(name) ?? -1);
    const layer = Math.max(-1, ...read) + 1;
    (layers[layer] ??= []).push(rule);
    if ('record' in rule) layerOf.set(rule.record, layer);
  }
  return { groups: layers.map((rules, index) => ({ name: `layer-${String(index)}`, rules })) };
}

/** Drops labels that are no part of the result: names that MetricsQL keeps, and the group that the tool adds. */
function expressionTest({ expr, ...test }: ExpressionTest): ExpressionTest {
  const isNamed = test.exp_samples.some(({ labels }) => /^\w|__name__/.test(labels));
  return { ...test, expr: `label_del((${expr}), "alertgroup"${isNamed ? '' : ', "__name__"'})` };
}

const inMetricsql = ({ promql_expr_test: expressions = [], ...test }: PromtoolTest) => ({
  ...test,
  metricsql_expr_test: expressions.map(expressionTest),
});

/** What must not fire; when it fires is not the same with rules that read late values. */
const silentOnly = ({ alert_rule_test: alerts = [], ...test }: PromtoolTest) => ({
  ...test,
  promql_expr_test: undefined,
  alert_rule_test: alerts.filter(({ exp_alerts }) => exp_alerts.length === 0),
});

/**
 * Writes the rules and a file of their tests for promtool into the folder; gives the path of the tests. With `isLate`,
 * rules read what others of their group have recorded an evaluation before, as with the asynchronous writes of vmalert.
 */
export async function writeVmalertTest(folder: string, testPath: string, isLate: boolean): Promise<string> {
  const text = await readFile(testPath, 'utf8');
  const { tests, ...rest } = parse(text) as { readonly tests: readonly PromtoolTest[] };
  const shipped = await readRules();
  const { groups } = isLate ? shipped : layered(shipped);
  const rules = JSON.stringify({ groups }).replaceAll('time()', `(time() - ${String(firstSampleSeconds)})`);
  await writeFile(path.join(folder, 'rules.yaml'), rules);
  const converted = {
    ...rest,
    rule_files: ['rules.yaml'],
    group_eval_order: groups.map(({ name }) => name),
    tests: isLate ? tests.map(silentOnly) : tests.map(inMetricsql),
  };
  const file = path.join(folder, path.basename(testPath));
  await writeFile(file, stringify(converted, { aliasDuplicateObjects: false, keepUndefined: false }));
  return file;
}
