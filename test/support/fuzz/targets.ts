import { inspect, isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { RequestError } from '../../../src/base/errors.js';
import { ConfigError } from '../../../src/config/faults.js';
import { acceptsGzip, negotiateFormat } from '../../../src/exposition/negotiate.js';
import { projectPod } from '../../../src/kube/projection.js';
import { formatSelector, parseSelector } from '../../../src/kube/selector.js';
import { decodeSummary } from '../../../src/kubelet/summary-reader.js';
import { familyFilter } from '../../../src/server/family-filter.js';
import { scrapeTimeoutMs } from '../../../src/server/scrape-timeout.js';
import { readList } from '../../../src/watch/list-stream.js';
import { readWatchEvents } from '../../../src/watch/watch-stream.js';
import { settingsOf } from '../exporter.js';
import { parseExposition } from '../exposition-parser.js';
import { expositionWith, healthyLines, hostileNode } from './fuzzed-cluster.js';
import { cutUp, mutated } from './mutations.js';

/** Something that reads what others write. */
export interface FuzzTarget {
  readonly name: string;
  readonly input: fc.Arbitrary<string>;
  /** Rejects when an invariant is broken. */
  readonly check: (input: string) => Promise<void>;
}

const names = fc.constantFrom('a', 'web-0', 'größe', '\n', '"', '', '__proto__', 'a'.repeat(300), '\ud800');

const fsStats = fc.record(
  {
    time: fc.constantFrom('2026-01-01T00:00:00Z', 'never', 7),
    usedBytes: fc.constantFrom(0, 5, -1, 2 ** 60, '7', null),
    inodesUsed: fc.nat(),
  },
  { requiredKeys: [] },
);

const summaryText = fc
  .array(
    fc.record(
      {
        podRef: fc.record(
          { name: names, namespace: names, uid: fc.constantFrom('u1', 'u2', '', 7) },
          { requiredKeys: [] },
        ),
        containers: fc.oneof(
          fc.constant(null),
          fc.array(fc.record({ name: names, rootfs: fsStats, logs: fsStats }, { requiredKeys: ['name'] }), {
            maxLength: 4,
          }),
        ),
        volume: fc.array(fc.record({ name: names, usedBytes: fc.constantFrom(1, -3, 1.5) }, { requiredKeys: [] }), {
          maxLength: 3,
        }),
        'ephemeral-storage': fsStats,
      },
      { requiredKeys: [] },
    ),
    { maxLength: 5 },
  )
  .map((pods) =>
    JSON.stringify({ node: { nodeName: hostileNode, fs: { capacityBytes: 1_000, availableBytes: 10 } }, pods }),
  );

const validSummary = JSON.stringify({
  node: {
    nodeName: hostileNode,
    fs: { time: '2026-01-01T00:00:00Z', capacityBytes: 100, availableBytes: 50, usedBytes: 50 },
  },
  pods: Array.from({ length: 3 }, (_, index) => ({
    podRef: { name: `web-${index}`, namespace: 'shop', uid: `uid-${index}` },
    containers: [{ name: 'app', rootfs: { usedBytes: 10 }, logs: { usedBytes: 5 } }],
    volume: [{ name: 'tmp', usedBytes: 7 }],
    'ephemeral-storage': { usedBytes: 22 },
  })),
});

const podObject = (name: string) => ({
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '7', labels: { app: 'web' } },
  spec: { nodeName: hostileNode, containers: [{ name: 'app', resources: { limits: { 'ephemeral-storage': '1Gi' } } }] },
  status: { phase: 'Running' },
});
const validList = JSON.stringify({
  kind: 'PodList',
  metadata: { resourceVersion: '9' },
  items: ['a', 'b', 'c'].map(podObject),
});
const validWatch = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']
  .map((type, index) => JSON.stringify({ type, object: podObject(`pod-${index}`) }))
  .join('\n');
const validSettings = `
cluster: {nodeSelector: "pool=blue", namespaces: [shop]}
cache: {ttl: 20s}
workloads:
  selectors:
    - {name: carts, selector: {matchLabels: {app: cart}, matchExpressions: [{key: old, operator: DoesNotExist}]}}
  labels: [team]
metrics: {levels: {pod: false}, allow: ["a.*"]}
web: {listenAddresses: [":9797"], links: {docs: "https://example.com/"}}
`;

/** Undefined for an error of one of these classes, which is an answer too; a fault of the program is not. */
async function answerOf<T>(
  read: () => T | Promise<T>,
  ...classes: readonly (abstract new (...parameters: never[]) => Error)[]
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const isFault = error instanceof TypeError || error instanceof RangeError;
    if (!isFault && classes.some((known) => error instanceof known)) return undefined;
    throw error;
  }
}

function assertEqual(found: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(found, expected))
    throw new Error(`${what}: ${inspect(found)} instead of ${inspect(expected)}`);
}

/** The longest turn of the event loop that one input may cost. */
const longestBlockMs = 50;

