import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { expect } from 'vitest';

import { loadCredentials } from '../../../src/cluster/credentials/load-credentials.js';
import { ApiClient, type ApiTransport } from '../../../src/cluster/http/api-client.js';
import { createDedupe, createInterner } from '../../../src/cluster/kube/dedupe.js';
import type { Node, Pod } from '../../../src/cluster/kube/objects.js';
import { wholeCluster } from '../../../src/cluster/kube/scope.js';
import { ClusterStore } from '../../../src/cluster/watch/cluster-store.js';
import { SharedWatch } from '../../../src/cluster/watch/shared-watch.js';
import { Tombstones } from '../../../src/cluster/watch/tombstones.js';
import type { WatchObserver } from '../../../src/cluster/watch/watch-observer.js';
import { watchedNodes, watchedPods } from '../../../src/cluster/watch/watched-collection.js';
import { silentLogger } from '../../../src/lib/base/logger.js';
import { Scheduler } from '../../../src/lib/base/scheduler.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { RealApiServer } from '../../support/real-api-server.js';
import { silentObserver } from '../../support/watch-observers.js';
import { type ClusterObjects, comparable, objectsOfKubectl } from './cluster-objects.js';
import { serviceAccount } from './shipped.js';

/** The folder that a pod of the service account has, with a token of TokenRequest or another one. */
export class MountedAccount {
  readonly #server: RealApiServer;
  readonly folder: string;
  #token = '';

  constructor(server: RealApiServer, name = 'account') {
    this.#server = server;
    this.folder = server.file(name);
  }

  /** The mounted one. */
  get token(): string {
    return this.#token;
  }

  async mount(token?: string): Promise<void> {
    const { namespace, name } = serviceAccount;
    this.#token = token ?? (await this.#server.serviceAccountToken(namespace, name));
    await mkdir(this.folder, { recursive: true });
    await writeFile(path.join(this.folder, 'ca.crt'), this.#server.caPem);
    await writeFile(path.join(this.folder, 'token'), this.#token);
  }

  /** A client as in the pod, with the files that are mounted. */
  async client(clock: ManualClock): Promise<ApiClient> {
    const environment = {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(this.#server.port),
    };
    const options = { environment, homeDir: '/nonexistent', inClusterDir: this.folder, clock };
    return new ApiClient({ credentials: await loadCredentials(options), clock, version: '0.0.0-test' });
  }
}

/** The exporter's store with the shipped permissions. Its clock runs only while a test waits. */
export class Mirror implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: ClusterStore;
  /** `nodes list success`, `pods watch expired`, `nodes event bookmark`, …: what happened, in order. */
  readonly happened: string[];
  readonly #server: RealApiServer;
  readonly #api: ApiClient;
  #stopping = new AbortController();
  readonly #watches: Watches;
  #running: Promise<unknown> = Promise.resolve();

  private constructor(server: RealApiServer, parts: Pick<Mirror, 'clock' | 'happened'> & { api: ApiClient }) {
    this.#server = server;
    this.clock = parts.clock;
    this.happened = parts.happened;
    this.#api = parts.api;
    this.#watches = watchesOf(parts);
    this.store = storeOf(this.#watches, parts);
  }

  /** A store that has listed everything, with a token of its own. */
  static async start(server: RealApiServer): Promise<Mirror> {
    const account = new MountedAccount(server);
    await account.mount();
    const mirror = await Mirror.of(server, account);
    await mirror.until(() => mirror.store.lists.isComplete);
    return mirror;
  }

  static async of(server: RealApiServer, account: MountedAccount): Promise<Mirror> {
    const clock = new ManualClock({ nowMs: Date.now() });
    const api = await account.client(clock);
    const mirror = new Mirror(server, { clock, api, happened: [] });
    mirror.resume();
    return mirror;
  }

  /** Ends the watches. */
  async pause(): Promise<void> {
    this.#stopping.abort(new Error('paused'));
    await this.#running;
  }

  /** Continues where it was. */
  resume(): void {
    this.#stopping = new AbortController();
    const { nodes, pods } = this.#watches;
    this.#running = Promise.all([nodes, pods].map((watch) => watch.run(this.#stopping.signal)));
  }

  /** Waits until it has the same objects as `kubectl get`. */
  async equalsKubectl(): Promise<ClusterObjects> {
    const expected = objectsOfKubectl(this.#server);
    const own = (): ClusterObjects => comparable({ nodes: this.store.nodes(), pods: this.store.pods() });
    const wanted = JSON.stringify(expected);
    // Compared only after something has happened: of many pods it takes long.
    let seen = -1;
    const isEqual = (): boolean => {
      if (seen === this.happened.length) return false;
      seen = this.happened.length;
      return JSON.stringify(own()) === wanted;
    };
    await this.until(isEqual).catch(() => undefined);
    expect(own()).toEqual(expected);
    return expected;
  }

  /** How often this happened since the start. */
  countOf(what: string): number {
    return this.happened.filter((one) => one === what).length;
  }

  /** Waits while its clock runs, ten times as fast as the server's unless `speed` says otherwise. */
  async until(holds: () => boolean, speed = 10): Promise<void> {
    for (let waitedMs = 0; !holds(); waitedMs += 20) {
      if (waitedMs >= 100_000) throw new Error(`timed out after: ${this.happened.slice(-20).join(', ')}`);
      await delay(20);
      await this.clock.advance(20 * speed);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pause();
    this.#api[Symbol.dispose]();
  }
}

interface Watches {
  readonly nodes: SharedWatch<Node>;
  readonly pods: SharedWatch<Pod>;
}

interface MirrorParts {
  readonly api: ApiTransport;
  readonly clock: ManualClock;
  readonly happened: string[];
}

const quiet = { random: () => 0.5, logger: silentLogger };
const everything = { scope: wholeCluster, namespaces: [], podSelector: [], nodeSelector: [] };

function watchesOf({ api, clock, happened }: MirrorParts): Watches {
  const parts = { ...quiet, api, clock, observer: recorder(happened), scheduler: new Scheduler(clock) };
  const options = { ...parts, removed: new Tombstones(clock) };
  const values = { intern: createInterner(8 * 2 ** 20), dedupe: createDedupe() };
  return {
    nodes: new SharedWatch(watchedNodes(everything, values), options),
    pods: new SharedWatch(watchedPods({ ...everything, clock, nodeLocalSpreadMs: 0 }, values), options),
  };
}

function storeOf({ nodes, pods }: Watches, { clock }: MirrorParts): ClusterStore {
  const lease = { [Symbol.dispose]: () => undefined };
  const watches = { nodes: () => ({ ...lease, watch: nodes }), pods: () => ({ ...lease, watch: pods }) };
  return new ClusterStore({ ...quiet, ...everything, watches, clock, rememberDeletedMs: 100_000 });
}

function recorder(happened: string[]): WatchObserver {
  const record = (...words: readonly string[]): void => {
    happened.push(words.join(' '));
  };
  return {
    ...silentObserver,
    listFinished: (resource, result) => {
      record(resource, 'list', result);
    },
    watchEnded: (resource, result) => {
      record(resource, 'watch', result);
    },
    eventApplied: (resource, type) => {
      record(resource, 'event', type);
    },
    objectSkipped: (resource, reason) => {
      record(resource, 'skipped', reason);
    },
    resourceVersionExpired: (resource) => {
      record(resource, 'version', 'expired');
    },
  };
}
