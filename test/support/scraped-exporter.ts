import type { Growth } from '../../sim/model/growth.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec, VolumeSpec } from '../../sim/model/specs.js';
import { Exporter, leastRules } from './exporter.js';
import { untilEnd } from './fixtures.js';
import { eventually, PrometheusServer } from './programs.js';
import { gib, mib } from './units.js';

/** Has what ends a string, and what means something in a regular expression. */
export const hostileValue = String.raw`a"b\c'.+(x){[$^|`;

const pod = (namespace: string, name: string, nodeName: string, more: Partial<PodSpec> = {}): PodSpec => ({
  namespace,
  name,
  nodeName,
  owner: { kind: 'StatefulSet', name: name.replace(/-\d+$/, '') },
  labels: { app: name },
  containers: [
    { name: 'main', rootfs: { initialBytes: 90 * mib }, logs: { initialBytes: mib }, limitBytes: 100 * mib },
    { name: 'proxy', rootfs: { initialBytes: mib }, logs: { initialBytes: 3 * mib } },
  ],
  volumes: [{ name: 'cache', source: 'emptyDir', sizeLimitBytes: 64 * mib, content: { initialBytes: 3 * mib } }],
  ...more,
});

const of = (bytes: number, limitBytes?: number): PodSpec['containers'] => [
  {
    name: 'main',
    rootfs: { initialBytes: bytes },
    logs: { initialBytes: 0 },
    ...(limitBytes === undefined ? {} : { limitBytes }),
  },
];

const emptyDir = (sizeLimitBytes: number, content: Growth): VolumeSpec => {
  return { name: 'cache', source: 'emptyDir', sizeLimitBytes, content };
};

/** It has no data in the end. */
export const silentNode = 'node-4';

const exceeding = { containers: of(3 * mib, 2 * mib), volumes: [] };

/** A node of each kind: well, below a threshold, close to one, without data, and below one without a pod to evict. */
const scenario: Scenario = {
  ...emptyScenario('node-1'),
  nodes: [
    { name: 'node-1' },
    { name: 'node-2', capacityBytes: 40 * gib },
    { name: 'node-3', capacityBytes: 30 * gib },
    { name: silentNode },
    { name: 'node-5', capacityBytes: 30 * gib },
  ],
  populate: ({ model }) => {
    for (let index = 0; index < 4; index += 1) model.addPod(pod('shop', `cart-${index}`, 'node-1'));
    model.addPod(
      pod('shop', 'brim-0', 'node-1', { containers: of(mib), volumes: [emptyDir(4 * mib, { initialBytes: 4 * mib })] }),
    );
    model.addPod(
      pod('shop', 'growing-0', 'node-1', {
        containers: of(mib),
        volumes: [emptyDir(100 * mib, { initialBytes: 60 * mib, bytesPerSecond: mib / 20 })],
      }),
    );
    model.addPod(pod('cart', 'front-0', 'node-1', { containers: of(5 * mib, 100 * mib) }));
    model.addPod(pod('shop', 'static', 'node-1', { ...exceeding, isStatic: true }));
    model.addPod(
      pod(hostileValue, `${hostileValue}-0`, 'node-1', {
        containers: [
          {
            name: hostileValue,
            rootfs: { initialBytes: 30 * mib },
            logs: { initialBytes: mib },
            limitBytes: 200 * mib,
          },
        ],
        volumes: [
          { name: hostileValue, source: 'emptyDir', sizeLimitBytes: 8 * mib, content: { initialBytes: 3 * mib } },
        ],
      }),
    );
    model.addPod(pod('ops', 'large-0', 'node-2', { containers: of(15 * gib) }));
    model.addPod(pod('ops', 'near-0', 'node-3', { containers: of(11 * gib) }));
    model.addPod(pod('ops', 'kept', 'node-5', { containers: of(14 * gib), isStatic: true }));
    model.addPod(pod('ops', 'silent-0', silentNode));
  },
};

async function startExporter(): Promise<Exporter> {
  const settings = 'metrics: {profile: full}\nkubelet: {readConfig: true}\ncache: {ttl: 5s}';
  const rules = [...leastRules, { verbs: ['get'], resources: ['nodes/configz'] }];
  const exporter = await Exporter.start({ scenario, settings, rules, nowMs: Date.now() });
  await exporter.settled();
  await exporter.scrape();
  exporter.cluster.model.addPod(pod('shop', 'exceeding-0', 'node-1', exceeding));
  await exporter.cluster.setFault(silentNode, 'status:500');
  for (let step = 0; step < 6; step += 1) {
    await exporter.clock.advance(30_000);
    await exporter.scrape();
  }
  exporter.cluster.model.addPod(pod('ops', 'filler-0', 'node-2', { containers: of(6 * gib), volumes: [] }));
  await exporter.clock.advance(6_000);
  await exporter.scrape();
  return exporter;
}

/** Both end with the test. The clock of the exporter stands still: each scrape has the same values. */
export async function scrapedExporter(
  onTestFinished: Parameters<typeof untilEnd>[0],
  program: string,
): Promise<{ readonly exporter: Exporter; readonly prometheus: PrometheusServer }> {
  const exporter = await untilEnd(onTestFinished, startExporter());
  const target = `127.0.0.1:${String(exporter.app.ports[0])}`;
  const prometheus = await untilEnd(onTestFinished, PrometheusServer.start({ program, targets: [{ target }] }));
  await eventually('scrapes', async () => {
    const [found] = await prometheus.query('count_over_time(ephemeral_storage_node_data_available{node="node-1"}[1m])');
    return found !== undefined && found.value >= 2 ? true : undefined;
  });
  return { exporter, prometheus };
}
