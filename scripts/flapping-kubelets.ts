/**
 * Kubelets that hang again and again, and an exporter that stops, seen by a real Prometheus and Alertmanager with the
 * shipped rules and inhibitions: prints each notification. Fails when an alert is resolved that is still true, when one
 * is missing, or when one is notified twice. Takes 75 minutes of wall time, as the rules' own times are under test.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { SimulatedCluster } from '../sim/cluster.js';
import { emptyScenario, type Scenario } from '../sim/model/scenario.js';
import type { PodSpec } from '../sim/model/specs.js';
import { staticCredentials } from '../src/cluster/credentials/credentials.js';
import { loadConfig } from '../src/config/load.js';
import { systemClock } from '../src/lib/base/clock.js';
import { createLogger } from '../src/metrics/telemetry/line-logger.js';
import { App } from '../src/serve/app/app.js';
import { readVersion } from '../src/version.js';
import { leastRules } from '../test/support/exporter.js';
import { freePort, PrometheusServer } from '../test/support/programs.js';
import { readRules } from '../test/support/rules.js';
import { AlertmanagerServer, type Notification } from './alertmanager-server.js';

const { values: flags } = parseArgs({ options: { prometheus: { type: 'string', default: 'prometheus' } } });

const mib = 2 ** 20;
const minuteMs = 60_000;
/** A pod is deleted while its kubelet hangs. */
const deletedAtMs = 28.5 * minuteMs;
const exporterStopsAtMs = 62 * minuteMs;
const exporterStartsAtMs = 68 * minuteMs;
const endMs = 75 * minuteMs;

const pod = (name: string, nodeName: string): PodSpec => ({
  namespace: 'shop',
  name,
  nodeName,
  labels: { app: name },
  owner: { kind: 'ReplicaSet', name: `${name}-5d4f8` },
  containers: [{ name: 'app', rootfs: { initialBytes: 95 * mib }, logs: { initialBytes: mib }, limitBytes: 100 * mib }],
});

const scenario: Scenario = {
  ...emptyScenario('steady', 'three-of-ten', 'one-of-five'),
  kubeletsEvict: false,
  faultSchedules: [
    { nodeName: 'three-of-ten', fault: 'hang', everyMs: 10 * minuteMs, lastsMs: 3 * minuteMs },
    { nodeName: 'one-of-five', fault: 'hang', everyMs: 5 * minuteMs, lastsMs: minuteMs },
  ],
  populate: ({ model, schedule }) => {
    for (const node of ['steady', 'three-of-ten', 'one-of-five']) model.addPod(pod(`near-${node}`, node));
    model.addPod(pod('deleted', 'three-of-ten'));
    schedule.after(deletedAtMs, () => {
      model.deletePod('shop', 'deleted');
    });
  },
};

async function startExporter(cluster: SimulatedCluster, port: number): Promise<App> {
  const token = cluster.issueToken({ user: 'exporter', rules: leastRules });
  return App.start(
    {
      config: loadConfig({ environment: {}, flags: { 'web.listen-address': [`127.0.0.1:${port}`] } }),
      credentials: staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token }),
      clock: systemClock,
      random: Math.random,
      logger: createLogger({
        level: 'error',
        format: 'logfmt',
        write: (line) => process.stderr.write(line),
        clock: systemClock,
      }),
      version: readVersion(),
      host: { name: 'flapping-kubelets', nodeName: undefined },
    },
    new AbortController().signal,
  );
}

const startMs = systemClock.monotonicMs();
const elapsedMs = (): number => systemClock.monotonicMs() - startMs;
const minutesOf = (durationMs: number): string => (durationMs / minuteMs).toFixed(1).padStart(5);
const until = async (atMs: number): Promise<void> => delay(Math.max(0, atMs - elapsedMs()));

const notifications: string[] = [];
function record({ status, labels, annotations }: Notification): void {
  const about = labels['pod'] ?? labels['node'] ?? '';
  const line = [status, labels['alertname'], about].join(' ').trim();
  notifications.push(line);
  process.stdout.write(`${minutesOf(elapsedMs())} min  ${line}: ${annotations['description'] ?? ''}\n`);
}

const near = (podName: string): string => `firing EphemeralStorageNearLimit ${podName}`;
const expected = [
  ...['near-steady', 'near-three-of-ten', 'near-one-of-five', 'deleted'].map(near),
  'resolved EphemeralStorageNearLimit deleted',
  // The other one never lacks data: a summary is served for longer than a minute.
  'firing EphemeralStorageNodeDataGaps three-of-ten',
  'firing EphemeralStorageExporterDown',
  'resolved EphemeralStorageExporterDown',
];

await using cluster = await SimulatedCluster.start({ scenario });
await using alertmanager = await AlertmanagerServer.start(record);
const port = await freePort();
const first = await startExporter(cluster, port);
await using prometheus = await PrometheusServer.start({
  program: flags.prometheus,
  targets: [{ target: `127.0.0.1:${port}` }],
  rules: await readRules(),
  intervalSeconds: 15,
  alertmanager: alertmanager.target,
});
await until(exporterStopsAtMs);
process.stdout.write(`${minutesOf(elapsedMs())} min  the exporter stops\n`);
await first[Symbol.asyncDispose]();
await until(exporterStartsAtMs);
process.stdout.write(`${minutesOf(elapsedMs())} min  the exporter starts\n`);
const second = await startExporter(cluster, port);
await until(endMs);

const stillFiring = (await prometheus.alerts()).filter(({ state }) => state === 'firing').length;
const differences = [
  ...expected.filter((line) => !notifications.includes(line)).map((line) => `missing: ${line}`),
  ...notifications.filter((line) => !expected.includes(line)).map((line) => `not expected: ${line}`),
  ...notifications.filter((line, index) => notifications.indexOf(line) !== index).map((line) => `again: ${line}`),
];
process.stdout.write(`${notifications.length} notifications, ${stillFiring} alerts still fire\n`);
for (const difference of differences) process.stdout.write(`${difference}\n`);
await second[Symbol.asyncDispose]();
process.exitCode = differences.length === 0 ? 0 : 1;
