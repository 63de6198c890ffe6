import { isDeepStrictEqual } from 'node:util';

import type { NodeAgent } from '../../agent/agent.js';
import type { Config } from '../../config/schema.js';
import { entryFinder } from '../../facts/node/join.js';
import type { BoundPod } from '../../facts/node/pod-record.js';
import { allObjects, type ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import { notNeeded } from '../../lib/base/abortable.js';
import { FailureRun } from '../../lib/base/logger.js';
import { agentParts } from '../../metrics/exposition/agent-families.js';
import type { ProcessParts } from './cluster-place.js';
import type { Host } from './resolve-scope.js';

type Agent = Pick<NodeAgent, 'read'>;

/** Has the agent on the node while the settings enable it. Its code is loaded when they first do. */
export class AgentSlot implements Disposable {
  readonly #load: (settings: Config['agent'], signal: AbortSignal) => Promise<Agent>;
  readonly #failures: FailureRun;
  #settings: Config['agent'] | undefined;
  #parts: ReturnType<typeof agentParts> = new Set();
  #agent: Promise<Agent> | undefined;
  /** Ends what the agent does in the background. */
  #stop = new AbortController();

  /** `load`: loads the code. */
  constructor({
    scheduler,
    logger,
    clock,
    host,
    load = loadAgent,
  }: Pick<ProcessParts, 'scheduler' | 'clock' | 'logger'> & {
    readonly host?: Pick<Host, 'cgroupFolder'>;
    readonly load?: typeof loadAgent;
  }) {
    const lane = scheduler.newLane();
    this.#load = ({ sampleIntervalMs }, signal) => load({ ...host, lane, logger, clock, sampleIntervalMs }, signal);
    this.#failures = new FailureRun(logger);
  }

  /** Replaces the agent, unless it has the same settings. */
  configure({ agent, metrics }: Pick<Config, 'agent' | 'metrics'>): void {
    this.#parts = agentParts(metrics);
    if (isDeepStrictEqual(agent, this.#settings)) return;
    this.#settings = agent;
    this.#stop.abort(notNeeded);
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const loaded = agent.enabled ? this.#load(agent, signal) : undefined;
    loaded?.catch(() => undefined); // each scrape logs it
    this.#agent = loaded;
  }

  [Symbol.dispose](): void {
    this.#stop.abort(notNeeded);
  }

  /** Adds what the agent reads now. A failure of the agent is logged, and the rest is served. */
  async addTo(snapshot: ClusterSnapshot): Promise<ClusterSnapshot> {
    if (this.#agent === undefined) return snapshot;
    try {
      const agent = await (await this.#agent).read(allObjects(withoutForged(snapshot)), this.#parts);
      this.#failures.ended('the agent on the node reads again', {});
      return { ...snapshot, agent };
    } catch (error) {
      this.#failures.failed('the agent on the node failed', {}, error);
      return snapshot;
    }
  }
}

/** Without pods whose UID is written by their author, unless the kubelet reports them under it. */
function withoutForged(snapshot: ClusterSnapshot): ClusterSnapshot {
  const nodes = snapshot.nodes.map((view) => {
    const { objects } = view;
    if (objects === undefined) return view;
    const find = entryFinder(view.state === 'absent' ? { pods: [] } : view.snapshot.summary);
    const isBelieved = ({ pod }: BoundPod): boolean => pod.kubeletUid === pod.uid || find(pod) !== undefined;
    return {
      ...view,
      objects: { ...objects, pods: objects.pods.filter(isBelieved), formerPods: objects.formerPods.filter(isBelieved) },
    };
  }) as ClusterSnapshot['nodes'];
  return { ...snapshot, nodes };
}

async function loadAgent(...options: ConstructorParameters<typeof NodeAgent>): Promise<Agent> {
  const agent = await import('../../agent/agent.js');
  return new agent.NodeAgent(...options);
}
