import type { Node } from '../kube/objects.js';

/**
 * The paths that are read from a kubelet, and their names in messages. Never with `only_cpu_and_memory`, which leaves out
 * storage.
 */
export const kubeletPaths = { '/stats/summary': 'summary', '/configz': 'configuration' } as const;

export type KubeletPath = keyof typeof kubeletPaths;

export interface KubeletTransport {
  /**
   * How one path of one node's kubelet is reached.
   * @throws RequestError `not_ready` when the node has no usable address or port
   */
  locate(
    node: Node,
    path: KubeletPath,
  ): {
    /** Begins messages: `summary of node n1 from https://…`. */
    readonly what: string;
    /**
     * Sends a GET and resolves with the decompressed body when the headers of a JSON response with status 200 are there.
     * Throws RequestError, or the signal's reason when it aborts. The signal ends the body too; leaving the loop over the
     * body early closes the connection.
     */
    readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Buffer>>;
  };
}
