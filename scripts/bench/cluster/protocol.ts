import type { Shape } from '../shapes.js';
import type { KubeletCounts } from './kubelets.js';

/** What the process of the simulated cluster is asked for. Each message has one answer. */
export type ClusterRequest =
  | { readonly do: 'start'; readonly shape: Pick<Shape, 'nodeCount' | 'podsPerNode'> }
  /** Pods that are replaced in a minute, from now on. */
  | { readonly do: 'churn'; readonly podsPerMinute: number }
  /** Changes a label of so many pods at once. The answer comes when all watches have been sent their events. */
  | { readonly do: 'modify'; readonly count: number }
  /** Whether lists of any state but the newest, which need no pages, are refused. */
  | { readonly do: 'pages'; readonly isPaged: boolean }
  | { readonly do: 'faults'; readonly failCount: number; readonly hangCount: number }
  | { readonly do: 'counts'; readonly reset: boolean };

export interface ClusterAccess {
  readonly server: string;
  readonly caPem: string;
}

export interface ClusterCounts extends KubeletCounts {
  readonly apiRequests: Readonly<Record<string, number>>;
  /** CPU time of the process of the cluster, in milliseconds. */
  readonly cpuMs: number;
}
