import { describe, expect, it } from 'vitest';

import { allDashboards } from '../../grafana/src/dashboards.js';
import { uids } from '../../grafana/src/uids.js';
import { demoScenario } from '../../sim/model/demo-scenario.js';
import { Exporter } from '../support/exporter.js';
import { greenPanels } from '../support/grafana-queries.js';
import { openMetrics, scrapedLines } from '../support/history.js';
import { isInstalled, PrometheusServer } from '../support/programs.js';

const minutes = 90;
/** The last minute in which the exporter is scraped that is lost, and the first one of its replacement. */
const lastMinute = 10;
const replacedMinute = 80;

interface Target {
  readonly exporter: Exporter;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether it is scraped. */
  readonly isUpAt: (minute: number) => boolean;
}

/** What Prometheus stores of each group of targets within the time, and the time of each minute. */
async function historiesOf(
  clockOf: Exporter,
  groups: readonly (readonly Target[])[],
): Promise<{ histories: string[]; times: number[] }> {
  const groupLines = groups.map((): string[] => []);
  const times: number[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    await clockOf.clock.advance(60_000);
    const atSeconds = clockOf.clock.nowMs() / 1_000;
    times.push(atSeconds);
    for (const [index, targets] of groups.entries()) {
      for (const target of targets) groupLines[index]?.push(...(await linesOf(target, minute, atSeconds)));
    }
  }
  return { histories: groupLines.map(openMetrics), times };
}

async function linesOf({ exporter, labels, isUpAt }: Target, minute: number, atSeconds: number): Promise<string[]> {
  const isUp = isUpAt(minute);
  const names = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  const samples = isUp ? await scrapedLines(exporter, labels) : [];
  return [`up{${names.join(',')}} ${Number(isUp)} ${atSeconds}`, ...samples];
}

const always = (): boolean => true;
const isBeforeLoss = (minute: number): boolean => minute <= lastMinute;

/** Certain, whatever is lost: it is about what is scraped. */
const certain = 'Labels of the exporter';

const losses = ['a shard', 'a cluster'] as const;
type Loss = (typeof losses)[number];

interface Past {
  /** With the loss, and without. */
  readonly history: string;
  readonly historyNeverLost: string;
  readonly times: readonly number[];
}

async function pastOf(what: Loss): Promise<Past> {
  const nowMs = Date.now() - (minutes + 1) * 60_000;
  await using whole = await Exporter.start({ scenario: demoScenario, nowMs });
  await whole.synced();
  const shard = async (index: number): Promise<Exporter> =>
    (await whole.another({ settings: `cluster: {shard: ${index}, totalShards: 2}` })).synced();
  await using first = await shard(0);
  await using second = await shard(1);
  const job = 'exporter';
  const shards = [
    { exporter: first, labels: { job, instance: 'first' }, isUpAt: always },
    { exporter: second, labels: { job, instance: 'second' }, isUpAt: isBeforeLoss },
    { exporter: second, labels: { job, instance: 'third' }, isUpAt: (minute: number) => minute >= replacedMinute },
  ];
  const clusters = [
    { exporter: whole, labels: { cluster: 'kept', job, instance: 'one' }, isUpAt: always },
    { exporter: whole, labels: { cluster: 'lost', job, instance: 'one' }, isUpAt: isBeforeLoss },
  ];
  const targets = what === 'a shard' ? shards : clusters;
  const neverLost = targets.slice(0, 2).map((target) => ({ ...target, isUpAt: always }));
  const { histories, times } = await historiesOf(whole, [targets, neverLost]);
  const [history = '', historyNeverLost = ''] = histories;
  return { history, historyNeverLost, times };
}

const programs = { program: 'prometheus3', promtool: 'promtool3' };
const areInstalled = Object.values(programs).every(isInstalled);

// Prometheus 2 answers every query of a dashboard as Prometheus 3 does: prometheus-versions.test.ts.
describe.skipIf(!areInstalled)('dashboards whose exporters are lost (needs prometheus3, promtool3)', () => {
  it.each(losses)('dashboards show no green until another exporter takes over: %s', async (what) => {
    const { history, historyNeverLost, times } = await pastOf(what);
    await using prometheus = await PrometheusServer.start({ ...programs, targets: [], history });
    await using reference = await PrometheusServer.start({ ...programs, targets: [], history: historyNeverLost });

    const viewed = allDashboards().filter(({ uid }) => what === 'a shard' || uid === uids.overview);
    for (const dashboard of viewed) {
      const { uid = '' } = dashboard;
      const greenAt = async (minute: number, server = prometheus): Promise<readonly string[]> => {
        const moment = { prometheus: server, atSeconds: times[minute] ?? Number.NaN };
        const green = await greenPanels(moment, dashboard, await choicesFor(server, uid, times[0] ?? 0));
        return green.filter((title) => title !== certain);
      };
      expect(await greenAt(lastMinute), uid).not.toEqual([]);
      // Until its samples are 5 minutes old, they are taken for present ones.
      expect(await greenAt(lastMinute + 6), uid).toEqual([]);
      expect(await greenAt(replacedMinute - 1), uid).toEqual([]);
      // Its first target stays down.
      if (what === 'a shard' && uid !== uids.exporter)
        expect(await greenAt(minutes - 1), uid).toEqual(await greenAt(minutes - 1, reference));
    }
  });
});

/** A node of the exporter that is lost and a pod on it; a namespace and workload with pods on other nodes too. */
async function choicesFor(
  prometheus: PrometheusServer,
  uid: string,
  atSeconds: number,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const [pod] = await prometheus.query(
    'topk(1, ephemeral_storage_pod_used_bytes{instance="second", namespace="media"})',
    atSeconds,
  );
  const { node = '', namespace = '', pod: name = '' } = pod?.metric ?? {};
  if (uid === uids.node) return { node: [node] };
  if (uid === uids.pod) return { namespace: [namespace], pod: [name] };
  if (uid === uids.workload || uid === uids.namespace) return { namespace: ['media'] };
  return {};
}
