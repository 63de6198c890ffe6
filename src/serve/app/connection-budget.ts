import type { Logger } from '../../lib/base/logger.js';
import { openFileHint } from '../../lib/base/open-files.js';

/** How the open files of the process are divided. The sum of all parts is within the limit, from 64 on. */
export interface ConnectionBudget {
  /** Connections that clients have open to all listeners. */
  readonly maxReaderConnections: number;
  /** Requests to kubelets at a time, each with a connection. */
  readonly maxConcurrentRequests: number;
  /** Connections to kubelets that are kept for later requests. */
  readonly maxKeptConnections: number;
  /** Open files with which the connections to `nodeCount` kubelets are kept, as far as they ever are. */
  readonly neededOpenFiles: (nodeCount: number) => number;
}

/** For all else: Node.js itself (about 20), watches, reviews of tokens, files that are read, names that are looked up. */
const other = { maxCount: 100, maxShare: 0.6 } as const;

const mostReaderConnections = 400;
const leastConcurrentRequests = 4;
/** Each takes 90 kB of memory. A request over a new one, which resumes the TLS session, takes 0.8 ms of CPU more. */
const mostKeptConnections = 1_024;

/** Half of what the process itself leaves, since at the limit the system neither accepts nor opens any connection. */
export function maxReaderConnections(openFileLimit: number | undefined): number {
  return Math.min(mostReaderConnections, Math.floor(availableFiles(openFileLimit) / 2));
}

/** Connections to kubelets beyond the budget are closed after their request. */
export function connectionBudget(
  { maxConcurrentRequests: configuredRequests }: Pick<ConnectionBudget, 'maxConcurrentRequests'>,
  openFileLimit?: number,
): ConnectionBudget {
  const forReaders = maxReaderConnections(openFileLimit);
  const forKubelets = availableFiles(openFileLimit) - forReaders;
  const least = Math.min(leastConcurrentRequests, configuredRequests);
  const maxConcurrentRequests = Math.max(least, Math.min(configuredRequests, Math.floor(forKubelets / 2)));
  return {
    maxReaderConnections: forReaders,
    maxConcurrentRequests,
    maxKeptConnections: Math.min(mostKeptConnections, Math.max(0, forKubelets - maxConcurrentRequests)),
    neededOpenFiles: (nodeCount) => {
      const needed = configuredRequests + Math.min(nodeCount, mostKeptConnections);
      return other.maxCount + needed + Math.min(mostReaderConnections, needed);
    },
  };
}

/** For a limit that allows fewer connections than the exporter would use. */
export function warnOfOpenFileLimit(
  { neededOpenFiles, ...parts }: ConnectionBudget,
  nodeCount: number,
  { openFileLimit, logger }: { readonly openFileLimit?: number | undefined; readonly logger: Logger },
): void {
  const needed = neededOpenFiles(nodeCount);
  if (openFileLimit === undefined || openFileLimit >= needed) return;
  const fields = { openFileLimit, needed, nodeCount, ...parts };
  logger.warn(`the limit of open files is too low for the connections of the exporter: ${openFileHint}`, fields);
}

function availableFiles(openFileLimit = Infinity): number {
  return openFileLimit - Math.min(other.maxCount, Math.ceil(openFileLimit * other.maxShare));
}
