/** The rules and their tests as `vmalert-tool unittest` takes them. */
import { recordsReadBy, type Rule, writeSingleTests } from './rule-tests.js';
import type { ExpressionTest, RuleFile, RuleTest } from './rules.js';

/** The tool's samples begin in the year 2000, those of promtool in 1970. */
const firstSampleSeconds = Date.UTC(2000) / 1000;

/** Puts rules into groups that read only what groups before them have recorded: the tool writes after each group. */
function layered({ groups }: RuleFile): RuleFile {
  const layerOf = new Map<string, number>();
  const layers: Rule[][] = [];
  for (const rule of groups.flatMap(({ rules }) => rules)) {
    const read = recordsReadBy(rule).map((name) => layerOf.get(name) ?? -1);
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

const inMetricsql = ({ promql_expr_test: expressions = [], ...test }: RuleTest) => ({
  ...test,
  metricsql_expr_test: expressions.map(expressionTest),
});

/** What must not fire; when it fires is not the same with rules that read late values. */
const silentOnly = ({ alert_rule_test: alerts = [], ...test }: RuleTest) => ({
  ...test,
  promql_expr_test: undefined,
  alert_rule_test: alerts.filter(({ exp_alerts }) => exp_alerts.length === 0),
});

/**
 * Writes the tests of a file into the folder; gives their paths. With `isLate`, rules read what others of their group have
 * recorded an evaluation before, as with the asynchronous writes of vmalert.
 */
export async function writeVmalertTests(folder: string, testPath: string, isLate: boolean): Promise<readonly string[]> {
  return writeSingleTests(folder, testPath, ({ settings, rules, test }) => {
    const text = JSON.stringify(isLate ? rules : layered(rules));
    const moved = JSON.parse(text.replaceAll('time()', `(time() - ${firstSampleSeconds})`)) as RuleFile;
    return {
      settings: { ...settings, group_eval_order: moved.groups.map(({ name }) => name) },
      rules: moved,
      test: isLate ? silentOnly(test) : inMetricsql(test),
    };
  });
}
