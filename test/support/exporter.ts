import { expect, vi } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { loadConfig } from '../../src/config/load.js';
import type { Config } from '../../src/config/schema.js';
import { plainWeb, type WebConfig } from '../../src/config/web/web-config.js';
import type { Clock } from '../../src/lib/base/clock.js';
import { createLogger } from '../../src/metrics/telemetry/line-logger.js';
import { App } from '../../src/serve/app/app.js';
import type { Host } from '../../src/serve/app/resolve-scope.js';
import { assignmentsOf } from './assignments.js';
import { type ParsedFamily, type ParsedSample, parseExposition } from './exposition-parser.js';
import { type HttpAnswer, send } from './http-get.js';
import { ManualClock } from './manual-clock.js';
import { never } from './signals.js';

/** The minimal permissions of the exporter in a cluster. */
export const leastRules: readonly Rule[] = [
  { verbs: ['list', 'watch'], resources: ['nodes', 'pods'] },
  { verbs: ['get'], resources: ['nodes/stats'] },
];

/** What it needs besides where users of the cluster read it. */
export const reviewRule: Rule = { verbs: ['create'], resources: ['tokenreviews', 'subjectaccessreviews'] };

export interface ExporterOptions {
  /** Settings file. */
  readonly settings?: string;
  readonly scenario?: Scenario;
  readonly rules?: readonly Rule[];
  readonly reload?: () => Promise<void>;
  /** What differs from plain HTTP for everybody. */
  readonly web?: Partial<WebConfig>;
  /** Default: a name that is not of a node. */
  readonly host?: Host;
  /** Wall time at the start. Default: that of the manual clock. */
  readonly nowMs?: number;
  /** How far the clock of the exporter's machine is behind those of the cluster at the start, in milliseconds. Default: 0. */
  readonly behindMs?: number;
}

export const settleMs = 180_000;

export interface Scraped {
  readonly answer: HttpAnswer;
  readonly families: readonly ParsedFamily[];
  /** The samples of a family, its name without the common prefix. */
  readonly samples: (name: string) => readonly ParsedSample[];
  /** The value of the only sample that has these labels; undefined if there is none. */
  readonly value: (name: string, labels: Readonly<Record<string, string>>) => number | undefined;
}

/** Of a file, and of flags: settings of one process too. */
export function settingsOf(text: string): Config {
  const environment = { EPHEMERAL_STORAGE_EXPORTER_WEB_LISTEN_ADDRESSES: '127.0.0.1:0' };
  return loadConfig({ assignments: assignmentsOf(text), environment, flags: {} });
}

interface ExporterParts {
  readonly cluster: SimulatedCluster;
  readonly app: App;
  readonly clock: ManualClock;
  readonly log: readonly string[];
  readonly ownsCluster: boolean;
}

/** The complete exporter for a simulated cluster, over real sockets, on one manual clock. */
export class Exporter implements AsyncDisposable {
  readonly cluster: SimulatedCluster;
  readonly app: App;
  readonly clock: ManualClock;
  readonly log: readonly string[];
  readonly #ownsCluster: boolean;

  private constructor(parts: ExporterParts) {
    this.cluster = parts.cluster;
    this.app = parts.app;
    this.clock = parts.clock;
    this.log = parts.log;
    this.#ownsCluster = parts.ownsCluster;
  }

