import { readdir, readFile } from 'node:fs/promises';

import { DashboardLinkType, type Panel, type RowPanel, VariableType } from '@grafana/grafana-foundation-sdk/dashboard';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { allDashboards, dashboardFiles } from '../../grafana/src/dashboards.js';
import { ratioSteps } from '../../grafana/src/states.js';
import { uids } from '../../grafana/src/uids.js';
import { familyTable } from '../../src/metrics/exposition/families.js';
import { selfFamilies } from '../../src/metrics/telemetry/self-families.js';
import { limitThresholds } from '../../src/people/report/limit-report.js';
import { dataLinksOf, isRow, labelQueryOf, panelsOf, placedIn, queriesOf, variablesOf } from '../support/dashboards.js';
import { namesIn } from './promql-names.js';

const folder = new URL('../../charts/ephemeral-storage-exporter/dashboards/', import.meta.url);
const dashboards = allDashboards().map((dashboard) => ({ uid: dashboard.uid ?? '', dashboard }));

/** Prometheus' own series about a target. */
const seriesOfPrometheus = ['up', 'ALERTS'];
/** Recorded by the shipped rules; only to see whether a server evaluates them. */
const recordedSeries = ['workload:ephemeral_storage_workload_complete:min'];
const labelsOfPrometheus = ['cluster', 'job', 'instance', 'le', 'alertname', 'alertstate', 'severity'];
/** Made by a query. */
const ownLabels = ['limit'];

const variablesOfGrafana = ['__interval', '__rate_interval', '__range', '__url_time_range', '__data', '__field'];

/** The others show one cluster: nodes and pods of two clusters may have one name. */
const clustersTogether: readonly string[] = [uids.overview, uids.exporter];

const families = familyTable(Object.values(selfFamilies));
/** Families that the default profile does not serve. */
const fullFamilies = new Set(families.filter(({ profile }) => profile === 'full').map(({ name }) => name));
/** In the standard profile only for emptyDirs. */
const volumeFamilies = 'ephemeral_storage_volume_';
/** Limits are those of emptyDirs in every profile. */
const isOfAllVolumes = (name: string): boolean => name.startsWith(volumeFamilies) && !name.endsWith('_limit_bytes');

function cellsOf({ title, gridPos }: Panel | RowPanel): readonly { readonly column: number; readonly row: number }[] {
  if (gridPos === undefined) throw new Error(`"${title ?? ''}" has no place`);
  const { x, y, w, h } = gridPos;
  return Array.from({ length: w * h }, (_, index) => ({ column: x + (index % w), row: y + Math.floor(index / w) }));
}

async function knownMetrics(): Promise<ReadonlySet<string>> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const defaults = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  // A server that stores native histograms has them by the name of the family.
  const own = families.flatMap(({ name, type }) =>
    type === 'histogram' ? ['', '_bucket', '_sum', '_count'].map((part) => `${name}${part}`) : [name],
  );
  return new Set([...defaults, ...own, ...seriesOfPrometheus, ...recordedSeries]);
}

it('dashboards are the committed files, each small enough for a ConfigMap', async () => {
  const files = dashboardFiles();
  const names = [...files.map(({ name }) => name), 'kustomization.yaml'];
  expect((await readdir(folder)).toSorted()).toEqual(names.toSorted());
  for (const { name, text } of files) {
    expect(await readFile(new URL(name, folder), 'utf8'), `${name}: run npm run docs`).toBe(text);
    expect(Buffer.byteLength(text)).toBeLessThan(256 * 1024);
  }
});