/** The fastest of three attempts counts: others have work too, and garbage is collected at any time. */
function withoutBlock<T>(read: () => T): T {
  let fastestMs = Infinity;
  for (let attempt = 1; ; attempt++) {
    const startMs = performance.now();
    const result = read();
    fastestMs = Math.min(fastestMs, performance.now() - startMs);
    if (fastestMs <= longestBlockMs) return result;
    if (attempt === 3) throw new Error(`blocks the event loop for ${fastestMs.toFixed(0)} ms`);
  }
}

async function* bodyOf(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}

/** The items of a list, or that it was refused. */
async function itemsOf(pieces: Iterable<Buffer>): Promise<readonly unknown[] | undefined> {
  const items: unknown[] = [];
  const options = { kind: 'PodList', onItem: (item: unknown) => items.push(item), onOversizedItem: () => undefined };
  return answerOf(async () => {
    await readList(bodyOf(pieces), options);
    return items;
  }, RequestError);
}

async function eventsOf(pieces: Iterable<Buffer>): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  await answerOf(async () => {
    for await (const event of readWatchEvents(bodyOf(pieces), { kind: 'Pod', onOtherKind: () => undefined }))
      events.push(event);
  }, RequestError);
  return events;
}

/** Also proves that what is read does not depend on where the network has cut it. */
async function checkList(input: string): Promise<void> {
  const whole = await itemsOf([Buffer.from(input)]);
  assertEqual(await itemsOf(cutUp(input, input.length)), whole, 'the list in pieces');
}

async function checkWatch(input: string): Promise<void> {
  const whole = await eventsOf([Buffer.from(input)]);
  assertEqual(await eventsOf(cutUp(input, input.length)), whole, 'the watch in pieces');
}

async function checkSelector(input: string): Promise<void> {
  const selector = await answerOf(() => parseSelector(input), Error);
  if (selector === undefined) return;
  const written = formatSelector(selector);
  assertEqual(formatSelector(parseSelector(written)), written, 'the selector, written and read');
}

async function checkSettings(input: string): Promise<void> {
  await answerOf(() => settingsOf(input), ConfigError);
}

function checkHeaders(input: string): Promise<void> {
  negotiateFormat(input);
  acceptsGzip(input);
  familyFilter(Object.fromEntries(new URLSearchParams(input)), (name) => name === 'known');
  const durationMs = scrapeTimeoutMs(input, { timeoutOffsetMs: 500, defaultTimeoutMs: 10_000, maxDurationMs: 60_000 });
  if (!(durationMs > 0 && durationMs <= 60_000)) throw new Error(`a timeout of ${durationMs} ms`);
  return Promise.resolve();
}

/** What every reader of foreign input is tried with. */
export async function fuzzTargets(): Promise<readonly FuzzTarget[]> {
  const baseline = healthyLines(await expositionWith({}));
  const checkExposition = async (hostile: Parameters<typeof expositionWith>[0]): Promise<void> => {
    const exposition = await expositionWith(hostile);
    parseExposition(exposition, 'text');
    assertEqual(healthyLines(exposition), baseline, 'the series of the healthy node');
  };
  const checkSummary = async (input: string): Promise<void> => {
    const summary = await answerOf(() => withoutBlock(() => decodeSummary(input, 'summary')), RequestError);
    if (summary?.nodeName !== hostileNode) return;
    await checkExposition({ summary });
  };
  const checkPods = async (input: string): Promise<void> => {
    const items = (await itemsOf([Buffer.from(input)])) ?? [];
    const projected = await Promise.all(items.map((item) => answerOf(() => projectPod(item, (text) => text), Error)));
    const pods = projected.filter((pod) => pod !== undefined);
    const summary = decodeSummary(validSummary, 'summary');
    await checkExposition({
      summary,
      pods: pods.filter((pod) => pod.nodeName === hostileNode && pod.name !== 'steady'),
    });
  };
  const selectors = ['app=web', 'a in (b,c),!d', 'x notin (y)', 'a==b,c!=d,e'];
  const headers = [
    'text/plain;version=0.0.4;q=0.5,*/*',
    'application/openmetrics-text; version=1.0.0',
    'gzip;q=0',
    '9.5',
    'name[]=known&collect[]=pod',
  ];
  return [
    { name: 'summary', input: fc.oneof(mutated([validSummary]), summaryText), check: checkSummary },
    { name: 'pods', input: mutated([validList]), check: checkPods },
    { name: 'list', input: mutated([validList]), check: checkList },
    { name: 'watch', input: mutated([validWatch]), check: checkWatch },
    { name: 'selector', input: fc.oneof(mutated(selectors), fc.string()), check: checkSelector },
    { name: 'settings', input: fc.oneof(mutated([validSettings]), fc.string()), check: checkSettings },
    { name: 'headers', input: fc.oneof(mutated(headers), fc.string()), check: checkHeaders },
  ];
}
