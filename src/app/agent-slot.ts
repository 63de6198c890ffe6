import { isDeepStrictEqual } from 'node:util';

import type { NodeAgent } from '../agent/agent.js';
import { notNeeded } from '../base/abortable.js';
import type { Clock } from '../base/clock.js';
import { FailureRun, type Logger } from '../base/logger.js';
import type { Lane, Scheduler } from '../base/scheduler.js';
import type { Config } from '../config/schema.js';
import { agentParts, showsDiskOwners } from '../exposition/agent-families.js';
import { knownDiskUse } from '../node/agent-disk.js';
import { type AgentSnapshot, allObjects, type ClusterSnapshot } from '../scrape/snapshot.js';
import { AgentMeasurements } from './pod-measurements.js';

type Agent = Pick<NodeAgent, 'read' | 'disk'>;

interface AgentSlotOptions {
  readonly scheduler: Pick<Scheduler, 'newLane'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: loads the code. */
  readonly load?: typeof loadAgent;
}

/** Has the agent on the node while the settings enable it. Its code is loaded when they first do. */
export class AgentSlot implements Disposable {
  readonly #load: (settings: Config['agent'], signal: AbortSignal) => Promise<Agent>;
  readonly #failures: FailureRun;
  readonly #clock: Clock;
  #settings: Config['agent'] | undefined;
  #parts: ReturnType<typeof agentParts> = new Set();
  #showsDisk = false;
  #agent: Promise<Agent> | undefined;
  #measurements: AgentMeasurements | undefined;
  /** Ends what the agent does in the background. */
  #stop = new AbortController();

  constructor({ scheduler, logger, clock, load = loadAgent }: AgentSlotOptions) {
    const lane = scheduler.newLane();
    this.#load = (settings, signal) => load(settings, { lane, logger, clock }, signal);
    this.#failures = new FailureRun(logger);
    this.#clock = clock;
  }

  /** Replaces the agent, unless it has the same settings. */
  configure({ agent, metrics }: Pick<Config, 'agent' | 'metrics'>): void {
    this.#parts = agentParts(metrics);
    this.#showsDisk = showsDiskOwners(metrics);
    if (isDeepStrictEqual(agent, this.#settings)) return;
    this.#settings = agent;
    this.#stop.abort(notNeeded);
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const loaded = agent.enabled ? this.#load(agent, signal) : undefined;
    loaded?.catch(() => undefined); // each scrape logs it
    this.#agent = loaded;
    const measure: ConstructorParameters<typeof AgentMeasurements>[0]['measure'] = async (pod) =>
      (await loaded)?.disk.podDirectories(pod) ?? [];
    this.#measurements = loaded && new AgentMeasurements({ measure, clock: this.#clock, signal });
  }

  /** Undefined without the agent. */
  get measurements(): AgentMeasurements | undefined {
    return this.#measurements;
  }

  [Symbol.dispose](): void {
    this.#stop.abort(notNeeded);
  }

  /** Adds what the agent reads now. A failure of the agent is logged, and the rest is served. */
  async addTo(snapshot: ClusterSnapshot): Promise<ClusterSnapshot> {
    this.#measurements?.scraped(snapshot);
    return this.#add(snapshot, async (agent) => {
      const read = await agent.read(allObjects(snapshot), this.#parts);
      return { ...read, ...(this.#showsDisk ? diskOf(agent, snapshot) : {}) };
    });
  }

  /** The same of the disk alone, for pages. */
  async addDiskTo(snapshot: ClusterSnapshot): Promise<ClusterSnapshot> {
    return this.#add(snapshot, (agent) => Promise.resolve({ pods: [], ...diskOf(agent, snapshot) }));
  }

  async #add(snapshot: ClusterSnapshot, read: (agent: Agent) => Promise<AgentSnapshot>): Promise<ClusterSnapshot> {
    if (this.#agent === undefined) return snapshot;
    try {
      const agent = await read(await this.#agent);
      this.#failures.ended('the agent on the node reads again', {});
      return { ...snapshot, agent };
    } catch (error) {
      this.#failures.failed('the agent on the node failed', {}, error);
      return snapshot;
    }
  }
}

function diskOf(agent: Agent, { nodes: [view] }: ClusterSnapshot): Pick<AgentSnapshot, 'disk'> {
  return view === undefined ? {} : { disk: agent.disk.owners(knownDiskUse(view)) };
}

async function loadAgent(
  { hostRoot, sampleIntervalMs, directories }: Config['agent'],
  parts: { readonly lane: Lane; readonly logger: Logger; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Agent> {
  const { NodeAgent } = await import('../agent/agent.js');
  const searchPath = process.env['PATH'] ?? '';
  const { budgetShare } = directories;
  return new NodeAgent({ ...parts, hostRoot, sampleIntervalMs, budgetShare, searchPath }, signal);
}
