import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { systemClock } from '../../src/base/clock.js';
import { ChildCommand } from '../support/child.js';
import { parseExposition } from '../support/exposition-parser.js';
import { eventually } from '../support/programs.js';

const nodeCount = 300;
const timeoutMs = 120_000;

describe('a limit of open files below the number of nodes', () => {
  let folder = '';
  let cluster: SimulatedCluster;
  beforeAll(async () => {
    const names = Array.from({ length: nodeCount }, (_, index) => `node-${index}`);
    cluster = await SimulatedCluster.start({ clock: systemClock, scenario: emptyScenario(...names) });
    folder = await mkdtemp(path.join(tmpdir(), 'open-files-'));
    await writeFile(path.join(folder, 'kubeconfig'), cluster.kubeconfig());
  }, timeoutMs);
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it.each([64, 256])(
    'H11: of %d starts and serves all nodes, again and again',
    async (maxOpenFiles) => {
      const flags = ['--web.listen-address', '127.0.0.1:0', '--set', 'cache.ttl=1s', '--log.format', 'json'];
      const args = ['serve', '--kubeconfig', path.join(folder, 'kubeconfig'), ...flags];
      await using exporter = new ChildCommand(args, { maxOpenFiles });
      const port = await exporter.printed(/"ports":"(\d+)"/);
      const scrape = async (): Promise<number | undefined> => {
        const response = await fetch(`http://127.0.0.1:${port}/metrics`);
        const families = parseExposition(await response.text(), 'text');
        const available = families.find(({ name }) => name === 'ephemeral_storage_node_data_available');
        return available?.samples.filter(({ value }) => value === 1).length;
      };
      for (let turn = 0; turn < 3; turn += 1) {
        await eventually('data of all nodes', async () => ((await scrape()) === nodeCount ? true : undefined));
      }
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      const warnings = exporter.out.split('\n').filter((line) => line.includes('"level":"warn"'));
      expect(warnings).toEqual([expect.stringMatching(/ulimit -n.*"openFileLimit":\d+,"needed":464,"nodeCount":300/)]);
    },
    timeoutMs,
  );
});
