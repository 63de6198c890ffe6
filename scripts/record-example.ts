/** Records the example of docs/operate.md: a small simulated cluster, some minutes after its start. Writes docs/example-recording. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { format } from 'prettier';

import { SimulatedCluster } from '../sim/cluster.js';
import { scenarioOf } from '../sim/scenarios/catalogue.js';
import { callApi, callKubelet } from '../test/sim/wire.js';
import { ManualClock } from '../test/support/manual-clock.js';

const folder = fileURLToPath(new URL('../docs/example-recording/', import.meta.url));
const ageMs = 300_000;

const clock = new ManualClock();
const scenario = scenarioOf({ name: 'mixed', nodeCount: 2, podCount: undefined });
await using cluster = await SimulatedCluster.start({ clock, scenario });
await clock.advance(ageMs);
await rm(folder, { recursive: true, force: true });
await mkdir(`${folder}summaries`, { recursive: true });
for (const { spec } of cluster.model.nodes) {
  await write(`summaries/${spec.name}.json`, (await callKubelet(cluster, spec.name)).text);
}
for (const resource of ['nodes', 'pods']) {
  await mkdir(`${folder}objects`, { recursive: true });
  await write(`objects/${resource}.json`, (await callApi(cluster, `/api/v1/${resource}`)).text);
}

async function write(name: string, json: string): Promise<void> {
  await writeFile(folder + name, await format(json, { parser: 'json', printWidth: 120 }));
}
