/** A cluster, a core that lives through all that happens, and one that is made again from the same inputs before each scrape. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { expect } from 'vitest';

import type { Config } from '../../src/config/schema.js';
import { UserError } from '../../src/lib/base/errors.js';
import { type Logger, silentLogger } from '../../src/lib/base/logger.js';
import type { FamilyFilter } from '../../src/metrics/exposition/selection.js';
import {
  type CollectedScrape,
  LivingCore,
  type LivingCoreOptions,
  type Reader,
  type SharedParts,
} from '../support/living-core.js';
import { ManualClock } from '../support/manual-clock.js';
import { ClusterModel } from './cluster-model.js';
import { ModelApi } from './model-api.js';

/** Of the self metrics, which count what each core does, no family. */
const clusterLevels = ['workload', 'node', 'pod', 'container', 'volume'] as const;

const clusterFilter: FamilyFilter = { names: new Set(), levels: new Set(clusterLevels) };

export const filters = [
  clusterFilter,
  { names: new Set<string>(), levels: new Set(['pod', 'workload'] as const) },
  { names: new Set(['ephemeral_storage_container_used_bytes', 'ephemeral_storage_node_up']), levels: new Set<never>() },
] as const satisfies readonly FamilyFilter[];

/** Turns of the event loop without a request or a chunk after which nothing happens until the clock moves. */
const quietTurnCount = 8;

const bookmarkMs = 60_000;

/** In which a namespace is listed that could not be listed before. */
const maxRelistMs = 70_000;

/** In which a watch that has ended begins again. */
const reconnectMs = 1_000;

export interface WorldOptions {
  readonly parts: SharedParts;
  readonly config: Config;
  /** Whether the second core lists all objects again before each scrape. */
  readonly isWatchedAnew: boolean;
  readonly prepare: (model: ClusterModel, nowMs: number) => void;
}

interface Bodies {
  readonly text: string;
  readonly openMetrics: string;
  readonly gzip: string;
  readonly unzipped: string;
}

/** A scrape of the second core, and what it serves. */
interface Expected {
  readonly filter: FamilyFilter;
  readonly bodies: Bodies;
}

/**
 * The two cores have asked kubelets at different times. Of requests in the background that is no fault: which of two that
 * are due at once is sent first decides when the next one is due.
 */
export class OtherRequests extends Error {
  constructor(asked: unknown, expected: unknown) {
    super(`asked ${JSON.stringify(asked)} instead of ${JSON.stringify(expected)}`);
  }
}

