import { type Clock, systemClock } from '../src/lib/base/clock.js';
import { UserError } from '../src/lib/base/errors.js';
import { AccessControl, type RequestAccess, type TokenRequest } from './access.js';
import { ApiServer, type RecordedRequest } from './api-server/server.js';
import { ObjectStore } from './api-server/versioned-objects.js';
import { CertificateAuthority, type ClientName, type KeyPair } from './certificates.js';
import { ControlServer, type NodeReport } from './control.js';
import { kubeletConfiguration } from './kubelets/configuration.js';
import { EvictionManager, evictionPeriodMs } from './kubelets/eviction-manager.js';
import { Kubelet, type SummaryAnswer } from './kubelets/kubelet.js';
import { nodeSummary, type SummaryMoment } from './kubelets/simulated-summary.js';
import { ClusterModel } from './model/cluster-model.js';
import { demoScenario } from './model/demo-scenario.js';
import { Random } from './model/random.js';
import type { FaultSchedule, Scenario } from './model/scenario.js';
import { Schedule } from './model/schedule.js';
import type { SimulatedPod } from './model/simulated-pod.js';
import type { NodeSpec } from './model/specs.js';
import type { ApiFault, Fault } from './simulated-faults.js';
import { kubeconfigOf } from './simulated-kubeconfig.js';

export interface SimulatedClusterOptions {
  /** Drives usage, lifecycles, bookmarks and slow responses. Default: the system's clock. */
  readonly clock?: Clock;
  /** The same seed results in the same names, identifiers and speeds. Default: 1. */
  readonly seed?: number;
  /** Default: {@link demoScenario}. */
  readonly scenario?: Scenario;
  /** Opens the control endpoint; 0 for any free port. */
  readonly controlPort?: number;
  /** Of the kubelets. Default: the access control of the API server. */
  readonly kubeletAccess?: RequestAccess;
  /**
   * The UID by which a kubelet lists a pod; undefined for one that it does not know. Default: that of the simulated API
   * server.
   */
  readonly kubeletUidOf?: KubeletUidOf;
}

type KubeletUidOf = (pod: SimulatedPod) => string | undefined;

interface Parts {
  readonly clock: Clock;
  readonly authority: CertificateAuthority;
  readonly admin: KeyPair;
  readonly access: AccessControl;
  readonly kubeletAccess: RequestAccess;
  readonly kubeletUidOf: KubeletUidOf;
  readonly store: ObjectStore;
  readonly schedule: Schedule;
  readonly model: ClusterModel;
  readonly kubelets: Map<string, Kubelet>;
  readonly evictions: Map<string, EvictionManager>;
  readonly api: ApiServer;
}

/** Number of past changes that a client can still watch: minutes of changes in a few megabytes. */
const keptEventCount = 1000;

