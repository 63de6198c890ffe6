/** Takes the pictures of the status page in docs/images: the demo's cluster after a quarter of an hour, on a clock of its own. */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

import { SimulatedCluster } from '../sim/cluster.js';
import { staticCredentials } from '../src/cluster/credentials/credentials.js';
import { loadConfig } from '../src/config/load.js';
import { createLogger } from '../src/metrics/telemetry/line-logger.js';
import { App } from '../src/serve/app/app.js';
import { readVersion } from '../src/version.js';
import { launchOptions } from '../test/support/browser.js';
import { ManualClock } from '../test/support/manual-clock.js';

/** In the minute in which the kubelet of node-5 fails. */
const ageMs = 890_000;
const scrapeEveryMs = 30_000;
const viewport = { width: 1280, height: 1190 };
const images = fileURLToPath(new URL('../docs/images/', import.meta.url));
const settings = `
kubelet: {requestTimeout: 3s}
cache: {ttl: 10s}
`;

const clock = new ManualClock();
await using cluster = await SimulatedCluster.start({ clock });
const token = cluster.issueToken({
  user: 'exporter',
  rules: [
    { verbs: ['list', 'watch'], resources: ['nodes', 'pods'] },
    { verbs: ['get'], resources: ['nodes/stats'] },
  ],
});
await using app = await App.start(
  {
    config: loadConfig({
      file: { path: 'settings', text: settings },
      environment: {},
      flags: { 'web.listen-address': ['127.0.0.1:0'] },
    }),
    credentials: staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token }),
    clock,
    random: () => 0.5,
    logger: createLogger({ level: 'error', format: 'logfmt', write: (line) => process.stderr.write(line), clock }),
    version: readVersion(),
    host: { name: 'screenshots', nodeName: undefined },
  },
  new AbortController().signal,
);
const url = `http://127.0.0.1:${String(app.ports[0])}/`;
while (!app.hasSynced) await delay(20);
for (let elapsedMs = 0; elapsedMs < ageMs; elapsedMs += scrapeEveryMs) {
  await (await fetch(`${url}metrics`)).text();
  await clock.advance(Math.min(scrapeEveryMs, ageMs - elapsedMs));
  await delay(50); // watch events come over sockets
}
await (await fetch(url)).text();
await clock.advance(4_000);

await using browser = await chromium.launch(launchOptions());
for (const colorScheme of ['light', 'dark'] as const) {
  await using page = await browser.newPage({ viewport, colorScheme });
  await page.goto(url);
  await page.screenshot({ path: `${images}status-${colorScheme}.png` });
}
