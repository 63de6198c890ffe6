import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { SimulatedCluster } from '../../sim/cluster.js';
import type { Random } from '../../sim/model/random.js';
import type { PodSpec } from '../../sim/model/specs.js';
import type { ApiFault, Fault } from '../../sim/simulated-faults.js';
import { answerWith, hostileBodies } from '../../test/support/hostile-bodies.js';

const kubeletFaults: readonly Fault[] = [
  'hang',
  'slow:1500',
  'truncated',
  'wrong-body',
  'html',
  'expired-certificate',
  'reset',
  'empty',
  'restarted',
  'redirect',
  'down',
  'status:401',
  'status:403',
  'status:404',
  'status:500',
  'status:503',
];
/** Not half-empty lists: what they lack is found after a minute, and again after ten at the earliest. */
const apiFaults: readonly ApiFault[] = [
  'down',
  'empty',
  'status:401',
  'status:403',
  'status:429',
  'status:500',
  'status:503',
];
/** Of the API server. */
export const longestOutageMs = 6_000;

const hostileBytes = 8_000_000;
/** What the settings file holds; a bad one changes nothing. */
const settingsFiles: readonly string[] = [
  'cache: {ttl: 4s}\nkubelet: {requestTimeout: 2s}\nworkloads: {controllers: true}\n',
  'cache: {ttl: 3s}\nkubelet: {requestTimeout: 1s}\nworkloads: {controllers: true}\nmetrics: {profile: full}\n',
  '',
  'cache: {ttl: 4s',
  'cache: {ttl: yesterday}\n',
];

const workloads = ['cart', 'search', 'mail', 'billing'];

interface FaultyExporter {
  readonly port: number;
  readonly settingsFile: string;
}

/** Faults and changes of a cluster, each drawn from one seeded generator. */
export class Faults {
  readonly counts = new Map<string, number>();
  /** Requests of the exporter to the API server in the outage with the most of them. */
  mostOutageRequestsCount = 0;
  readonly #cluster: SimulatedCluster;
  readonly #random: Random;
  readonly #exporter: FaultyExporter;
  readonly #sockets = new Set<Socket>();
  #podCount = 0;

  constructor(cluster: SimulatedCluster, random: Random, exporter: FaultyExporter) {
    this.#cluster = cluster;
    this.#random = random;
    this.#exporter = exporter;
  }

  /** One after the other, for about `durationMs`. */
  async run(durationMs: number): Promise<void> {
    const actions: readonly (() => unknown)[] = [
      ...Array.from({ length: 4 }, () => this.#failKubelet),
      ...Array.from({ length: 2 }, () => this.#healKubelet),
      ...Array.from({ length: 4 }, () => this.addPod),
      ...Array.from({ length: 3 }, () => this.#deletePod),
      this.#failApi,
      this.#relabelPod,
      this.#replaceNode,
      this.#expire,
      this.#dropWatches,
      this.#openSilently,
      this.#readNothing,
      this.#sendHostileBody,
      this.#changeSettings,
    ];
    const endMs = performance.now() + durationMs;
    while (performance.now() < endMs) {
      await this.#pick(actions)();
      await delay(this.#random.between(50, 800));
    }
  }

  async end(): Promise<void> {
    await this.#cluster.setApiFault(undefined);
    for (const { spec } of this.#cluster.model.nodes) {
      this.#cluster.setSummaryAnswer(spec.name, undefined);
      await this.#cluster.setFault(spec.name, undefined);
    }
    await this.setSettings();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  readonly addPod = (): void => {
    this.#count('pods added');
    const app = this.#pick(workloads);
    this.#cluster.model.addPod(podOf(app, `${app}-5d4f8-${(this.#podCount += 1)}`, this.#anyNode(), this.#random));
  };

  readonly #deletePod = (): void => {
    const { pods } = this.#cluster.model;
    if (pods.length === 0) return;
    this.#count('pods deleted');
    const { spec } = this.#pick(pods);
    this.#cluster.model.deletePod(spec.namespace, spec.name);
  };

  readonly #relabelPod = (): void => {
    const { pods } = this.#cluster.model;
    if (pods.length === 0) return;
    this.#count('pods relabelled');
    const { spec } = this.#pick(pods);
    this.#cluster.model.updatePod(spec.namespace, spec.name, {
      labels: { ...spec.labels, turn: this.#random.hex(4) },
    });
  };

  readonly #failKubelet = async (): Promise<void> => {
    const fault = this.#pick(kubeletFaults);
    this.#count(`kubelet: ${fault}`);
    await this.#cluster.setFault(this.#anyNode(), fault);
  };

  /** Until the quiet point. */
  readonly #sendHostileBody = (): void => {
    const nodeName = this.#anyNode();
    const { name, of } = this.#pick(hostileBodies(this.#cluster.model.podsOn(nodeName)[0]?.uid ?? ''));
    this.#count(`body: ${name}`);
    const body = of(hostileBytes).replace('"nodeName":"bad"', `"nodeName":"${nodeName}"`);
    this.#cluster.setSummaryAnswer(nodeName, answerWith(body));
  };