  static async start(options: ExporterOptions = {}): Promise<Exporter> {
    const clock = new ManualClock(options.nowMs === undefined ? {} : { nowMs: options.nowMs });
    const scenario = options.scenario ?? emptyScenario('node-1');
    const cluster = await SimulatedCluster.start({ clock: steady(clock, options.behindMs), scenario });
    try {
      return await Exporter.#start({ cluster, clock, ownsCluster: true }, options);
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Another exporter of the same cluster on the same clock. Dispose of it before this one. */
  async another(options: Omit<ExporterOptions, 'scenario'>): Promise<Exporter> {
    return Exporter.#start({ cluster: this.cluster, clock: this.clock, ownsCluster: false }, options);
  }

  static async #start(
    parts: Pick<ExporterParts, 'cluster' | 'clock' | 'ownsCluster'>,
    options: ExporterOptions,
  ): Promise<Exporter> {
    const { cluster, clock } = parts;
    const log: string[] = [];
    const token = cluster.issueToken({ user: 'exporter', rules: options.rules ?? leastRules });
    const app = await App.start(
      {
        config: settingsOf(options.settings ?? ''),
        web: { ...plainWeb, ...options.web },
        credentials: staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token }),
        host: options.host ?? { name: 'test-host', nodeName: undefined },
        clock,
        random: () => 0.5,
        logger: createLogger({ level: 'debug', format: 'json', write: (line) => log.push(line), clock: fixed(clock) }),
        version: '0.0.0-test',
        ...(options.reload === undefined ? {} : { reload: options.reload }),
      },
      never,
    );
    return new Exporter({ ...parts, app, log });
  }

  /** Resolves when nodes and pods have been listed. */
  async synced(): Promise<this> {
    await vi.waitUntil(() => this.app.hasSynced, { interval: 5, timeout: 15_000 });
    return this;
  }

  /** Resolves when volumes have been measured too, and grace periods are over. */
  async settled(): Promise<this> {
    await this.synced();
    await this.clock.advance(settleMs);
    return this;
  }

  /** Resolves when new settings, also of the sources, are in effect: lists take time, also on the manual clock. */
  async apply(settings: string): Promise<void> {
    expect(await this.applied(settings)).toBeUndefined();
  }

  /** What new settings are refused for; undefined when they are in effect. Polls, `stepMs` of the clock at a time. */
  async applied(settings: string, stepMs = 100): Promise<unknown> {
    const outcome: { readonly error: unknown }[] = [];
    const end = (error?: unknown): unknown => outcome.push({ error });
    void this.app.apply(settingsOf(settings)).then(() => end(), end);
    const hasEnded = () => this.clock.advance(stepMs).then(() => outcome.length > 0);
    await vi.waitUntil(hasEnded, { interval: 10, timeout: 15_000 });
    return outcome[0]?.error;
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return send({ port: this.app.ports[0] ?? 0, path, headers });
  }

  async scrape(headers: Readonly<Record<string, string>> = {}): Promise<Scraped> {
    const answer = await this.get('/metrics', headers);
    expect(answer.status).toBe(200);
    const families = parseExposition(
      answer.body,
      headers['accept']?.includes('openmetrics') === true ? 'openmetrics' : 'text',
    );
    const samples: Scraped['samples'] = (name) =>
      families.find((family) => family.name === `ephemeral_storage_${name}`)?.samples ?? [];
    const value: Scraped['value'] = (name, labels) => {
      const found = samples(name).filter((sample) =>
        Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
      );
      expect(found.length).toBeLessThanOrEqual(1);
      return found[0]?.value;
    };
    return { answer, families, samples, value };
  }

  /** Number of requests to the kubelets, by node. */
  requestCounts(): Readonly<Record<string, number>> {
    const names = this.cluster.model.nodes.map(({ spec }) => spec.name);
    return Object.fromEntries(names.map((name) => [name, this.cluster.kubeletRequestCount(name)]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
    if (this.#ownsCluster) await this.cluster[Symbol.asyncDispose]();
  }
}

/** The wall clock of the cluster's machines is right when that of the exporter is not. */
function steady(clock: ManualClock, aheadMs = 0): Clock {
  const nowMs = (): number => clock.steadyNowMs() + aheadMs;
  return {
    nowMs,
    steadyNowMs: nowMs,
    monotonicMs: () => clock.monotonicMs(),
    sleep: (durationMs, signal) => clock.sleep(durationMs, signal),
  };
}

/** Log lines have the manual time, and repeated lines are not suppressed. */
function fixed(clock: ManualClock): Clock {
  let linesCount = 0;
  return {
    nowMs: () => clock.nowMs(),
    steadyNowMs: () => clock.steadyNowMs(),
    monotonicMs: () => (linesCount += 1) * 3_600_000,
    sleep: (durationMs, signal) => clock.sleep(durationMs, signal),
  };
}
