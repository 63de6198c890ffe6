/**
 * The exporter in a cgroup with a limit of memory, as a container has it, while three kubelets among many send hostile
 * bodies, another one each time they are asked. It must live, and no other node may be absent from any scrape. Needs `npm run build`,
 * Linux and root.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { SimulatedCluster } from '../sim/cluster.js';
import { emptyScenario } from '../sim/model/scenario.js';
import { leastRules } from '../test/support/exporter.js';
import { parseExposition } from '../test/support/exposition-parser.js';
import { hostileBodies } from '../test/support/hostile-bodies.js';
import { send } from '../test/support/http-get.js';
import { ExporterProcess } from './soak/exporter-process.js';
import { MemoryCgroup } from './soak/memory-cgroup.js';

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    mebibytes: { type: 'string', default: '256' },
    nodes: { type: 'string', default: '100' },
    pods: { type: 'string', default: '30' },
    profile: { type: 'string', default: 'standard' },
  },
});
const mebibyte = 2 ** 20;
/** Asks each kubelet in each scrape. */
const settings = `cache: {ttl: 4s, maxBackoff: 1s}\nmetrics: {profile: ${flags.profile}}\nworkloads: {controllers: true}\n`;
const scrapeEveryMs = 5_000;
const bodySizes = [8, 16, 60].map((size) => size * mebibyte - 10_000);

const badNodes = ['bad', 'bad-2', 'bad-3'];
const goodNodes = Array.from({ length: Number(flags.nodes) - badNodes.length }, (_, index) => `node-${index + 1}`);
await using cluster = await SimulatedCluster.start({
  scenario: { ...emptyScenario(...goodNodes, ...badNodes), kubeletsEvict: false },
});
for (const nodeName of [...goodNodes, ...badNodes]) {
  for (let index = 0; index < Number(flags.pods); index += 1) {
    const app = `app-${index % 10}`;
    cluster.model.addPod({
      namespace: 'shop',
      name: nodeName === 'bad' && index === 0 ? 'known' : `${app}-${nodeName}-${index}`,
      nodeName,
      labels: { app, 'pod-template-hash': '5d4f8' },
      owner: { kind: 'ReplicaSet', name: `${app}-5d4f8` },
      containers: [{ name: 'app', rootfs: { initialBytes: mebibyte }, logs: { initialBytes: 1_000 } }],
    });
  }
}

const nodeName = '"nodeName":"bad"';
/** Made before, as making them would keep the simulated kubelets from responding. */
const bodies = bodySizes.flatMap((size) =>
  hostileBodies(cluster.model.podsOn('bad')[0]?.uid ?? '').map(({ of }) => {
    const [before = '', ...after] = of(size).split(nodeName);
    return { before, after: Buffer.from(after.join(nodeName)), isNamed: after.length > 0 };
  }),
);
let turn = 0;
for (const name of badNodes) {
  cluster.setSummaryAnswer(name, (response) => {
    const { before, after, isNamed } = bodies[turn % bodies.length] ?? { before: '', after: '', isNamed: false };
    turn += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(isNamed ? `${before}"nodeName":"${name}"` : before);
    response.end(after);
  });
}

const folder = await mkdtemp(path.join(tmpdir(), 'ephemeral-storage-exporter-memory-'));
const token = cluster.issueToken({ user: 'exporter', rules: leastRules });
await writeFile(path.join(folder, 'kubeconfig'), cluster.kubeconfig(token));
await writeFile(path.join(folder, 'config.yaml'), settings);
await using cgroup = await MemoryCgroup.create(Number(flags.mebibytes) * mebibyte);
await using exporter = await ExporterProcess.start(
  [`--kubeconfig=${path.join(folder, 'kubeconfig')}`, `--config.file=${path.join(folder, 'config.yaml')}`],
  cgroup.entering,
);

while ((await send({ port: exporter.port, path: '/readyz' })).status !== 200) await delay(100);

const problems: string[] = [];
let [scrapeCount, longestMs, longestBlockMs, scrapedBytes] = [0, 0, 0, 0];
const endMs = performance.now() + Number(flags.minutes) * 60_000;
while (performance.now() < endMs && problems.length < 20) {
  const startMs = performance.now();
  const found = await scrape().catch((error: unknown) => [`scrape failed: ${String(error)}`]);
  const tookMs = performance.now() - startMs;
  problems.push(...found.map((problem) => `scrape ${scrapeCount + 1}: ${problem}`));
  if (exporter.hasEnded) break;
  [scrapeCount, longestMs] = [scrapeCount + 1, Math.max(longestMs, tookMs)];
  longestBlockMs = Math.max(longestBlockMs, (await exporter.resources()).longestBlockMs);
  await delay(Math.max(0, scrapeEveryMs - tookMs));
}

/** What is wrong in one. */
async function scrape(): Promise<readonly string[]> {
  const { status, body } = await send({
    port: exporter.port,
    path: '/metrics',
    headers: { 'x-prometheus-scrape-timeout-seconds': '10' },
  });
  scrapedBytes = body.length;
  if (status !== 200) return [`status ${status}`];
  const families = parseExposition(body, 'text');
  const available = new Map(
    families
      .find(({ name }) => name === 'ephemeral_storage_node_data_available')
      ?.samples.map(({ labels, value }) => [labels['node'], value]),
  );
  const absent = goodNodes.filter((name) => available.get(name) !== 1);
  return absent.length === 0 ? [] : [`${absent.length} nodes absent, such as ${String(absent[0])}`];
}

if (exporter.hasEnded) problems.push(`the exporter has ended after ${scrapeCount} scrapes`);
console.log(
  `${flags.nodes} nodes with ${flags.pods} pods, ${turn} hostile bodies, ${scrapeCount} scrapes, the longest ${longestMs.toFixed(0)} ms, ` +
    `${(scrapedBytes / mebibyte).toFixed(1)} MiB; longest block ${longestBlockMs.toFixed(0)} ms; ` +
    `at most ${((await cgroup.peakBytes()) / mebibyte).toFixed(0)} of ${flags.mebibytes} MiB`,
);
for (const problem of problems) console.log(problem);
console.log(problems.length === 0 ? 'alive, and no healthy node absent' : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
await rm(folder, { recursive: true });
