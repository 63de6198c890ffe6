import { readFile } from 'node:fs/promises';

import { expect, it } from 'vitest';

import { prometheusRuleFiles, renderPrometheusRule } from '../../scripts/prometheus-rule.js';
import { familyTable } from '../../src/metrics/exposition/families.js';
import { selfFamilies } from '../../src/metrics/telemetry/self-families.js';
import {
  type AlertingRule,
  alertsOf,
  queriesOf,
  readInhibitions,
  readRules,
  readRuleTests,
  readRunbooks,
  recordsOf,
} from '../support/rules.js';

const rules = await readRules();
const alerts = alertsOf(rules);
const alertNames = [...new Set(alerts.map(({ alert }) => alert))].sort();
const records = recordsOf(rules);
const inhibitions = await readInhibitions();
const runbooks = await readRunbooks();
const runbooksUrl = 'https://github.com/ephemeral-storage-exporter/ephemeral-storage-exporter/blob/main/docs/paged.md';

const families = new Map(
  familyTable(Object.values(selfFamilies)).map(({ name, labels }) => [name, new Set<string>(labels)] as const),
);

/** All PromQL expressions: of the rules, and in the texts of alerts (`%q` stands for a quoted value). */
const expressions = [...records, ...alerts].map(({ expr }) => expr);
const textExpressions = alerts
  .flatMap(({ annotations }) => Object.values(annotations))
  .flatMap((text) => [...text.matchAll(/printf "([^"]*)"/g)].map(([, expression = '']) => expression));

const operators = 'sum|min|max|count|group|topk|count_values';
/** An aggregation, with the word or the bracket after it. */
const aggregations = new RegExp(`(?<![:\\w])(?:${operators})\\s*(by|\\()`, 'g');
const groupings = /\b(by|on|group_left|group_right|without|ignoring)\s*\(([^)]*)\)/g;
const words = new RegExp(`^(?:${operators}|and|or|unless|offset|bool)$`);

