/** How many connections to kubelets there may be: those of requests, and those that are kept for later requests. */
export interface ConnectionBudget {
  readonly maxConcurrentRequests: number;
  readonly maxKeptConnections: number;
  /** Open files with which all connections to `nodeCount` kubelets can be kept. */
  readonly neededOpenFiles: (nodeCount: number) => number;
}

/** For all else: modules, watches, up to 50 connections of clients and those that are about to be closed. */
const otherOpenFileCount = 100;

const leastConcurrentRequests = 4;

/**
 * Within a limit of open files, since connections that are kept to some kubelets would shut out the others and clients.
 * Connections beyond it are closed after their request, which costs a TLS handshake each time.
 */
export function connectionBudget(configuredRequests: number, openFileLimit = Infinity): ConnectionBudget {
  const available = Math.max(0, openFileLimit - otherOpenFileCount);
  const least = Math.min(leastConcurrentRequests, configuredRequests);
  const maxConcurrentRequests = Math.max(least, Math.min(configuredRequests, Math.floor(available / 2)));
  return {
    maxConcurrentRequests,
    maxKeptConnections: Math.max(0, available - maxConcurrentRequests),
    neededOpenFiles: (nodeCount) => otherOpenFileCount + configuredRequests + nodeCount,
  };
}