  readonly #changeSettings = async (): Promise<void> => {
    this.#count('settings files');
    await this.setSettings(this.#pick(settingsFiles));
  };

  readonly setSettings = async (text = settingsFiles[0] ?? ''): Promise<void> => {
    await writeFile(this.#exporter.settingsFile, text);
  };

  readonly #healKubelet = async (): Promise<void> => {
    await this.#cluster.setFault(this.#anyNode(), undefined);
  };

  readonly #failApi = async (): Promise<void> => {
    const fault = this.#pick(apiFaults);
    this.#count(`API server: ${fault}`);
    await this.#cluster.setApiFault(fault);
    const before = new Set(this.#cluster.apiRequests);
    if (fault === 'empty') this.#cluster.expireResourceVersions(); // so that lists follow
    this.#cluster.dropWatches();
    await delay(this.#random.between(500, longestOutageMs));
    const requests = this.#cluster.apiRequests.filter((request) => !before.has(request) && request.user === 'exporter');
    this.mostOutageRequestsCount = Math.max(this.mostOutageRequestsCount, requests.length);
    await this.#cluster.setApiFault(undefined);
  };

  /** Another machine under the same name. */
  readonly #replaceNode = async (): Promise<void> => {
    this.#count('nodes replaced');
    const name = this.#anyNode();
    await this.#cluster.removeNode(name);
    await delay(this.#random.between(0, 1_000));
    await this.#cluster.addNode({ name });
  };

  readonly #expire = (): void => {
    this.#count('versions expired');
    this.#cluster.expireResourceVersions();
    this.#cluster.dropWatches();
  };

  readonly #dropWatches = (): void => {
    this.#count('watches dropped');
    this.#cluster.dropWatches();
  };

  readonly #openSilently = (): void => {
    this.#count('silent clients');
    this.#connect();
  };

  readonly #readNothing = (): void => {
    this.#count('clients that do not read');
    this.#connect().pause().write('GET /metrics HTTP/1.1\r\nHost: exporter\r\n\r\n');
  };

  #connect(): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.#exporter.port });
    socket.on('error', () => undefined);
    this.#sockets.add(socket);
    return socket;
  }

  #anyNode(): string {
    return this.#pick(this.#cluster.model.nodes).spec.name;
  }

  #pick<T>(from: readonly T[]): T {
    const found = from[Math.floor(this.#random.next() * from.length)];
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

/** It uses what it uses from the start, so that the truth does not depend on when it is read. */
function podOf(app: string, name: string, nodeName: string, random: Random): PodSpec {
  const bytes = (most: number): number => Math.floor(random.between(0, most));
  return {
    namespace: 'shop',
    name,
    nodeName,
    labels: { app, 'pod-template-hash': '5d4f8' },
    owner: { kind: 'ReplicaSet', name: `${app}-5d4f8` },
    containers: [
      { name: 'app', rootfs: { initialBytes: bytes(1e9) }, logs: { initialBytes: bytes(1e6) }, limitBytes: 2e9 },
      { name: 'proxy', rootfs: { initialBytes: bytes(1e6) }, logs: { initialBytes: bytes(1e6) } },
    ],
  };
}
