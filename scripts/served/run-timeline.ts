import { SimulatedCluster } from '../../sim/cluster.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { loadConfig } from '../../src/config/load.js';
import type { Config } from '../../src/config/schema.js';
import { App } from '../../src/serve/app/app.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { ServedFolder } from './folder.js';
import { advance, completed, settled } from './settled.js';
import type { Step, Timeline } from './timelines.js';

const environment = { EPHEMERAL_STORAGE_EXPORTER_WEB_LISTEN_ADDRESSES: '127.0.0.1:0' };
const openMetrics = 'application/openmetrics-text; version=1.0.0';

function configOf(text: string): Config {
  return loadConfig({ file: { path: 'served', text }, environment, flags: {} });
}

interface Running {
  readonly cluster: SimulatedCluster;
  readonly clock: ManualClock;
  readonly app: App;
}

/** Runs the exporter against the demo cluster and writes what it serves after each step. */
export async function writeTimeline(timeline: Timeline, folder: ServedFolder): Promise<void> {
  const clock = new ManualClock();
  await using cluster = await SimulatedCluster.start({ clock });
  await using app = await startApp(cluster, clock, timeline.settings);
  const running = { cluster, clock, app };
  while (!app.hasSynced) await settled(cluster);
  await settled(cluster);
  for (const [index, step] of timeline.steps.entries()) {
    await make(step, running);
    await writeServed(`${timeline.name}/${String(index + 1).padStart(2, '0')}-${step.name}`, step, running, folder);
  }
}

async function startApp(cluster: SimulatedCluster, clock: ManualClock, settings: string): Promise<App> {
  const credentials = staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token: cluster.token });
  const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  return App.start(
    {
      config: configOf(settings),
      credentials: { ...credentials, namespace: undefined },
      host: { name: 'served', nodeName: undefined },
      clock,
      random: () => 0.5,
      logger,
      version: '0.0.0-served',
    },
    new AbortController().signal,
  );
}

async function make({ change, settings, advanceMs }: Step, { cluster, clock, app }: Running): Promise<void> {
  await change?.(cluster);
  if (settings !== undefined) await apply(settings, { cluster, clock, app });
  await settled(cluster);
  await advance(cluster, clock, advanceMs);
}

/** Lists are spread over some seconds of the clock. */
async function apply(settings: string, { cluster, clock, app }: Running): Promise<void> {
  const applied = app.apply(configOf(settings));
  for (let passedMs = 0; passedMs < 10_000; passedMs += 1_000) {
    await settled(cluster);
    await clock.advance(1_000);
  }
  await applied;
}

/** How long a scrape may take: its default timeout. */
const scrapeMs = 10_000;

async function writeServed(
  name: string,
  { hangs = false }: Step,
  running: Running,
  folder: ServedFolder,
): Promise<void> {
  const wait = { ...running, advanceMs: hangs ? scrapeMs : undefined };
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    completed(wait, fetch(`http://127.0.0.1:${running.app.ports[0] ?? 0}${path}`, { headers }));
  const text = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> =>
    (await get(path, { 'accept-encoding': 'identity', ...headers })).text();
  await folder.writeExposition(`${name}.txt`, await text('/metrics'));
  await folder.writeExposition(`${name}.openmetrics.txt`, await text('/metrics', { accept: openMetrics }));
  // fetch inflates what it asked to be compressed.
  await folder.writeExposition(`${name}.inflated.txt`, await text('/metrics', { 'accept-encoding': 'gzip' }));
  await folder.writeExposition(`${name}.some.txt`, await text('/metrics?name[]=ephemeral_storage_pod_used_bytes'));
  await folder.write(`${name}.status.json`, await text('/api/v1/status'));
  await folder.write(`${name}.evictions.json`, await text('/api/v1/evictions?limit=1000'));
  await folder.write(`${name}.html`, await text('/'));
  await folder.write(`${name}.readyz.txt`, await text('/readyz?verbose'));
}
