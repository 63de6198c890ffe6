import { isDeepStrictEqual } from 'node:util';

import { Semaphore } from 'async-mutex';

import type { Clock } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { isDnsName } from '../kube/selector-parser.js';
import type { RequestPolicy } from './cached-request.js';
import { FailureLog } from './failure-log.js';
import type { KubeletConfiguration } from './kubelet-configuration.js';
import type { NodeSummary, PodSummary } from './summary.js';

/** How kubelets are asked, by the settings in force. */
export interface KubeletPolicy {
  /** In milliseconds. 0 disables caching of summaries: overlapping callers still share a request. */
  readonly ttlMs: number;
  /** The TTL of nodes that may soon evict a pod, or whose summary is out of date, at most `ttlMs`, in milliseconds. 0: the same. */
  readonly nearTtlMs: number;
  /** Requests for summaries in flight, over all nodes; at least 1. */
  readonly maxConcurrentRequests: number;
  readonly fetchSummary: RequestPolicy<NodeSummary>['fetch'];
  /** Undefined: configurations are not read. */
  readonly fetchConfiguration: RequestPolicy<KubeletConfiguration>['fetch'] | undefined;
  /**
   * Whether pods have run on the node for so long that a summary without any pod cannot be right. Undefined when only pods may
   * that are not read: the summaries of the node decide then.
   */
  readonly expectsPods: (nodeName: string) => boolean | undefined;
  /** Called with each node that becomes one of those that may soon evict a pod. */
  readonly onNearNode?: (nodeName: string) => void;
  /** Called with each summary that arrives; {@link KubeletCache.markOutdated} then marks this one. */
  readonly onSummary?: (nodeName: string, summary: NodeSummary) => void;
}

/**
 * Of summaries that are marked as out of date: in a cluster of thousands of nodes pods come and go on all of them all the time,
 * and a request for each node in every `nearTtlMs` would take more than a core.
 */
export const markLimit = { intervalMs: 100, burst: 100 };

/** A kubelet reads its configuration when it starts, so it rarely changes. */
export const configurationGateMs = 600_000;

/** These are not counted among the requests for summaries, which therefore never wait for them. */
const maxConcurrentConfigurationRequests = 4;

/** One for each kind of request, under all settings. */
export function failureLogs(options: { readonly clock: Clock; readonly logger: Logger }) {
  return {
    summary: new FailureLog({
      failed: ['failed to scrape kubelet', 'failed to scrape kubelets'],
      recovered: ['kubelet scrape recovered', 'kubelet scrapes recovered'],
      ...options,
    }),
    configuration: new FailureLog({
      failed: ['failed to read kubelet configuration', 'failed to read kubelet configurations'],
      recovered: ['kubelet configuration is readable again', 'kubelet configurations are readable again'],
      ...options,
    }),
  };
}

type RequestContext = Pick<RequestPolicy<unknown>, 'lane' | 'clock' | 'log'>;

export function summaryPolicy(policy: KubeletPolicy, context: RequestContext): RequestPolicy<NodeSummary> {
  const { ttlMs, maxConcurrentRequests, fetchSummary, expectsPods } = policy;
  return {
    ...context,
    what: 'summary',
    gateMs: ttlMs,
    slots: new Semaphore(maxConcurrentRequests),
    slotsOfHanging: new Semaphore(Math.max(1, Math.floor(maxConcurrentRequests / 4))),
    fetch: fetchSummary,
    check: (node, summary, before) => {
      const { nodeName, pods } = summary;
      if (nodeName !== node.name) throw otherNodeError(node.name, nodeName);
      if (!hasStorage(summary)) throw noStorageError(node.name);
      const isExpected = pods.length === 0 ? expectsPods(node.name) : false;
      if (isExpected === true) throw emptyError(node.name, 'according to the API server pods run there');
      if (isExpected === undefined && isSudden(before)) throw emptyError(node.name, 'the one before lists some');
    },
    logLevel: 'warn',
  };
}

/** Returns undefined when configurations are not read. */
export function configurationPolicy(
  { fetchConfiguration }: KubeletPolicy,
  context: RequestContext,
): RequestPolicy<KubeletConfiguration> | undefined {
  return (
    fetchConfiguration && {
      ...context,
      what: 'configuration',
      gateMs: configurationGateMs,
      slots: new Semaphore(maxConcurrentConfigurationRequests),
      fetch: fetchConfiguration,
      isEqual: isDeepStrictEqual,
      logLevel: 'info',
    }
  );
}

/**
 * Makes the error for a kubelet of another node: the address may have passed to another machine, with other values. Its name
 * is quoted only if it is one: a server may repeat credentials.
 */
function otherNodeError(nodeName: string, otherName: string): RequestError {
  const other = isDnsName(otherName)
    ? `node ${otherName}`
    : `a node whose name is no DNS name (${otherName.length} characters)`;
  const message = `the kubelet at the address of node ${nodeName} identifies itself as ${other}`;
  return new RequestError('decode', `${message}; the node object lags behind, or its kubelet runs under another name`);
}

function noStorageError(nodeName: string): RequestError {
  const message = `the summary of node ${nodeName} has no values of storage, which every kubelet has`;
  return new RequestError('no_storage_stats', `${message}; add a label of virtual nodes to cluster.skipNodes`);
}

/** Whether a summary without pods follows one with pods; the second one in a row confirms the first. */
function isSudden({ success, failure }: Parameters<Required<RequestPolicy<NodeSummary>>['check']>[2]): boolean {
  return success !== undefined && success.value.pods.length > 0 && failure?.reason !== 'empty';
}

/** A kubelet that has just started knows no pods yet: accepted as a success, it would turn totals to zero. */
function emptyError(nodeName: string, contradiction: string): RequestError {
  const message = `the summary of node ${nodeName} lists no pod, but ${contradiction}`;
  return new RequestError('empty', `${message}; expected for a short time after a restart of the kubelet`);
}

/** Every kubelet measures its own filesystem, or says of a pod what it uses; others know times, names and images at most. */
export function hasStorage({ nodefs, pods, saturatedCount }: NodeSummary): boolean {
  const figures = { ...nodefs, timeMs: undefined };
  const isKnown = (figure: number | undefined): boolean => figure !== undefined;
  return saturatedCount > 0 || Object.values(figures).some(isKnown) || pods.some(measuresStorage);
}

function measuresStorage({ usedBytes, containers, volumes = [] }: PodSummary): boolean {
  const parts = [...containers.flatMap(({ rootfs, logs }) => [rootfs, logs]), ...volumes];
  return usedBytes !== undefined || parts.some((part) => part?.usedBytes !== undefined);
}
