// @module-tag sockets

import { expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { Exporter, leastRules } from '../support/exporter.js';

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `team-${index}`);

/** A pod in each of 13 namespaces. */
const scenario: Scenario = {
  ...emptyScenario('node-1'),
  populate: ({ model }) => {
    for (const namespace of names(13)) {
      const containers = [{ name: 'main', rootfs: { initialBytes: 4096 }, logs: { initialBytes: 4096 } }];
      model.addPod({ namespace, name: 'web', nodeName: 'node-1', containers });
    }
  },
};

async function start(count: number, rules?: readonly Rule[]): Promise<Exporter> {
  const settings = `cluster: {namespaces: [${names(count).join(', ')}]}`;
  const exporter = await Exporter.start({ scenario, settings, ...(rules === undefined ? {} : { rules }) });
  await exporter.synced();
  return exporter;
}

const watchedPaths = (exporter: Exporter): readonly string[] =>
  exporter.cluster.apiRequests.flatMap(({ user, path, query }) =>
    user === 'exporter' && path.endsWith('/pods') && query.get('watch') === 'true' ? [path] : [],
  );

async function shownNamespaces(exporter: Exporter): Promise<readonly (string | undefined)[]> {
  return (await exporter.scrape()).samples('pod_used_bytes').map(({ labels }) => labels['namespace']);
}

async function syncedNamespaces(exporter: Exporter): Promise<readonly (string | undefined)[]> {
  const scopes = (await exporter.scrape()).samples('exporter_store_synced');
  return scopes.filter(({ labels }) => labels['resource'] === 'pods').map(({ labels }) => labels['namespace']);
}

it('pods of more than 10 namespaces are watched at once where allowed, and those of others are left out', async () => {
  await using exporter = await start(11);
  await expect.poll(() => watchedPaths(exporter)).toEqual(['/api/v1/pods']);
  expect([...(await shownNamespaces(exporter))].sort()).toEqual([...names(11)].sort());
  expect(await syncedNamespaces(exporter)).toEqual(['']);
  expect((await exporter.get('/readyz?verbose')).text).not.toContain('pods in');
  exporter.cluster.model.addPod({ namespace: 'team-12', name: 'new', nodeName: 'node-1', containers: [] });
  exporter.cluster.model.addPod({ namespace: 'team-3', name: 'new', nodeName: 'node-1', containers: [] });
  const objects = async () => (await exporter.scrape()).value('exporter_store_objects', { resource: 'pods' });
  await expect.poll(objects).toBe(12);
});

it('pods of more than 10 namespaces are watched one by one where a list of all is forbidden', async () => {
  const rules = [
    ...leastRules.filter(({ resources }) => resources?.includes('pods') !== true),
    { verbs: ['list', 'watch'], resources: ['nodes'] },
    { verbs: ['list', 'watch'], resources: ['pods'], namespaces: names(11) },
  ];
  await using exporter = await start(11, rules);
  const paths = names(11).map((name) => `/api/v1/namespaces/${name}/pods`);
  await expect.poll(() => [...watchedPaths(exporter)].sort()).toEqual([...paths].sort());
  expect([...(await shownNamespaces(exporter))].sort()).toEqual([...names(11)].sort());
  expect([...(await syncedNamespaces(exporter))].sort()).toEqual([...names(11)].sort());
  expect((await exporter.get('/readyz?verbose')).text).toContain('pods in team-10');
});

it('pods of 10 namespaces are watched one by one, without a request for all', async () => {
  await using exporter = await start(10);
  await expect.poll(() => watchedPaths(exporter).length).toBe(10);
  expect(exporter.cluster.apiRequests.filter(({ path }) => path === '/api/v1/pods')).toEqual([]);
});
