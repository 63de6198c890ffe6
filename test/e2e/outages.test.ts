import { describe, expect, it } from 'vitest';

import { emptyScenario } from '../../sim/model/scenario.js';
import { Exporter } from '../support/exporter.js';

describe('a hundred silent nodes', () => {
  it('H12: are one line in the log, with their number and examples', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `node-${String(index).padStart(2, '0')}`);
    await using exporter = await Exporter.start({ scenario: emptyScenario(...names) });
    await exporter.synced();
    for (const name of names) await exporter.cluster.setFault(name, 'down');
    const scraped = await exporter.scrape();
    expect(scraped.samples('node_absent_info')).toHaveLength(100);
    await exporter.clock.advance(1_000);
    const lines = exporter.log.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({
        msg: 'failed to scrape kubelets',
        nodeCount: 100,
        nodes: 'node-00, node-01, node-02 and 97 more',
        reason: 'connection',
      }),
    ]);
  });
});
