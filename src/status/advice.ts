import type { AbsenceReason } from '../scrape/snapshot.js';

/** What to do about a node without data, by reason. */
const advices: Readonly<Record<AbsenceReason, string>> = {
  timeout: 'The kubelet does not answer in time: look at the load of the node, and at kubelet.requestTimeout.',
  connection:
    'The kubelet cannot be reached: look at the node, network policies, kubelet.addressTypes and kubelet.port.',
  tls: "The kubelet's certificate is not accepted: set kubelet.tls.caFile or kubelet.tls.serverName.",
  unauthorized:
    'The kubelet does not accept the credentials: look at kubelet.bearerTokenFile and webhook authentication.',
  forbidden: 'The role lacks a right: get on nodes/stats, or on nodes/proxy with kubelet.access: proxy.',
  not_found: 'There is no summary at this address: look at kubelet.port and at what listens there.',
  http_status: "The kubelet answers with an error: look at the kubelet's log.",
  decode: 'What answers gives no summary of this node: look at what listens at its address.',
  too_large: 'The summary is larger than kubelet.maxBodySize: raise it.',
  empty: 'The kubelet knows no pods although some run there: it has just started; else look at its log.',
  not_ready: 'The node has no address or port yet: wait until its kubelet has registered.',
  never: 'The kubelet was not asked yet.',
  no_node: 'The cluster has no such node: look at cluster.node, or NODE_NAME.',
  skipped: 'It is never asked: it matches cluster.skipNodes.',
};

export function adviceFor(reason: AbsenceReason): string {
  return advices[reason];
}
