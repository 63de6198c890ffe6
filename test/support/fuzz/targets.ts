import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';

import type fc from 'fast-check';

import type { Pod } from '../../../src/cluster/kube/objects.js';
import { projectPod } from '../../../src/cluster/kube/projection.js';
import { formatSelector } from '../../../src/cluster/kube/selector.js';
import { parseSelector } from '../../../src/cluster/kube/selector-parser.js';
import { decodeSummary } from '../../../src/cluster/kubelet/summary-reader.js';
import { readList } from '../../../src/cluster/watch/list-stream.js';
import { readWatchEvents } from '../../../src/cluster/watch/watch-stream.js';
import { ConfigError } from '../../../src/config/faults.js';
import { loadConfig } from '../../../src/config/load.js';
import { type FailureReason, RequestError, UserError } from '../../../src/lib/base/errors.js';
import { negotiateFormat } from '../../../src/metrics/exposition/negotiate.js';
import { familyFilter } from '../../../src/serve/server/metrics-handler.js';
import { scrapeTimeoutMs } from '../../../src/serve/server/scrape-budget.js';
import { parseExposition } from '../exposition-parser.js';
import { atOnce } from '../lanes.js';
import { EventLoopGuard } from './event-loop-guard.js';
import { expositionWith, healthyLines, hostileNode } from './fuzzed-cluster.js';
import { hostileInputs, validSummary } from './inputs.js';
import { cutUp } from './mutations.js';

/** Something that reads what others write. */
export interface FuzzTarget {
  readonly name: string;
  readonly input: fc.Arbitrary<string>;
  /** Rejects when an invariant is broken. */
  readonly check: (input: string) => Promise<void>;
}

type IsRefusal = (error: unknown) => boolean;

/** What a body may be refused for; an ERROR event has besides the reason of its HTTP status. */
const isBodyRefusal = refusedFor('decode', 'too_large');
const isWatchRefusal = refusedFor('decode', 'too_large', 'unauthorized', 'forbidden', 'not_found', 'http_status');

function refusedFor(...reasons: readonly FailureReason[]): IsRefusal {
  return (error) => error instanceof RequestError && reasons.includes(error.reason);
}

/** Undefined for a refusal, which is an answer too. */
async function answerOf<T>(read: () => T | Promise<T>, isRefusal: IsRefusal): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function assertEqual(found: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(found, expected))
    throw new Error(`${what}: ${inspect(found)} instead of ${inspect(expected)}`);
}

async function* bodyOf(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}

/** The items of a list, or that it was refused. */
async function itemsOf(pieces: Iterable<Buffer>): Promise<readonly unknown[] | undefined> {
  const items: unknown[] = [];
  const onItem = (item: unknown): number => items.push(item);
  const options = { kind: 'PodList', onItem, onOversizedItem: () => undefined, lane: atOnce };
  return answerOf(async () => {
    await readList(bodyOf(pieces), options);
    return items;
  }, isBodyRefusal);
}

async function eventsOf(pieces: Iterable<Buffer>): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  await answerOf(async () => {
    for await (const event of readWatchEvents(bodyOf(pieces), { kind: 'Pod', onOtherKind: () => undefined }))
      events.push(event);
  }, isWatchRefusal);
  return events;
}

/** In one piece, and cut anywhere: what is read must not depend on the network. */
async function readTwice(
  input: string,
  read: (pieces: Iterable<Buffer>) => Promise<unknown>,
): Promise<readonly [unknown, unknown]> {
  return [await read([Buffer.from(input)]), await read(cutUp(input, input.length))];
}

function checkPieces([whole, inPieces]: readonly [unknown, unknown]): void {
  assertEqual(inPieces, whole, 'what was read in pieces');
}

/** A selector as it is written, and that text read and written again. */
async function readSelector(input: string) {
  return answerOf(
    () => {
      const written = formatSelector(parseSelector(input));
      return { written, again: formatSelector(parseSelector(written)) };
    },
    (error) => error instanceof UserError,
  );
}

function checkSelector(read: Awaited<ReturnType<typeof readSelector>>): void {
  if (read !== undefined) assertEqual(read.again, read.written, 'the selector, written and read');
}

/** Not measured: they are the operator's own, and read at the start and when they change. */
async function checkSettings(input: string): Promise<void> {
  await answerOf(
    () => loadConfig({ file: { path: 'settings.yaml', text: input }, environment: {}, flags: {} }),
    (error) => error instanceof ConfigError,
  );
}

function readHeaders(input: string): number {
  negotiateFormat(input);
  familyFilter(Object.fromEntries(new URLSearchParams(input)), (name) => name === 'known');
  return scrapeTimeoutMs(input, { timeoutOffsetMs: 500, defaultTimeoutMs: 10_000 });
}

function checkTimeout(durationMs: number): void {
  if (!(durationMs > 0 && durationMs <= 60_000)) throw new Error(`a timeout of ${durationMs} ms`);
}

/** The exposition with a summary of the hostile node; undefined when it is refused. */
async function readSummary(input: string): Promise<Buffer | undefined> {
  const summary = await answerOf(() => decodeSummary(input, 'summary'), isBodyRefusal);
  return summary?.nodeName === hostileNode ? expositionWith({ summary }) : undefined;
}

/** The store projects items as their bytes arrive. */
const itemsPerTurn = 500;

/** The exposition with the pods of a list. */
async function readPods(input: string): Promise<Buffer> {
  const items = (await itemsOf([Buffer.from(input)])) ?? [];
  const projected: (Pod | undefined)[] = [];
  for (const [index, item] of items.entries()) {
    if (index % itemsPerTurn === 0) await nextTurn();
    projected.push(await answerOf(() => projectPod(item, (text) => text), refusedFor('decode')));
  }
  const pods = projected.filter((pod) => pod?.nodeName === hostileNode && pod.name !== 'steady');
  return expositionWith({
    summary: decodeSummary(validSummary, 'summary'),
    pods: pods.filter((pod) => pod !== undefined),
  });
}

export interface FuzzOptions {
  readonly guard?: EventLoopGuard;
  /** Called with each exposition besides the project's own parser; rejects for a fault. */
  readonly checkExposition?: (exposition: Buffer) => Promise<void>;
}

/** What every reader of foreign input is tried with. */
export async function fuzzTargets({
  guard = new EventLoopGuard(),
  checkExposition = () => Promise.resolve(),
}: FuzzOptions = {}): Promise<readonly FuzzTarget[]> {
  const baseline = healthyLines(await expositionWith({}));
  const checkHealthy = async (exposition: Buffer | undefined): Promise<void> => {
    if (exposition === undefined) return;
    parseExposition(exposition, 'text');
    assertEqual(healthyLines(exposition), baseline, 'the series of the healthy node');
    await checkExposition(exposition);
  };
  const checked =
    <T>(read: (input: string) => T | Promise<T>, verify: (result: T) => void | Promise<void>) =>
    async (input: string): Promise<void> => {
      await verify(await guard.run(async () => read(input)));
    };
  const checks: Readonly<Record<keyof typeof hostileInputs, FuzzTarget['check']>> = {
    summary: checked(readSummary, checkHealthy),
    pods: checked(readPods, checkHealthy),
    list: checked((input) => readTwice(input, itemsOf), checkPieces),
    watch: checked((input) => readTwice(input, eventsOf), checkPieces),
    selector: checked(readSelector, checkSelector),
    settings: checkSettings,
    headers: checked(readHeaders, checkTimeout),
  };
  const names = Object.keys(hostileInputs) as (keyof typeof hostileInputs)[];
  return names.map((name) => ({ name, input: hostileInputs[name], check: checks[name] }));
}
