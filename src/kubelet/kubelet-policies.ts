import { isDeepStrictEqual } from 'node:util';

import { Semaphore } from 'async-mutex';

import type { Clock } from '../base/clock.js';
import { RequestError } from '../base/errors.js';
import type { Gate } from '../base/gate.js';
import type { Logger } from '../base/logger.js';
import { isNodeName } from '../kube/node-name.js';
import type { RequestPolicy } from './cached-request.js';
import { FailureLog } from './failure-log.js';
import type { KubeletConfiguration } from './kubelet-configuration.js';
import type { NodeSummary } from './summary.js';

export interface KubeletPolicyOptions {
  /** In milliseconds. 0 disables caching of summaries: overlapping callers still share a request. */
  readonly ttlMs: number;
  /** Requests for summaries in flight, over all nodes; at least 1. */
  readonly maxConcurrentRequests: number;
  /** Closed while no request is to begin. Default: always open. */
  readonly requestGate?: Pick<Gate, 'holds' | 'passed'> | undefined;
  /** See {@link RequestPolicy.reach}. */
  readonly reach?: object | undefined;
  readonly fetchSummary: RequestPolicy<NodeSummary>['fetch'];
  /** Undefined: configurations are not read. */
  readonly fetchConfiguration: RequestPolicy<KubeletConfiguration>['fetch'] | undefined;
  /**
   * Whether pods have run on the node for so long that a summary without any pod cannot be right. Undefined when only pods may
   * that are not read: the summaries of the node decide then.
   */
  readonly expectsPods: (nodeName: string) => boolean | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Of summaries that are marked as out of date: in a cluster of thousands of nodes pods come and go on all of them all the time,
 * and a request for each node in every `nearTtlMs` would take more than a core.
 */
export const markLimit = { intervalMs: 100, burst: 100 };

/** Where the gate of requests is closed again and again, they go on after it. */
export const maxPauseMs = 10_000;

/** A kubelet reads its configuration when it starts, so it rarely changes. */
export const configurationGateMs = 600_000;

/** These are not counted among the requests for summaries, which therefore never wait for them. */
const maxConcurrentConfigurationRequests = 4;

type SummariesBefore = Parameters<Required<RequestPolicy<NodeSummary>>['check']>[2];

/** Of requests for summaries. */
export function summaryPolicy(options: KubeletPolicyOptions): RequestPolicy<NodeSummary> {
  const { ttlMs, maxConcurrentRequests, requestGate, reach, fetchSummary, expectsPods, clock, logger } = options;
  return {
    what: 'summary',
    gateMs: ttlMs,
    slots: new Semaphore(maxConcurrentRequests),
    slotsOfHanging: new Semaphore(Math.max(1, Math.floor(maxConcurrentRequests / 4))),
    reach,
    pause: requestGate && (() => requestGate.passed(maxPauseMs)),
    fetch: fetchSummary,
    check: (node, { nodeName, pods }, before) => {
      if (nodeName !== node.name) throw otherNodeError(node.name, nodeName);
      const isExpected = pods.length === 0 ? expectsPods(node.name) : false;
      if (isExpected === true) throw emptyError(node.name, 'according to the API server pods run there');
      if (isExpected === undefined && isSudden(before)) throw emptyError(node.name, 'the one before lists some');
    },
    log: new FailureLog({
      failed: { one: 'failed to scrape kubelet', many: 'failed to scrape kubelets' },
      recovered: { one: 'kubelet scrape recovered', many: 'kubelet scrapes recovered' },
      clock,
      logger,
    }),
    logLevel: 'warn',
    clock,
  };
}

/** Of requests for configurations; undefined when they are not read. */
export function configurationPolicy(options: KubeletPolicyOptions): RequestPolicy<KubeletConfiguration> | undefined {
  const { reach, fetchConfiguration, clock, logger } = options;
  return (
    fetchConfiguration && {
      what: 'configuration',
      gateMs: configurationGateMs,
      slots: new Semaphore(maxConcurrentConfigurationRequests),
      reach,
      fetch: fetchConfiguration,
      isEqual: isDeepStrictEqual,
      log: new FailureLog({
        failed: { one: 'failed to read kubelet configuration', many: 'failed to read kubelet configurations' },
        recovered: {
          one: 'kubelet configuration is readable again',
          many: 'kubelet configurations are readable again',
        },
        clock,
        logger,
      }),
      logLevel: 'info',
      clock,
    }
  );
}

/**
 * Makes the error for a kubelet of another node: the address may have passed to another machine, with other values. Its name
 * is quoted only if it is one: a server may repeat credentials.
 */
function otherNodeError(nodeName: string, otherName: string): RequestError {
  const other = isNodeName(otherName)
    ? `node ${otherName}`
    : `a node whose name is no DNS name (${otherName.length} characters)`;
  const message = `the kubelet at the address of node ${nodeName} identifies itself as ${other}`;
  return new RequestError('decode', `${message}; the node object lags behind, or its kubelet runs under another name`);
}

/** Whether a summary without pods follows one with pods; the second one in a row confirms the first. */
function isSudden({ success, failure }: SummariesBefore): boolean {
  return success !== undefined && success.value.pods.length > 0 && failure?.reason !== 'empty';
}

/** A kubelet that has just started knows no pods yet: accepted as a success, it would turn totals to zero. */
function emptyError(nodeName: string, contradiction: string): RequestError {
  const message = `the summary of node ${nodeName} lists no pod, but ${contradiction}`;
  return new RequestError('empty', `${message}; expected for a short time after a restart of the kubelet`);
}
