import { Child } from './child.js';
import type { ClusterAccess, ClusterCounts, ClusterRequest } from './cluster/protocol.js';
import type { Shape } from './shapes.js';

/** The simulated cluster in a process of its own. */
export class BenchCluster implements AsyncDisposable {
  readonly access: ClusterAccess;
  readonly #child: Child<ClusterRequest>;

  private constructor(child: Child<ClusterRequest>, access: ClusterAccess) {
    this.#child = child;
    this.access = access;
  }

  static async start({ nodeCount, podsPerNode }: Shape): Promise<BenchCluster> {
    const child = Child.fork<ClusterRequest>(import.meta.url, 'cluster/cluster-process.ts', [
      '--max-old-space-size=6144',
    ]);
    return new BenchCluster(child, await child.ask({ do: 'start', shape: { nodeCount, podsPerNode } }));
  }

  async setChurn(podsPerMinute: number): Promise<void> {
    await this.#child.ask({ do: 'churn', podsPerMinute });
  }

  /** Changes a label of so many pods, spread over the nodes. */
  async modifyPods(count: number): Promise<void> {
    await this.#child.ask({ do: 'modify', count });
  }

  /** Whether lists are served in pages only. */
  async setPages(isPaged: boolean): Promise<void> {
    await this.#child.ask({ do: 'pages', isPaged });
  }

  /** Replaces the faults before. */
  async setFaults(faults: { readonly failCount: number; readonly hangCount: number }): Promise<void> {
    await this.#child.ask({ do: 'faults', ...faults });
  }

  async counts(): Promise<ClusterCounts> {
    return this.#child.ask({ do: 'counts', reset: false });
  }

  async resetCounts(): Promise<void> {
    await this.#child.ask({ do: 'counts', reset: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }
}