describe.each(dashboards)('$uid', ({ dashboard }) => {
  const panels = panelsOf(dashboard);
  const queries = panels.flatMap((panel) => queriesOf(panel).map(({ expr }) => expr));
  const variables = variablesOf(dashboard);
  const linkUrls = [
    ...panels.flatMap((panel) => dataLinksOf(panel)),
    ...(dashboard.links ?? []).map(({ url = '' }) => url),
  ];
  const variableQueries = variables.flatMap((variable) => labelQueryOf(variable)?.selector ?? []);

  it('the dashboard has an address, a description and tags, and no id of a Grafana', () => {
    expect(dashboard).not.toHaveProperty('id');
    expect(dashboard.uid).toMatch(/^[a-z-]{1,40}$/);
    expect(dashboard.description).toMatch(/\.$/);
    expect(dashboard.tags).toContain('ephemeral-storage');
    expect(dashboard.refresh).toMatch(/^\d+m$/);
  });

  it('the dashboard has variables for the data source, by default the default one, and for the cluster', () => {
    const current = { text: 'default', value: 'default' };
    expect(variables[0]).toMatchObject({ type: 'datasource', name: 'datasource', query: 'prometheus', current });
    const several = { name: 'cluster', multi: true, includeAll: true, allValue: '.*' };
    expect(variables[1]).toMatchObject(clustersTogether.includes(dashboard.uid ?? '') ? several : { name: 'cluster' });
    if (!clustersTogether.includes(dashboard.uid ?? '')) expect(variables[1]).not.toHaveProperty('includeAll', true);
    for (const { type, datasource } of variables) {
      if (type === VariableType.Query) expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
    }
  });

  it('the dashboard has panels with a description, a unit and the selected data source', () => {
    for (const panel of panels) {
      const { title = '', description = '', datasource, fieldConfig } = panel;
      expect(title).toMatch(/^[A-Z]/);
      expect(description, title).toMatch(/^[A-Z0-9][^]{30,}[.?]$/);
      expect(datasource, title).toEqual({ type: 'prometheus', uid: '${datasource}' });
      expect(fieldConfig?.defaults.unit, title).toMatch(/./);
      expect(queriesOf(panel).length, title).toBeGreaterThan(0);
      for (const query of queriesOf(panel)) expect(query.datasource, title).toEqual(datasource);
    }
  });

  it('the dashboard has unique numbers of panels and queries', () => {
    const ids = placedIn(dashboard).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
    for (const panel of panels) {
      const refIds = queriesOf(panel).map(({ refId }) => refId);
      expect(new Set(refIds).size).toBe(refIds.length);
      expect(refIds).not.toContain('');
    }
  });

  it('the dashboard fills a grid of 24 columns without overlaps and holes', () => {
    const cells = placedIn(dashboard).flatMap((panel) => cellsOf(panel));
    const height = 1 + Math.max(...cells.map(({ row }) => row));
    expect(Math.max(...cells.map(({ column }) => column))).toBe(23);
    const places = new Set(cells.map(({ column, row }) => `${column},${row}`));
    expect(places.size).toBe(cells.length);
    expect(places.size).toBe(24 * height);
    expect(dashboard.panels?.some(isRow)).toBe(true);
  });

  it('the dashboard queries families of exporter, process and Prometheus, in the selected cluster', async () => {
    const known = await knownMetrics();
    const labels = new Set([...families.flatMap((family) => family.labels), ...[labelsOfPrometheus, ownLabels].flat()]);
    for (const query of [...queries, ...variableQueries]) {
      const names = namesIn(query);
      expect(names.metrics.length, query).toBeGreaterThan(0);
      expect(
        names.metrics.filter((name) => !known.has(name)),
        query,
      ).toEqual([]);
      expect(
        names.labels.filter((label) => !labels.has(label)),
        query,
      ).toEqual([]);
    }
    for (const query of queries) {
      const selectors = query.match(/\{[^}]*\}/g) ?? [];
      expect(selectors, query).toHaveLength(namesIn(query).metrics.length);
      for (const selector of selectors) expect(selector, query).toMatch(/^\{cluster=~"\$cluster"/);
    }
  });

  it('the dashboard describes in a panel that some of its values need the full profile', () => {
    for (const panel of panels) {
      const names = queriesOf(panel).flatMap(({ expr }) => namesIn(expr).metrics);
      const full = names.filter((name) => fullFamilies.has(name) || isOfAllVolumes(name));
      const texts = `${panel.title ?? ''}\n${panel.description ?? ''}`;
      expect(texts.includes('metrics.profile: full'), `${panel.title ?? ''}: ${full.join(', ')}`).toBe(full.length > 0);
    }
    const inVariables = variableQueries.flatMap((query) => namesIn(query).metrics);
    expect(inVariables.filter((name) => fullFamilies.has(name))).toEqual([]);
  });

  it('the dashboard adds up clusters only for the single value of a panel', () => {
    for (const panel of panels) {
      const isTotal = queriesOf(panel).some(({ expr }) => /\b(?:by|on) \(\)/.test(expr));
      if (isTotal) expect({ uid: dashboard.uid, type: panel.type }).toEqual({ uid: uids.overview, type: 'stat' });
    }
  });

  it('the dashboard names no job, and separates clusters in every aggregation and join', () => {
    for (const query of [...queries, ...variableQueries]) {
      for (const [, value] of query.matchAll(/\bjob\s*[=!]~?\s*"([^"]*)"/g)) expect(value).toBe('$job');
      expect(query).not.toMatch(/\b(?:without|ignoring)\b/);
      for (const [, next] of query.matchAll(/\b(?:sum|min|max|avg|count|quantile|group)\s+?(\S*\s*\S*)/g)) {
        expect(next, query).toMatch(/^by \((?:cluster\b|\))/);
      }
      expect(query).not.toMatch(/\b(?:sum|min|max|avg|count|quantile|group)\(/);
      for (const [, next] of query.matchAll(/\bon\s*(\S*)/g)) expect(next, query).toMatch(/^\((?:cluster\b|\))/);
    }
  });

  it('the dashboard declares exactly the variables that it uses', () => {
    const declared = variables.map(({ name }) => name);
    const texts = [
      ...queries,
      ...variables.map(({ query }) => (typeof query === 'string' ? query : '')),
      ...linkUrls.map((url) => url.replaceAll('${', '$')),
    ].join('\n');
    const used = new Set([...texts.matchAll(/\$(\w+)/g)].map(([, name = '']) => name));
    const ofGrafana = [...used].filter((name) => name.startsWith('__'));
    expect(ofGrafana.filter((name) => !variablesOfGrafana.includes(name))).toEqual([]);
    expect([...used].filter((name) => !name.startsWith('__')).toSorted()).toEqual(declared.toSorted());
  });

  it('the dashboard links to all others, with time range and data source, never several clusters to one', () => {
    const links = dashboard.links ?? [];
    const others = dashboards.map(({ uid }) => uid).filter((uid) => uid !== dashboard.uid);
    expect(links.map(({ url }) => url?.replace(/\?.*$/, ''))).toEqual(others.map((uid) => `/d/${uid}`));
    const isOfSeveral = clustersTogether.includes(dashboard.uid ?? '');
    for (const { url = '', ...link } of links) {
      expect(link).toMatchObject({ type: DashboardLinkType.Link, keepTime: true, includeVars: false });
      expect(url).toContain('?${datasource:queryparam}');
      const isToSeveral = clustersTogether.some((uid) => url.startsWith(`/d/${uid}?`));
      expect(url.includes('${cluster:queryparam}'), url).toBe(!isOfSeveral || isToSeveral);
    }
  });

  it('the dashboard links from values to that of their namespace, workload, node or pod in their cluster', () => {
    const isOfSeveral = clustersTogether.includes(dashboard.uid ?? '');
    const itsCluster = isOfSeveral
      ? /var-cluster=\$\{__(?:data\.fields|field\.labels)\.cluster:/
      : /var-cluster=\$\{cluster:/;
    for (const url of panels.flatMap((panel) => dataLinksOf(panel))) {
      const [, uid, search = ''] = /^\/d\/([a-z-]+)\?(.*)$/.exec(url) ?? [];
      expect(uid, url).not.toBe(dashboard.uid);
      const target = dashboards.find((other) => other.uid === uid)?.dashboard;
      expect(target, url).toBeDefined();
      const names = target === undefined ? [] : variablesOf(target).map(({ name }) => name);
      for (const [, name] of search.matchAll(/var-(\w+)=/g)) expect(names, url).toContain(name);
      expect(search).toMatch(itsCluster);
      for (const kept of ['datasource:queryparam', '__url_time_range']) expect(search).toContain(`\${${kept}}`);
    }
  });
});

it.each([
  { uid: 'ephemeral-storage-overview', title: 'Fullest filesystems' },
  { uid: 'ephemeral-storage-node', title: 'Biggest pods' },
])('$uid shows the first answer about a full node without scrolling: $title', ({ uid, title }) => {
  const { dashboard } = dashboards.find((other) => other.uid === uid) ?? {};
  const { y = Infinity } =
    (dashboard === undefined ? [] : panelsOf(dashboard)).find((panel) => panel.title === title)?.gridPos ?? {};
  expect(y).toBeLessThan(15);
});

it('dashboards have variables of the same name only with the same definition, as links pass them on', () => {
  const variables = dashboards.flatMap(({ dashboard }) => variablesOf(dashboard));
  for (const variable of variables) {
    for (const other of variables) {
      if (other.name === variable.name && other.name !== 'cluster') expect(other).toEqual(variable);
    }
  }
});

it('dashboards colour shares from the same thresholds on as the status page', () => {
  expect(ratioSteps.map(([from]) => from)).toEqual(Object.values(limitThresholds));
});

it('dashboards are all in the kustomize component, under stable names', async () => {
  const component = parse(await readFile(new URL('kustomization.yaml', folder), 'utf8')) as unknown;
  const name = 'ephemeral-storage-exporter';
  const ofProject = { 'app.kubernetes.io/part-of': name, 'app.kubernetes.io/instance': name };
  expect(component).toMatchObject({
    kind: 'Component',
    generatorOptions: { disableNameSuffixHash: true, labels: { grafana_dashboard: '1', ...ofProject } },
    configMapGenerator: dashboards.map(({ uid }) => {
      return { name: uid.replace('storage-', 'storage-dashboard-'), files: [`${uid}.json`] };
    }),
  });
});