/** Names of series: the words outside strings, matchers, ranges and lists of labels that are not functions. */
function seriesNames(expression: string): readonly string[] {
  const bare = expression
    .replaceAll(/"[^"]*"|'[^']*'|\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(groupings, '')
    .replaceAll(/\boffset\s+\w+/g, '');
  return [...bare.matchAll(/[A-Za-z_:][\w:]*(?![\w:]|\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !words.test(name));
}

function labelNames(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

it('rules read families of the exporter, recorded series, and up', () => {
  const known = new Set([...families.keys(), ...records.map(({ record }) => record), 'up']);
  const named = [...expressions, ...textExpressions].flatMap(seriesNames);
  expect(new Set(named).size).toBeGreaterThan(40);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it("rules have no more groups, and no more in one, than Mimir's ruler accepts without configuration", () => {
  // https://grafana.com/docs/mimir/latest/configure/configuration-parameters/#limits
  expect(rules.groups.length).toBeLessThanOrEqual(70);
  expect(Math.max(...rules.groups.map(({ rules: ofGroup }) => ofGroup.length))).toBeLessThanOrEqual(20);
});

it('rules need only families of the standard profile, apart from two details', () => {
  const full = familyTable(Object.values(selfFamilies)).filter(({ profile }) => profile === 'full');
  const named = new Set([...expressions, ...textExpressions].flatMap(seriesNames));
  const used = full.map(({ name }) => name).filter((name) => named.has(name));
  expect(used.sort()).toEqual([
    'ephemeral_storage_container_limit_bytes',
    'ephemeral_storage_pod_volume_stats_timestamp_seconds',
  ]);
});

it('rules match labels that the families have', () => {
  const matchers = [...expressions, ...textExpressions].flatMap((text) => [
    ...text.matchAll(/(?<![:\w])(ephemeral_storage_\w+)\{([^}]*)\}/g),
  ]);
  expect(matchers.length).toBeGreaterThan(5);
  for (const [text, family = '', list = ''] of matchers) {
    const names = [...list.matchAll(/(\w+)(?:=~|!~|!=|=)/g)].map(([, name]) => name);
    const overwritten = ['exported_namespace', 'exported_pod', 'exported_node'];
    expect([...(families.get(family) ?? []), 'cluster', 'job', 'instance', ...overwritten], text).toEqual(
      expect.arrayContaining(names),
    );
  }
});

it('rules keep the cluster in every aggregation and every match', () => {
  for (const expression of expressions) {
    for (const [text, by] of expression.matchAll(aggregations)) expect(by, text).toBe('by');
    for (const [, keyword = '', list = ''] of expression.matchAll(groupings)) {
      if (keyword === 'by' || keyword === 'on') expect(labelNames(list), expression).toContain('cluster');
      else expect(keyword, expression).toMatch(/^group_(?:left|right)$/);
    }
  }
  for (const expression of textExpressions) expect(expression).toContain('{cluster=%q');
});

it('rules name no job', () => {
  for (const expression of [...expressions, ...textExpressions])
    expect(expression).not.toMatch(/\bjob\s*(?:!|=(?!%q))/);
});

it('rules name recorded series by level, metric and operation', () => {
  for (const { record } of records) {
    expect(record).toMatch(
      /^(?:job|instance|workload|workload_container|pod|limit|node|node_filesystem|node_disk):\w+:\w+$/,
    );
  }
  expect(new Set(records.map(({ record }) => record)).size).toBe(records.length);
});

it('rules are evaluated more often than the look-back of 5m, or read only over ranges', () => {
  const rare = rules.groups.filter(({ interval = '1m' }) => !/^[1-4]m$/.test(interval));
  const names = rare.flatMap((group) => recordsOf({ groups: [group] })).map(({ record }) => record);
  expect(alertsOf({ groups: rare })).toEqual([]);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    const readings = [...expressions, ...textExpressions].flatMap((text) => text.split(name).slice(1));
    expect(readings.length, name).toBeGreaterThan(0);
    for (const rest of readings) expect(rest, name).toMatch(/^\[/);
  }
});

it('rules look back for a day and more only over few series or few samples', () => {
  const frugal = /:last1h$|:max_from_half$|:min_below_quarter$/;
  const lookBacks = expressions.flatMap((text) => [...text.matchAll(/([\w:]+)(?:\{[^}]*\})?\[(\d+)d[^\]]*\]/g)]);
  expect(lookBacks.length).toBe(3);
  for (const [text, name] of lookBacks) expect(name, text).toMatch(frugal);
});

it('there are 18 alerts at most, and rules of one name differ by severity or reason', () => {
  expect(alertNames.length).toBeLessThanOrEqual(18);
  const identities = alerts.map(({ alert, labels }) => JSON.stringify([alert, labels['severity'], labels['reason']]));
  expect(new Set(identities).size).toBe(identities.length);
});

/** About the exporter's own state, or how a cluster is set up. */
const stepless = /(?:LabelsOverwritten|NotEnforced|ThresholdUnset|Unhealthy|TlsVerificationDisabled)$/;

it.each(alerts)('the alert $alert has severity, summary, description, runbook', ({ alert, labels, annotations }) => {
  expect(alert).toMatch(/^EphemeralStorage[A-Z]\w+$/);
  expect(['info', 'warning', 'critical']).toContain(labels['severity']);
  expect(Object.keys(annotations).sort()).toEqual(['description', 'runbook_url', 'summary']);
  expect(annotations['summary']).not.toContain('{{');
  expect(annotations['description']).toMatch(/\{\{/);
  expect(annotations['description']?.includes('Next step: kubectl ')).toBe(!stepless.test(alert));
  expect(annotations['runbook_url']).toBe(`${runbooksUrl}#${alert.toLowerCase()}`);
});

it('every alert has one runbook, and every runbook an alert', () => {
  const sections = [...runbooks.matchAll(/^### (EphemeralStorage\w+)$/gm)].map(([, name]) => name);
  expect(sections.sort()).toEqual(alertNames);
});

it('every alert has a case in which it fires and one in which it does not', async () => {
  const cases = (await readRuleTests()).flatMap(({ alert_rule_test: tests = [] }) => tests);
  const namesOf = (fires: boolean) =>
    new Set(cases.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname));
  expect([...namesOf(true)].sort()).toEqual(alertNames);
  expect([...namesOf(false)].sort()).toEqual(alertNames);
});

const gaps = ['a kubelet that hangs', 'scrapes that fail'];

it.each(gaps)('gaps in the data neither reset nor hide an alert: %s for three minutes of every ten', async (cause) => {
  const tests = (await readRuleTests()).filter(({ name }) =>
    name.startsWith(`${cause} for three minutes of every ten`),
  );
  const samples = tests.flatMap(({ promql_expr_test: cases = [] }) => cases.flatMap(({ exp_samples }) => exp_samples));
  const valueOf = (label: string, text: string): string | undefined =>
    new RegExp(`\\b${label}="(\\w+)"`).exec(text)?.[1];
  const firing = samples.map(({ labels }) => `${valueOf('alertname', labels)} ${valueOf('severity', labels)}`);
  const shipped = alerts.map(({ alert, labels }) => `${alert} ${labels['severity']}`);
  expect([...new Set(firing)].sort()).toEqual([...new Set(shipped)].sort());
});

it('runbooks query existing series', () => {
  const known = [...families.keys(), ...records.map(({ record }) => record)];
  const queries = queriesOf(runbooks);
  expect(queries.length).toBeGreaterThan(0);
  expect(queries.flatMap(seriesNames).filter((name) => !known.includes(name.replace(/_bucket$/, '')))).toEqual([]);
});

it('runbooks find exporters by a label, as there are three kinds of workloads', () => {
  const commands = runbooks.match(/^kubectl (?!ephemeral-storage |get --raw ).*$/gm) ?? [];
  expect(commands).toHaveLength(3);
  for (const command of commands) expect(command).toContain(' -l app.kubernetes.io/name=ephemeral-storage-exporter');
});

it('every recorded series has tested values', async () => {
  const tested = (await readRuleTests())
    .flatMap(({ promql_expr_test: tests = [] }) => tests)
    .filter(({ exp_samples }) => exp_samples.length > 0)
    .flatMap(({ expr }) => seriesNames(expr));
  const names = records.map(({ record }) => record);
  expect(names.filter((name) => !tested.includes(name))).toEqual([]);
});

/** The rules of alerts that matchers select by what is static in them. */
function selected(matchers: readonly string[]): readonly AlertingRule[] {
  const parsed = matchers.map((matcher) => /^(alertname|severity|reason|cause)(=~?|!=)"([\w|]+)"$/.exec(matcher) ?? []);
  expect(parsed.filter(({ length }) => length === 0)).toEqual([]);
  return alerts.filter(({ alert, labels }) =>
    parsed.every(([, label = '', operator, value = '']) => {
      const own = label === 'alertname' ? alert : labels[label];
      return own === undefined || value.split('|').includes(own) !== (operator === '!=');
    }),
  );
}

it('inhibitions are about existing alerts, one silencing others that are no graver, in one cluster', () => {
  const rank = ({ labels }: AlertingRule): number => ['info', 'warning', 'critical'].indexOf(labels['severity'] ?? '');
  expect(inhibitions.length).toBeGreaterThan(3);
  for (const { source_matchers, target_matchers, equal } of inhibitions) {
    const [sources, targets] = [selected(source_matchers), selected(target_matchers)];
    expect(Math.min(sources.length, targets.length), target_matchers.join()).toBeGreaterThan(0);
    if (!source_matchers.some((matcher) => matcher.includes('reason')))
      expect(targets.filter((target) => sources.includes(target))).toEqual([]);
    expect(Math.min(...sources.map(rank))).toBeGreaterThanOrEqual(Math.max(...targets.map(rank)));
    expect(equal).toContain('cluster');
  }
});

it('the PrometheusRule is generated from the rule file', async () => {
  const plain = await readFile(prometheusRuleFiles.rules, 'utf8');
  expect(await readFile(prometheusRuleFiles.component, 'utf8')).toBe(await renderPrometheusRule(plain));
});
