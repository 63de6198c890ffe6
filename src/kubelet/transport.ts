import type { Node } from '../kube/objects.js';

/**
 * All that a kubelet is ever asked for, and what messages call it. Never with `only_cpu_and_memory`, which would leave
 * the storage out.
 */
export const kubeletPaths = { '/stats/summary': 'summary', '/configz': 'configuration' } as const;

export type KubeletPath = keyof typeof kubeletPaths;

/** The way to something of one node's kubelet, found but not used yet. */
export interface KubeletEndpoint {
  /** Begins messages: `summary of node n1 from https://…`. */
  readonly what: string;
  /**
   * One request. Resolves when the headers of a JSON answer with status 200 are there; throws otherwise. The body, not
   * compressed any more, throws when the connection breaks; leaving its loop early closes the connection. The signal
   * ends all of it.
   */
  open(signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
}

export interface KubeletTransport {
  /** @throws RequestError `not_ready` when there is nothing to ask */
  locate(node: Node, path: KubeletPath): KubeletEndpoint;
}