/** A simulated Kubernetes cluster with the real protocols on 127.0.0.1: an API server, and a kubelet for each node. */
export class SimulatedCluster implements AsyncDisposable {
  readonly #parts: Parts;
  #control: ControlServer | undefined;
  /** A bearer token with all permissions. */
  readonly token: string;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.token = parts.access.issueToken({ user: 'admin', groups: ['system:masters'], rules: [] });
  }

  static async start(options: SimulatedClusterOptions = {}): Promise<SimulatedCluster> {
    const { scenario = demoScenario, seed = 1, controlPort } = options;
    const cluster = new SimulatedCluster(await startParts(options));
    try {
      await cluster.#populate(scenario, new Random(seed));
      if (controlPort !== undefined) await cluster.#openControl(controlPort);
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  get apiUrl(): string {
    return this.#parts.api.url;
  }

  /** The URL for setting faults; undefined without `controlPort`. See {@link ControlServer}. */
  get controlUrl(): string | undefined {
    return this.#control?.url;
  }

  /** The certificate authority of the API server and the kubelets, PEM. */
  get caPem(): string {
    return this.#parts.authority.certificate;
  }

  /** Nodes and pods, which callers may change. Use {@link addNode} and {@link removeNode} for nodes. */
  get model(): ClusterModel {
    return this.#parts.model;
  }

  /** What the API server stores, for those who copy it. */
  get objects(): Pick<ObjectStore, 'latest' | 'subscribe'> {
    return this.#parts.store;
  }

  get access(): AccessControl {
    return this.#parts.access;
  }

  /** The latest requests to the API server, oldest first. */
  get apiRequests(): readonly RecordedRequest[] {
    return this.#parts.api.requests;
  }

  get openWatchCount(): number {
    return this.#parts.api.watchCount;
  }

  /** YAML of a kubeconfig: with the administrator's token or the given one, and with a client certificate. */
  kubeconfig(token = this.token, name = 'simulated'): string {
    return kubeconfigOf({ server: this.apiUrl, caPem: this.caPem, token, client: this.#parts.admin, name });
  }

  issueToken(request: TokenRequest): string {
    return this.access.issueToken(request);
  }

  /** A client certificate of the cluster's authority, for the API server and the kubelets. */
  async issueClient(name: ClientName): Promise<KeyPair> {
    return this.#parts.authority.issueClient(name);
  }

  /** Starts the kubelet, then adds the node object. */
  async addNode(spec: NodeSpec): Promise<void> {
    const { authority, kubeletAccess: access, clock, model, kubelets, evictions } = this.#parts;
    const kubelet = await Kubelet.start({
      nodeName: spec.name,
      authority,
      access,
      clock,
      summary: (at, known) => summaryOf(this.#parts, spec.name, { ...at, known }),
      configuration: kubeletConfiguration(spec),
    });
    kubelets.set(spec.name, kubelet);
    model.addNode(spec, kubelet.port);
    evictions.set(
      spec.name,
      new EvictionManager({ model, nodeName: spec.name, observation: () => kubelet.observation }),
    );
  }

  /** Removes the node object and its pods, and stops the kubelet. */
  async removeNode(name: string): Promise<void> {
    const kubelet = this.#kubelet(name);
    this.model.removeNode(name);
    this.#parts.kubelets.delete(name);
    this.#parts.evictions.delete(name);
    await kubelet[Symbol.asyncDispose]();
  }

  /** Resolves when the fault applies to every further request. */
  async setFault(nodeName: string, fault: Fault | undefined): Promise<void> {
    await this.#kubelet(nodeName).setFault(fault);
  }

  /** Replaces the kubelet's responses to authorized requests for the summary; undefined: its own again. */
  setSummaryAnswer(nodeName: string, answer: SummaryAnswer | undefined): void {
    this.#kubelet(nodeName).setSummaryAnswer(answer);
  }

  async setApiFault(fault: ApiFault | undefined): Promise<void> {
    await this.#parts.api.setFault(fault);
  }

  kubeletRequestCount(nodeName: string): number {
    return this.#kubelet(nodeName).requestCount;
  }

  /** Connections to the kubelet that are open. */
  kubeletConnectionCount(nodeName: string): Promise<number> {
    return this.#kubelet(nodeName).connectionCount();
  }

  /** From now on, every earlier resourceVersion results in 410. */
  expireResourceVersions(): void {
    this.#parts.store.compact();
  }

  /** Aborts the connections of all watches. */
  dropWatches(): void {
    this.#parts.api.dropWatches();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { schedule, api, kubelets } = this.#parts;
    schedule[Symbol.dispose]();
    const open: readonly (AsyncDisposable | undefined)[] = [this.#control, api, ...kubelets.values()];
    await Promise.all(open.map(async (part) => part?.[Symbol.asyncDispose]()));
  }

  async #populate(scenario: Scenario, random: Random): Promise<void> {
    for (const node of scenario.nodes) await this.addNode(node);
    for (const [name, fault] of Object.entries(scenario.faults ?? {})) await this.setFault(name, fault);
    for (const entry of scenario.faultSchedules ?? []) this.#scheduleFault(entry);
    if (scenario.kubeletsEvict ?? true) this.#scheduleEvictions();
    scenario.populate({ model: this.model, schedule: this.#parts.schedule, random });
  }

  #scheduleEvictions(): void {
    const { schedule, evictions } = this.#parts;
    schedule.every(evictionPeriodMs, () => {
      for (const manager of evictions.values()) manager.pass();
    });
  }

  #scheduleFault({ nodeName, fault, everyMs, lastsMs }: FaultSchedule): void {
    const { schedule, kubelets } = this.#parts;
    /** A fault that a person has set stays. */
    const change = (from: Fault | undefined, to: Fault | undefined) => (): void => {
      const kubelet = kubelets.get(nodeName);
      if (kubelet?.fault === from) void kubelet?.setFault(to);
    };
    schedule.every(everyMs, change(undefined, fault), everyMs - lastsMs);
    schedule.every(everyMs, change(fault, undefined));
  }

  async #openControl(port: number): Promise<void> {
    this.#control = await ControlServer.start({
      port,
      nodes: () => this.#nodeReports(),
      setFault: async (nodeName, fault) => this.setFault(nodeName, fault),
      setApiFault: async (fault) => this.setApiFault(fault),
    });
  }

  #nodeReports(): readonly NodeReport[] {
    return [...this.#parts.kubelets].map(([name, { port, fault, requestCount }]) => ({
      name,
      kubeletPort: port,
      fault,
      requestCount,
    }));
  }

  #kubelet(nodeName: string): Kubelet {
    const kubelet = this.#parts.kubelets.get(nodeName);
    if (kubelet === undefined)
      throw new UserError(`unknown node ${nodeName}; the nodes are ${[...this.#parts.kubelets.keys()].join(', ')}`);
    return kubelet;
  }
}

/** Each part has its own random sequence, so that requests do not affect the events of the cluster. */
async function startParts(options: SimulatedClusterOptions): Promise<Parts> {
  const { clock = systemClock, seed = 1 } = options;
  const authority = await CertificateAuthority.create();
  const admin = await authority.issueClient({ commonName: 'admin', organizations: ['system:masters'] });
  const access = new AccessControl(new Random(seed + 1));
  const store = new ObjectStore({ keptEventCount });
  const schedule = new Schedule(clock);
  const model = new ClusterModel({ store, schedule, random: new Random(seed + 2) });
  const kubelets = new Map<string, Kubelet>();
  const api = await ApiServer.start({
    authority,
    access,
    store,
    clock,
    random: new Random(seed + 3),
    model,
  });
  const { kubeletAccess = access, kubeletUidOf = (pod: SimulatedPod) => pod.kubeletUid } = options;
  const evictions = new Map<string, EvictionManager>();
  const own = { clock, authority, admin, access, store, schedule, model, kubelets, evictions, api };
  return { ...own, kubeletAccess, kubeletUidOf };
}

function summaryOf({ model, kubeletUidOf }: Parts, nodeName: string, at: SummaryMoment): object {
  const node = model.node(nodeName);
  if (node === undefined) throw new Error(`node ${nodeName} has been removed`);
  const pods = model.podsOn(nodeName).flatMap((pod): readonly SimulatedPod[] => {
    const kubeletUid = kubeletUidOf(pod);
    return kubeletUid === undefined ? [] : [{ ...pod, kubeletUid }];
  });
  return nodeSummary(node, pods, at);
}
