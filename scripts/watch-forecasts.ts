/**
 * Watches a running exporter: for each eviction, what was forecast, or why not. Also forecasts of less than a minute that stood
 * for longer than that and one distance of their measurements.
 */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '10' }, 'interval-seconds': { type: 'string', default: '15' } },
});
const [url = 'http://127.0.0.1:8080'] = positionals;

const secondMs = 1_000;

interface Seen {
  readonly atMs: number;
  /** Highest ratio of its limits; undefined without one. */
  readonly ratio: number | undefined;
  /** Of the pod, or of its node. */
  readonly leftMs: number | undefined;
  /** Between two measurements of what is forecast. */
  readonly distanceMs: number;
}

/** The most, as kubelets measure: a limit of a pod may wait for the volumes. */
const distancesMs: Readonly<Record<string, number>> = { container: 15_000, pod: 90_000, emptydir: 90_000 };
const diskDistanceMs = 15_000;

interface Eviction {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
  readonly cause: string;
  readonly evictedAtMs: number;
}

const pods = new Map<string, Seen[]>();
const nodes = new Map<string, Seen[]>();
const evictions = new Map<string, Eviction>();
const startMs = Date.now();
const endMs = startMs + Number(flags.minutes) * 60 * secondMs;

while (Date.now() < endMs) {
  await look(Date.now());
  await sleep(Number(flags['interval-seconds']) * secondMs);
}
report();

async function look(atMs: number): Promise<void> {
  const samples = (await (await fetch(`${url}/metrics`)).text()).split('\n').map(sampleOf);
  const of = (metric: string) => samples.filter(({ name }) => name === metric);
  const ratios = highest(of('limit_ratio').map(({ pod, value }) => [pod, value]));
  const forecasts = new Map(of('pod_time_to_limit_seconds').map((forecast) => [forecast.pod, forecast]));
  for (const pod of new Set([...pods.keys(), ...ratios.keys()])) {
    const { value, rule = '' } = forecasts.get(pod) ?? {};
    const leftMs = value === undefined ? undefined : value * secondMs;
    remember(pods, pod, { atMs, ratio: ratios.get(pod), leftMs, distanceMs: distancesMs[rule] ?? 0 });
  }
  const sooner = highest(of('node_time_to_eviction_seconds').map(({ node, value }) => [node, -value * secondMs]));
  for (const { node } of of('node_available_bytes')) {
    const least = sooner.get(node);
    const leftMs = least === undefined ? undefined : -least;
    remember(nodes, node, { atMs, ratio: undefined, leftMs, distanceMs: diskDistanceMs });
  }
  const found = (await (await fetch(`${url}/api/v1/evictions?limit=1000`)).json()) as { items: readonly Eviction[] };
  for (const eviction of found.items) evictions.set(`${eviction.namespace}/${eviction.pod}`, eviction);
}

function highest(values: readonly (readonly [name: string, value: number])[]): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const [name, value] of values) all.set(name, Math.max(value, all.get(name) ?? -Infinity));
  return all;
}

function remember(all: Map<string, Seen[]>, name: string, seen: Seen): void {
  const list = all.get(name) ?? [];
  list.push(seen);
  all.set(name, list);
}

function sampleOf(line: string) {
  const [, name = '', labels = '', value = ''] = /^ephemeral_storage_(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
  const pairs = Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, key = '', text = '']) => [key, text] as const);
  const { namespace = '', pod = '', node = '', rule } = Object.fromEntries(pairs);
  return { name, node, rule, pod: `${namespace}/${pod}`, value: Number(value) };
}

function report(): void {
  const seen = [...evictions.values()].filter(({ evictedAtMs }) => evictedAtMs > startMs && evictedAtMs < endMs);
  const lines = seen.map(lineOf);
  for (const line of lines) process.stdout.write(`${line}\n`);
  for (const [kind, all] of [
    ['pod', pods],
    ['node', nodes],
  ] as const) {
    for (const [name, list] of all) {
      const stoodMs = longestBelowMinuteMs(list);
      if (stoodMs > 0)
        process.stdout.write(`${kind} ${name}: below a minute for ${Math.round(stoodMs / secondMs)} s\n`);
    }
  }
  const silentCount = lines.filter((line) => line.includes('no forecast in time')).length;
  process.stdout.write(`${seen.length} evictions, ${silentCount} without a forecast in time\n`);
}

function lineOf({ namespace, pod, node, cause, evictedAtMs }: Eviction): string {
  const isOfNode = cause.startsWith('node_');
  const list = (isOfNode ? nodes.get(node) : pods.get(`${namespace}/${pod}`)) ?? [];
  const ahead = list.filter(({ atMs, leftMs }) => leftMs !== undefined && atMs <= evictedAtMs);
  const inTime = ahead.filter(({ atMs }) => atMs <= evictedAtMs - 30 * secondMs);
  const text = inTime
    .slice(-4)
    .map(
      ({ atMs, leftMs = 0 }) =>
        `${Math.round((evictedAtMs - atMs) / secondMs)} s before: ${Math.round(leftMs / secondMs)} s`,
    );
  const what =
    text.length > 0 ? text.join(', ') : `no forecast in time: ${reasonOf(list, evictedAtMs)} (${ahead.length} later)`;
  return `${cause.padEnd(16)} ${namespace}/${pod} on ${node}: ${what}`;
}

/** Why nothing was forecast. */
function reasonOf(list: readonly Seen[], evictedAtMs: number): string {
  const known = list.filter(({ ratio, atMs }) => ratio !== undefined && atMs <= evictedAtMs);
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined) return 'not measured';
  if (last.atMs < evictedAtMs - 60 * secondMs) return 'node silent';
  if ((first.ratio ?? 0) >= 0.5) return 'first seen above half';
  const belowHalf = known.findLast(({ ratio = 0 }) => ratio < 0.5);
  const aboveHalfMs = evictedAtMs - (belowHalf?.atMs ?? 0);
  return aboveHalfMs < 90 * secondMs ? 'burst' : `unexplained: above half for ${Math.round(aboveHalfMs / secondMs)} s`;
}

/** 0 where none stood for too long. */
function longestBelowMinuteMs(list: readonly Seen[]): number {
  let [longestMs, sinceMs] = [0, Infinity];
  for (const { atMs, leftMs, ratio = 0, distanceMs } of list) {
    if (leftMs === undefined || leftMs >= 60 * secondMs || ratio > 1) sinceMs = Infinity;
    else sinceMs = Math.min(sinceMs, atMs);
    if (atMs - sinceMs > 60 * secondMs + distanceMs) longestMs = Math.max(longestMs, atMs - sinceMs);
  }
  return longestMs;
}
