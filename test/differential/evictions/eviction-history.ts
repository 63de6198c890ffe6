import { setImmediate as nextTurn } from 'node:timers/promises';

import type { SharedParts } from '../../support/living-core.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { RequestFault } from '../../watch/conformance/faulty-api.js';
import type { Draws } from '../draws.js';
import { EvictionOracle } from './eviction-oracle.js';
import { type HistorySettings, isCovered } from './history-settings.js';
import { type ChangeStep, isChange, type OtherStep, type TimedStep } from './history-steps.js';
import { PodsApi } from './pods-api.js';
import { RunningExporter } from './running-exporter.js';
import { causeOf, otherApp, places, type SimulatedPod } from './simulated-pods.js';

/** More than by how much the clocks of nodes may be behind: what happened before is older than the exporter. */
const restartMs = 61_000;

const firstPods = places.filter((_place, index) => index % 2 === 0);

/** One history: an API server, an exporter that reads it, and what the exporter should report. */
export class EvictionHistory implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly oracle: EvictionOracle;
  readonly #api: PodsApi;
  readonly #draws: Draws;
  readonly #parts: SharedParts;
  readonly #check: (history: EvictionHistory) => Promise<void>;
  #settings: HistorySettings;
  #exporter: RunningExporter;
  readonly #lostUids = new Set<string>();
  #uidCount = 0;

  /** `check`: called whenever everything has settled, and at last before something is forgotten. */
  constructor(
    settings: HistorySettings,
    draws: Draws,
    parts: SharedParts,
    check: (history: EvictionHistory) => Promise<void>,
  ) {
    this.oracle = new EvictionOracle(settings, this.clock);
    this.#draws = draws;
    this.#parts = parts;
    this.#check = check;
    this.#settings = settings;
    this.#api = new PodsApi(this.oracle);
    for (const place of firstPods) this.#add({ ...place, nodeName: 'front-1', app: 'cart' });
    this.#exporter = this.#start();
  }

  get exporter(): RunningExporter {
    return this.#exporter;
  }

  /** The UIDs of the evicted pods that an exporter without faults lists; not those that only a comparison of its store finds. */
  get listedUids(): readonly string[] {
    const listed = this.#api.pods.filter((pod) => causeOf(pod) !== undefined && isCovered(this.#settings, pod));
    return listed.map(({ uid }) => uid).filter((uid) => !this.#lostUids.has(uid));
  }

  async perform(step: TimedStep): Promise<void> {
    if (isChange(step)) {
      this.#change(step);
      if (!step.isAtOnce) await this.#settled();
      return;
    }
    await this.#settled();
    await this.#performLater(step);
    await this.#settled();
  }

  /** After the last fault, until the exporter knows everything. */
  async recover(): Promise<void> {
    this.#api.faults.length = 0;
    this.#api.releaseLists();
    for (let minute = 0; minute < 6; minute += 1) {
      await this.clock.advance(60_000);
      this.#api.sendBookmarks();
    }
    await this.#settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#api.releaseLists();
    await this.#exporter[Symbol.asyncDispose]();
  }

  #start(): RunningExporter {
    const { clock, oracle } = this;
    const { sourceStarted, sourceEnded, activated, retained } = oracle;
    const observer = { sourceStarted, sourceEnded, activated, retained, activating: () => this.#settled() };
    return new RunningExporter({ ...this.#parts, api: this.#api, clock, settings: this.#settings, observer });
  }

  async #settled(): Promise<void> {
    for (let turn = 0; turn < 6; turn += 1) await nextTurn();
    await this.#check(this);
  }

  #change(step: ChangeStep): void {
    if (step.type === 'add') {
      this.#draws.add('change', 'add');
      if (this.#isFree(step.place)) this.#add({ ...step.place, nodeName: step.nodeName, app: step.app });
      return;
    }
    const { pods } = this.#api;
    const pod = pods[step.pick % Math.max(1, pods.length)];
    if (pod === undefined) return;
    if (step.type === 'end') this.#end(pod, step);
    else this.#changePod(pod, step.type);
  }

  #changePod(pod: SimulatedPod, type: 'touch' | 'relabel' | 'delete' | 'replace'): void {
    this.#draws.add('change', type);
    if (type === 'touch') this.#put({ ...pod, touchCount: pod.touchCount + 1 });
    // Nobody relabels pods that have ended.
    else if (type === 'relabel') this.#put(pod.ended === undefined ? { ...pod, app: otherApp(pod.app) } : pod);
    else this.#api.remove(pod);
    if (type === 'replace') this.#add(pod);
  }

  /** Of a pod that has ended, its successor ends. */
  #end(before: SimulatedPod, { ending, way, timePlace }: Extract<ChangeStep, { type: 'end' }>): void {
    this.#draws.add('way', way);
    this.#draws.add('ending', ending.cause ?? 'no storage');
    const pod = way.startsWith('new pod') || before.ended !== undefined ? this.#replaced(before) : before;
    const version = this.#api.nextVersion;
    const atMs = Math.floor(this.clock.steadyNowMs() / 1_000) * 1_000;
    const ended = { ...pod, version, ended: { ending, version, atMs, timePlace } };
    const isLost = way.startsWith('lost');
    if (isLost) this.#lostUids.add(pod.uid);
    if (way !== 'deletion alone') this.#api.put(ended, isLost);
    if (way.includes('deletion')) this.#api.remove(ended);
    if (way.endsWith('another pod')) this.#add(pod);
  }

  #replaced(pod: SimulatedPod): SimulatedPod {
    this.#api.remove(pod);
    return this.#add(pod);
  }

  async #performLater(step: OtherStep): Promise<void> {
    switch (step.type) {
      case 'watch fault':
        this.#draws.add('fault', `watches ${step.fault}`);
        this.#break(step.fault);
        return;
      case 'gap':
        this.#changeUnseen(step.meanwhile);
        return;
      case 'request faults':
        this.#failRequests(step.faults);
        return;
      case 'elapse':
        this.#draws.add('step', `elapse ${step.ms} ms`);
        this.#api.releaseLists();
        return this.clock.advance(step.ms);
      case 'reload':
        return this.#reload(step.settings);
      case 'restart':
        return this.#restart();
      case 'slow lists':
      case 'relist':
      case 'scrape':
        this.#act(step.type);
    }
  }

  #changeUnseen(changes: readonly ChangeStep[]): void {
    this.#draws.add('step', 'gap');
    this.#api.silenceWatches();
    for (const change of changes) this.#change(change);
    this.#api.compact();
    this.#api.endWatches('reset');
  }

  #failRequests(faults: readonly RequestFault[]): void {
    for (const fault of faults) this.#draws.add('fault', `request ${fault}`);
    this.#api.faults.push(...faults);
  }

  #act(type: 'slow lists' | 'relist' | 'scrape'): void {
    this.#draws.add('step', type);
    if (type === 'slow lists') this.#api.holdLists();
    else if (type === 'relist') this.#exporter.relist();
    else this.#exporter.scraped();
  }

  #break(fault: Extract<OtherStep, { type: 'watch fault' }>['fault']): void {
    switch (fault) {
      case 'silent':
        this.#api.silenceWatches();
        return;
      case 'replayed':
        this.#api.replay();
        return;
      case 'bookmarks':
        this.#api.sendBookmarks();
        return;
      case 'ended':
      case 'reset':
      case 'expired':
        this.#api.endWatches(fault);
    }
  }

  async #reload(changed: Partial<HistorySettings>): Promise<void> {
    const settings = { ...this.#settings, ...changed };
    this.#api.releaseLists();
    const isApplied = await this.#exporter.apply(settings);
    for (const key of Object.keys(changed)) this.#draws.add('reload', `${key}${isApplied ? '' : ' (failed)'}`);
    if (isApplied) this.#setSettings(settings);
  }

  async #restart(): Promise<void> {
    this.#draws.add('step', 'restart');
    this.#api.releaseLists();
    await this.#exporter[Symbol.asyncDispose]();
    await this.clock.advance(restartMs);
    this.oracle.restarted(this.#settings);
    this.#exporter = this.#start();
  }

  #setSettings(settings: HistorySettings): void {
    const { pods, role, workloads } = settings;
    this.#settings = settings;
    this.#draws.add('setting', pods);
    this.#draws.add('setting', `workloads by ${workloads}`);
    this.#draws.add('setting', role === undefined ? 'all roles' : 'one role');
  }

  #isFree({ namespace, name }: Pick<SimulatedPod, 'namespace' | 'name'>): boolean {
    return !this.#api.pods.some((pod) => pod.namespace === namespace && pod.name === name);
  }

  #add({
    namespace,
    name,
    nodeName,
    app,
  }: Pick<SimulatedPod, 'namespace' | 'name' | 'nodeName' | 'app'>): SimulatedPod {
    this.#uidCount += 1;
    const pod = { namespace, name, nodeName, app, uid: `uid-${this.#uidCount}`, touchCount: 0, ended: undefined };
    return this.#put({ ...pod, version: 0 });
  }

  #put(pod: SimulatedPod): SimulatedPod {
    const stored = { ...pod, version: this.#api.nextVersion };
    this.#api.put(stored);
    return stored;
  }
}
