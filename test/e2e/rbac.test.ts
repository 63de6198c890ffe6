// @module-tag sockets

import { expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { Exporter, settleMs } from '../support/exporter.js';
import { readObjects } from '../support/manifests/documents.js';
import { leastGrants } from '../support/manifests/overlays.js';
import { grantsOf } from '../support/manifests/policies.js';
import { cartPod } from '../support/pod-specs.js';

/** One verb on one resource. */
interface Permission {
  readonly verb: string;
  readonly resource: string;
}

const grants = grantsOf(readObjects('base/rbac.yaml'));

/** What the shipped ClusterRole allows. */
const permissions = grants.map((grant): Permission => {
  const [verb = '', resource = ''] = grant.split(' ');
  return { verb, resource };
});

const rulesOf = (allowed: readonly Permission[]): readonly Rule[] =>
  allowed.map(({ verb, resource }) => ({ verbs: [verb], resources: [resource] }));

const rulesWithout = (verb: string, resource: string): readonly Rule[] =>
  rulesOf(permissions.filter((permission) => permission.verb !== verb || permission.resource !== resource));

const scenario: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  populate: ({ model }) => {
    model.addPod(cartPod('cart', 'node-1'));
  },
};

/** Names the user, the denied request and the rule to add. */
function names({ verb, resource }: Permission): RegExp {
  const rule = `{apiGroups: [""], resources: ["${resource}"], verbs: ["${verb}"]}`;
  return new RegExp(
    `exporter.*grant it with the RBAC rule ${rule.replaceAll(/[{}[\]]/g, String.raw`\$&`)} in its ClusterRole`,
  );
}

/** The warnings of the log. */
const warningsOf = ({ log }: Exporter): readonly string[] =>
  log
    .map((line) => JSON.parse(line) as { readonly level: string; readonly error?: string })
    .flatMap(({ level, error }) => (level === 'warn' && error !== undefined ? [error] : []));

it('the shipped ClusterRole holds what the exporter needs', () => {
  expect(grants).toEqual(leastGrants);
});

it('the shipped ClusterRole is enough for everything: nothing is forbidden', async () => {
  await using exporter = await Exporter.start({ scenario, rules: rulesOf(permissions) });
  await exporter.settled();
  const connected = async () =>
    (await exporter.scrape()).samples('exporter_store_watch_connected').map(({ value }) => value);
  await expect.poll(connected, { interval: 10 }).toEqual([1, 1]);
  const scraped = await exporter.scrape();
  expect(scraped.samples('node_data_available').map(({ value }) => value)).toEqual([1, 1]);
  expect(scraped.value('pod_used_bytes', { pod: 'cart' })).toBeGreaterThan(0);
  const forbidden = scraped.families
    .flatMap(({ samples }) => samples)
    .filter(({ labels, value }) => labels['result'] === 'forbidden' && value > 0);
  expect(forbidden).toEqual([]);
  expect(warningsOf(exporter)).toEqual([]);
  const asked = exporter.cluster.apiRequests.filter(({ user }) => user === 'exporter');
  expect(asked.length).toBeGreaterThanOrEqual(4);
  expect(asked.every(({ method, path }) => method === 'GET' && /^\/api\/v1\/(?:nodes|pods)$/.test(path))).toBe(true);
});

it.each(permissions.filter(({ verb }) => verb === 'list'))(
  'without the permission to $verb $resource, log and readiness name the rule',
  async (missing) => {
    await using exporter = await Exporter.start({ scenario, rules: rulesWithout(missing.verb, missing.resource) });
    const readiness = async () => (await exporter.get('/readyz?verbose')).text;
    await expect.poll(readiness, { interval: 10 }).toMatch(names(missing));
    expect((await exporter.get('/readyz')).status).toBe(503);
    expect((await exporter.get('/readyz')).text).toMatch(names(missing));
    expect(warningsOf(exporter)).toEqual([expect.stringMatching(names(missing))]);
    const lists = (await exporter.scrape()).value('exporter_store_lists_total', {
      resource: missing.resource,
      result: 'forbidden',
    });
    expect(lists).toBe(1);
  },
);

it.each(permissions.filter(({ verb }) => verb === 'watch'))(
  'without the permission to $verb $resource, log and metrics tell, and lists replace the watch',
  async (missing) => {
    const rules = rulesWithout(missing.verb, missing.resource);
    await using exporter = await Exporter.start({ scenario, rules, settings: 'metrics: {profile: full}' });
    await exporter.synced();
    const { resource } = missing;
    const watches = async () =>
      (await exporter.scrape()).value('exporter_store_watches_total', { resource, result: 'forbidden' });
    await expect.poll(watches, { interval: 10 }).toBe(1);
    await exporter.clock.advance(settleMs);
    const scraped = await exporter.scrape();
    expect(scraped.value('exporter_store_watch_connected', { resource })).toBe(0);
    const other = resource === 'nodes' ? 'pods' : 'nodes';
    expect(scraped.value('exporter_store_watch_connected', { resource: other })).toBe(1);
    expect(scraped.value('pod_used_bytes', { pod: 'cart' })).toBeGreaterThan(0);
    const isPolling = async (): Promise<number | undefined> => {
      await exporter.clock.advance(30_000);
      return (await exporter.scrape()).value('exporter_store_mode', { resource, mode: 'polling' });
    };
    await expect.poll(isPolling, { interval: 10 }).toBe(1);
    expect((await exporter.get('/readyz?verbose')).text).toContain(`[+]${resource} ok: polled, last progress `);
    exporter.cluster.model.addPod(cartPod('later', 'node-1'));
    const isSeen = async (): Promise<number | undefined> => {
      await exporter.clock.advance(15_000);
      return (await exporter.scrape()).value('pod_workload_info', { pod: 'later' });
    };
    await expect.poll(isSeen, { interval: 10 }).toBe(1);
    const warnings = warningsOf(exporter);
    expect(warnings).toHaveLength(2);
    expect(warnings.every((warning) => names(missing).test(warning))).toBe(true);
  },
);

it.each(permissions.filter(({ verb }) => verb === 'get'))(
  'without the permission to $verb $resource, each node and the log tell',
  async (missing) => {
    await using exporter = await Exporter.start({ scenario, rules: rulesWithout(missing.verb, missing.resource) });
    await exporter.settled();
    const scraped = await exporter.scrape();
    const absent = scraped.samples('node_absent_info').map(({ labels }) => `${labels['node']} ${labels['reason']}`);
    expect(absent).toEqual(['node-1 forbidden', 'node-2 forbidden']);
    expect(scraped.samples('node_data_available').map(({ value }) => value)).toEqual([0, 0]);
    expect(scraped.value('exporter_kubelet_requests_total', { result: 'forbidden' })).toBe(2);
    await exporter.clock.advance(1_000);
    const told = expect.stringMatching(names(missing)) as string;
    expect(warningsOf(exporter)).toEqual([told]);
    expect((await exporter.get('/readyz')).status).toBe(200);
  },
);
