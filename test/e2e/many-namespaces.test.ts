// @module-tag sockets

import { expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { Exporter } from '../support/exporter.js';

const names = Array.from({ length: 11 }, (_, index) => `team-${index}`);

const scenario: Scenario = {
  ...emptyScenario('node-1'),
  populate: ({ model }) => {
    for (const namespace of [...names, 'other']) {
      const containers = [{ name: 'main', rootfs: { initialBytes: 4096 }, logs: { initialBytes: 4096 } }];
      model.addPod({ namespace, name: 'web', nodeName: 'node-1', containers });
    }
  },
};

it('pods of many namespaces are watched one by one, without a request for all', async () => {
  await using exporter = await Exporter.start({ scenario, settings: `cluster: {namespaces: [${names.join(', ')}]}` });
  await exporter.synced();
  const { apiRequests } = exporter.cluster;
  const watched = (): readonly string[] =>
    apiRequests.flatMap(({ path, query }) => (path.endsWith('/pods') && query.get('watch') === 'true' ? [path] : []));
  await expect.poll(() => watched().toSorted()).toEqual(names.map((name) => `/api/v1/namespaces/${name}/pods`).sort());
  expect(apiRequests.filter(({ path }) => path === '/api/v1/pods')).toEqual([]);
  const shown = (await exporter.scrape()).samples('pod_used_bytes').map(({ labels }) => labels['namespace']);
  expect(shown.sort()).toEqual([...names].sort());
});
