/** The shipped rules of Prometheus and the files that test them, as data. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly (RecordingRule | AlertingRule)[];
}

export interface RuleFile {
  readonly groups: readonly RuleGroup[];
}

export interface InhibitRule {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal: readonly string[];
}

export interface ExpressionTest {
  readonly expr: string;
  readonly exp_samples: readonly { readonly labels: string }[];
}

export interface RuleTest {
  readonly name: string;
  readonly promql_expr_test?: readonly ExpressionTest[] | undefined;
  readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
}

const chart = new URL('../../charts/ephemeral-storage-exporter/', import.meta.url);
const manifests = new URL('../../manifests/rules/', import.meta.url);
const documentation = new URL('../../docs/', import.meta.url);
const tests = new URL('../rules/', import.meta.url);

export const ruleFilePath = fileURLToPath(new URL('rules/ephemeral-storage.yaml', chart));
export const optionalAlertsPath = fileURLToPath(new URL('rules/optional-alerts.yaml', chart));
export const inhibitionsPath = fileURLToPath(new URL('inhibitions.yaml', manifests));

/** Those of the file for Prometheus, which are on by default. */
export async function readDefaultRules(): Promise<RuleFile> {
  return parse(await readFile(ruleFilePath, 'utf8')) as RuleFile;
}

/** With the optional alerts. */
export async function readRules(): Promise<RuleFile> {
  const optional = parse(await readFile(optionalAlertsPath, 'utf8')) as RuleFile;
  return { groups: [...(await readDefaultRules()).groups, ...optional.groups] };
}

export function alertsOf({ groups }: RuleFile): readonly AlertingRule[] {
  return groups.flatMap(({ rules }) => rules).filter((rule) => 'alert' in rule);
}

export function recordsOf({ groups }: RuleFile): readonly RecordingRule[] {
  return groups.flatMap(({ rules }) => rules).filter((rule) => 'record' in rule);
}

export async function readRunbooks(): Promise<string> {
  return readFile(new URL('paged.md', documentation), 'utf8');
}

/** The queries in a Markdown text. */
export function queriesOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/```promql\n([^]*?)```/g)].map(([, query = '']) => query);
}

/** The queries of all pages of the documentation. */
export async function documentedQueries(): Promise<readonly string[]> {
  const names = (await readdir(documentation)).filter((name) => name.endsWith('.md'));
  const pages = await Promise.all(names.map((name) => readFile(new URL(name, documentation), 'utf8')));
  return pages.flatMap(queriesOf);
}

export async function readInhibitions(): Promise<readonly InhibitRule[]> {
  const file = parse(await readFile(inhibitionsPath, 'utf8')) as {
    inhibit_rules: readonly InhibitRule[];
  };
  return file.inhibit_rules;
}

/** The files for `promtool test rules`. */
export async function ruleTestPaths(): Promise<readonly string[]> {
  const names = (await readdir(tests)).filter((name) => name.endsWith('.yaml'));
  return names.map((name) => fileURLToPath(new URL(name, tests)));
}

export async function readRuleTests(): Promise<readonly RuleTest[]> {
  const texts = await Promise.all((await ruleTestPaths()).map((path) => readFile(path, 'utf8')));
  return texts.flatMap((text) => (parse(text) as { tests: readonly RuleTest[] }).tests);
}
