import { expect, it } from 'vitest';

import { startDemo } from '../support/demo.js';
import { eventually } from '../support/programs.js';

it('the demo ends with exit code 0 at the first signal', async () => {
  await using demo = await startDemo();
  demo.command.signal('SIGINT');
  expect(await demo.command.ended()).toBe(0);
});

it('the demo lets a running scrape finish at the first signal and ends at once at the second', async () => {
  await using demo = await startDemo();
  const nodes = await demo.command.printed(/(http:\/\/\S+\/sim\/nodes)\/node-3\/fault/);
  await fetch(`${nodes}/node-3/fault`, { method: 'PUT', body: 'hang' });
  const scraping = fetch(`http://${demo.target}/metrics`).then(
    () => 'answered',
    () => 'broken off',
  );
  await eventually('a request to the kubelet', async () => {
    const reports = (await (await fetch(nodes)).json()) as readonly { name: string; requestCount: number }[];
    return reports.some(({ name, requestCount }) => name === 'node-3' && requestCount > 0) || undefined;
  });
  demo.command.signal('SIGTERM');
  await demo.command.printed(/(msg=stopping)/);
  demo.command.signal('SIGTERM');
  expect(await demo.command.ended()).toBe(1);
  expect(await scraping).toBe('broken off');
});
