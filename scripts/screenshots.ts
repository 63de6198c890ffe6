/** Takes the pictures of the status page in docs/images: the demo's cluster after a quarter of an hour, on a clock of its own. */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

import { staticCredentials } from '../src/api/credentials.js';
import { App } from '../src/app.js';
import { loadConfig } from '../src/config/load.js';
import { SimulatedCluster } from '../src/sim/cluster.js';
import { createLogger } from '../src/telemetry/logger.js';
import { ManualClock } from '../test/support/manual-clock.js';
import { launchOptions } from '../test/support/browser.js';

const ageMs = 890_000;
const size = { width: 1280, height: 1180 };
const images = fileURLToPath(new URL('../docs/images/', import.meta.url));

const clock = new ManualClock();
await using cluster = await SimulatedCluster.start({ clock });
await clock.advance(ageMs);
const token = cluster.issueToken({
  user: 'exporter',
  rules: [
    { verbs: ['list', 'watch'], resources: ['nodes', 'pods'] },
    { verbs: ['get'], resources: ['nodes/stats'] },
  ],
});
await using app = await App.start({
  config: loadConfig({
    file: {
      path: 'screenshots',
      text: 'web: {listenAddresses: ["127.0.0.1:0"]}\ncache: {ttl: 10s}\nkubelet: {requestTimeout: 3s}',
    },
    environment: {},
    flags: {},
  }),
  credentials: staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token }),
  clock,
  random: () => 0.5,
  logger: createLogger({ level: 'error', format: 'logfmt', write: (line) => process.stderr.write(line), clock }),
  version: '0.1.0',
});
while (!app.hasSynced) await delay(20);
const url = `http://127.0.0.1:${String(app.ports[0])}/`;
await fetch(`${url}metrics`);
await clock.advance(4_000);
await using browser = await chromium.launch(launchOptions());
for (const colorScheme of ['light', 'dark'] as const) {
  await using page = await browser.newPage({ viewport: size, colorScheme });
  await page.goto(url);
  await page.screenshot({ path: `${images}status-${colorScheme}.png` });
}
