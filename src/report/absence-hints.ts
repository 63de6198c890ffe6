import type { AbsenceReason } from '../scrape/snapshot.js';

/** How to fix a node without data, by reason. */
const hints: Readonly<Record<AbsenceReason, string>> = {
  timeout: 'The kubelet does not answer in time. Check the load of the node and kubelet.requestTimeout.',
  connection: 'The kubelet cannot be reached. Check the node, network policies, kubelet.addressTypes and kubelet.port.',
  tls: "The kubelet's certificate is not trusted. Set kubelet.tls.caFile or kubelet.tls.serverName.",
  unauthorized:
    'The kubelet does not accept the credentials. While the API server is away, kubelets cannot check tokens. Otherwise check kubelet.bearerTokenFile and webhook authentication.',
  forbidden: 'The role lacks a permission: get on nodes/stats, or on nodes/proxy with kubelet.access: proxy.',
  not_found: 'No summary at this address. Check kubelet.port and what listens there.',
  http_status:
    "The kubelet answers with an error. Check the kubelet's log. With localStorageCapacityIsolation: false it serves no summaries.",
  decode: 'The answer is not a summary of this node. Check what listens at its address.',
  too_large:
    'The summary is larger than kubelet.maxBodySize, or lists more than a node can have; the log names the limit. Raise the setting, or check what listens at the address of the node.',
  empty:
    'The summary lists no pods although pods run on the node. The kubelet may have just started; otherwise check its log.',
  not_ready: 'The node has no address or port yet. Wait until its kubelet has registered.',
  never: 'The kubelet has not been scraped yet.',
  no_node: 'The cluster has no such node. Check cluster.node or NODE_NAME.',
  skipped: 'The node matches cluster.skipNodes and is never scraped.',
};

export function hintFor(reason: AbsenceReason): string {
  return hints[reason];
}