export class World implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly model: ClusterModel;
  readonly #apis: ModelApi[];
  readonly #shared: Omit<LivingCoreOptions, 'api'>;
  /** Whether a kubelet had hung when time stood still: a scrape does not wait for it, and a hurried one asks it. */
  #hasHung = false;
  readonly #isWatchedAnew: boolean;
  readonly #faults: string[] = [];
  readonly #cores: LivingCore[] = [];
  #hold: { readonly over: Promise<void>; readonly release: () => void } | undefined;
  #bookmarkAtMs: number;

  private constructor({ isWatchedAnew, parts }: WorldOptions) {
    this.#isWatchedAnew = isWatchedAnew;
    this.model = new ClusterModel((event) => {
      for (const api of this.#apis) api.send(event);
    });
    const released = (): Promise<void> => this.#hold?.over ?? Promise.resolve();
    const { model, clock } = this;
    this.#apis = [new ModelApi({ model, clock, released }), new ModelApi({ model, clock, released })];
    this.#bookmarkAtMs = clock.monotonicMs() + bookmarkMs;
    const logger: Logger = { ...silentLogger, error: (...line) => void this.#faults.push(JSON.stringify(line)) };
    const onUnexpectedEnd = (error: Error): void => void this.#faults.push(String(error));
    this.#shared = { ...parts, clock, logger, onUnexpectedEnd };
  }

  static async start(options: WorldOptions): Promise<World> {
    const world = new World(options);
    options.prepare(world.model, world.clock.nowMs());
    const starting = world.#apis.map((api) => LivingCore.start({ ...world.#shared, api }, options.config));
    world.#cores.push(...(await world.#settled(Promise.all(starting))));
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    await this.#settled(Promise.all(this.#cores.map((core) => core[Symbol.asyncDispose]())));
  }

  /** Resolves with whether the settings are in force: all cores refuse those whose only node is not there. */
  async reload(config: Config): Promise<boolean> {
    const reloads = this.#cores.map((core) => core.reload(config).then(() => true, isOfMissingNode));
    const outcomes = new Set(await this.#settled(Promise.all(reloads)));
    if (outcomes.size > 1) throw new Error('a core refuses what another one takes');
    return outcomes.has(true);
  }

  async pass(durationMs: number): Promise<void> {
    const endMs = this.clock.monotonicMs() + durationMs;
    for (let leftMs = durationMs; leftMs > 0; leftMs = endMs - this.clock.monotonicMs()) await this.#advance(leftMs);
    this.#hasHung = this.#apis.some(({ hung }) => hung.size > 0);
    const nowMs = this.clock.nowMs();
    for (const kubelet of this.model.kubelets.values()) {
      kubelet.strangers = kubelet.strangers.filter(({ untilMs }) => untilMs > nowMs);
    }
  }

  /** A scrape that nothing is compared of: what it leaves behind must not show. */
  async disturb(reader: Reader): Promise<void> {
    await this.#quiet();
    await this.#progress();
    await this.#settled(Promise.all(this.#cores.map((core) => core.collect(reader, clusterFilter))));
  }

  /** Scrapes both cores, and compares what they serve. */
  async scrape(filter: FamilyFilter): Promise<void> {
    const { collected, expected } = await this.#collect(filter);
    await this.#compare(collected, expected);
  }

  /** The response to the first one is made after a second one has been collected, and changes came in between. */
  async scrapeLate(filter: FamilyFilter, meanwhile: () => Promise<void>): Promise<void> {
    const first = await this.#collect(filter);
    await meanwhile();
    await this.scrape(clusterFilter);
    await this.#compare(first.collected, first.expected);
  }

  /** Two that are begun before either ends, with changes in between; false when there was nothing to wait for. */
  async scrapeTwice(filter: FamilyFilter, meanwhile: () => void): Promise<boolean> {
    await this.#renew();
    this.#holdKubelets();
    const [living, renewed] = this.#pair();
    const state = { isPending: true };
    const first = living.collect('scrape', filter).finally(() => (state.isPending = false));
    const reference = renewed.collect('scrape', filter);
    await this.#quiet();
    const isOverlapping = state.isPending;
    if (isOverlapping) meanwhile();
    await this.#quiet();
    const second = living.collect('scrape', filter);
    const secondReference = renewed.collect('scrape', filter);
    await this.#quiet();
    this.release();
    const [one, other, anew, otherAnew] = await this.#settled(Promise.all([first, second, reference, secondReference]));
    await this.#check();
    const expected = { filter, bodies: await bodiesOf(anew, filter) };
    await this.#compare(other, { filter, bodies: await bodiesOf(otherAnew, filter) });
    await this.#compare(one, expected);
    return isOverlapping;
  }

  /**
   * Compares with a core that starts now, but for evictions, which it has not seen, and for since when pods are unknown.
   * Series may come in another order: a list is not in the order in which objects came. False when what kubelets said before
   * may matter.
   */
  async scrapeStarted(config: Config): Promise<boolean> {
    const { model, clock } = this;
    const kubelets = [...model.kubelets.values()];
    const hangs = this.#hasHung || this.#apis.some(({ hung }) => hung.size > 0);
    const mayFail = !config.kubelet.readConfig; // a configuration that cannot be read is kept for a while
    const isWithoutPast = kubelets.every(
      (kubelet) => model.isWithoutPast(kubelet) && (mayFail || kubelet.behaviour === 'responds'),
    );
    // Of a summary without pods, the one before it decides whether it is believed.
    const isListingPods = [...model.kubelets.keys()].every((nodeName) => model.listsPods(nodeName));
    const nowMs = clock.monotonicMs();
    const isListed = model.forbiddenNamespaces.size === 0 && nowMs - model.allowedAtMs > maxRelistMs;
    if (hangs || !isWithoutPast || !isListingPods || !isListed) return false;
    const api = new ModelApi({ model, clock, released: () => Promise.resolve() });
    this.#apis.push(api);
    await using started = await this.#settled(LivingCore.start({ ...this.#shared, api }, config));
    const cores = [...this.#pair(), started];
    const scrapeAll = () => this.#settled(Promise.all(cores.map((core) => core.collect('scrape', clusterFilter))));
    await scrapeAll(); // reads configurations
    await this.#quiet();
    const [living, , anew] = await scrapeAll();
    this.#apis.pop();
    if (living === undefined || anew === undefined || clock.monotonicMs() > nowMs) return false;
    const [found, expected] = [await bodiesOf(living, clusterFilter), await bodiesOf(anew, clusterFilter)];
    expect(withoutMemory(found.text)).toEqual(withoutMemory(expected.text));
    return true;
  }

  release(): void {
    this.#hold?.release();
    this.#hold = undefined;
  }

  #holdKubelets(): void {
    let release = (): void => undefined;
    const over = new Promise<void>((resolve) => (release = resolve));
    this.#hold = { over, release };
  }

  async #collect(filter: FamilyFilter): Promise<{ collected: CollectedScrape; expected: Expected }> {
    await this.#renew();
    const [living, renewed] = this.#pair();
    const collecting = [living.collect('scrape', filter), renewed.collect('scrape', filter)] as const;
    const [collected, anew] = await this.#settled(Promise.all(collecting));
    await this.#check();
    return { collected, expected: { filter, bodies: await bodiesOf(anew, filter) } };
  }

  async #renew(): Promise<void> {
    await this.#quiet();
    const [, renewed] = this.#pair();
    await this.#settled(renewed.renew({ isWatchedAnew: this.#isWatchedAnew }));
    await this.#progress();
  }

  async #compare(collected: CollectedScrape, { filter, bodies }: Expected): Promise<void> {
    const found = await bodiesOf(collected, filter);
    if (found.gzip === bodies.gzip && found.text === bodies.text && found.openMetrics === bodies.openMetrics) return;
    expect(found.text.split('\n')).toEqual(bodies.text.split('\n'));
    expect(found.openMetrics).toBe(bodies.openMetrics);
    expect(found.unzipped).toBe(bodies.unzipped);
    expect(found.gzip).toBe(bodies.gzip);
  }

  /** What shows in later scrapes alone: who is asked, and how soon. */
  async #check(): Promise<void> {
    await this.#quiet(); // requests that nobody waits for have begun
    const [living, renewed] = this.#pair();
    const [asked, expected] = this.#apis.map((api) => [...api.asked].sort());
    if (!isDeepStrictEqual(asked, expected)) throw new OtherRequests(asked, expected);
    expect(living.nearNodeNames).toEqual(renewed.nearNodeNames);
    expect(this.#faults).toEqual([]);
  }

  /** When nodes were seen last shows in what their conditions refute. */
  async #progress(): Promise<void> {
    for (const api of this.#apis) api.showProgress();
    await this.#quiet();
  }

  #pair(): readonly [living: LivingCore, renewed: LivingCore] {
    const [living, renewed] = this.#cores;
    if (living === undefined || renewed === undefined) throw new Error('two cores expected');
    return [living, renewed];
  }

  /** Lets the clock go on until it has settled. */
  async #settled<T>(pending: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    const settle = (): void => void (state.isSettled = true);
    pending.then(settle, settle);
    for (let turn = 0; turn < 3_000; turn += 1) {
      await this.#quiet();
      if (state.isSettled) return pending;
      if (turn > 2) await this.#advance(bookmarkMs);
    }
    throw new Error('it does not end');
  }

  /** Up to the next thing that is due, at most `maxMs`. */
  async #advance(maxMs: number): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    const dueMs = Math.max(0, Math.min(this.clock.nextDueMs, this.#bookmarkAtMs - nowMs, maxMs));
    await this.clock.advance(dueMs);
    await this.#quiet();
    if (this.clock.monotonicMs() < this.#bookmarkAtMs) return;
    const endedCount = this.#apis.reduce((sum, api) => sum + api.sendBookmarks(), 0);
    this.#bookmarkAtMs += bookmarkMs;
    await this.#quiet();
    // Until then the core that is not watched again would know nothing of changes.
    if (endedCount > 0) await this.clock.advance(reconnectMs);
    await this.#quiet();
  }

  async #quiet(): Promise<void> {
    const count = (): number => this.#apis.reduce((sum, { activityCount }) => sum + activityCount, 0);
    let before = count();
    for (let turn = 0; turn < quietTurnCount; turn += 1) {
      await nextTurn();
      if (count() === before) continue;
      before = count();
      turn = -1;
    }
  }
}

/** Ranks are hidden by pods that have been unknown for the grace period, and thresholds are refuted: a core that starts has yet to see both. */
function withoutMemory(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !/evicted|eviction|dangling/.test(line))
    .sort();
}

async function bodiesOf(scrape: CollectedScrape, filter: FamilyFilter): Promise<Bodies> {
  const text = await scrape.exposition({ format: 'text', filter });
  const openMetrics = await scrape.exposition({ format: 'openmetrics', filter });
  const gzip = await scrape.exposition({ format: 'text', filter, isGzipped: true });
  const bodies = { text: text.toString(), openMetrics: openMetrics.toString(), gzip: gzip.toString('latin1') };
  const unzipped = gunzipSync(gzip).toString();
  expect(unzipped).toBe(bodies.text);
  return { ...bodies, unzipped };
}

/** Throws any other error. */
function isOfMissingNode(error: unknown): false {
  if (error instanceof UserError && error.message.startsWith('the cluster has no node ')) return false;
  throw error;
}
