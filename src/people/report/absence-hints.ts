import type { AbsenceReason } from '../../facts/node/node-view.js';

type FailureMessage = Readonly<Record<'message', string>>;

const redirectMessage = 'redirects are not followed';

/** How to fix a node without data, by reason. */
const hints: Readonly<Record<AbsenceReason, string>> = {
  timeout: 'The kubelet does not answer in time. Check the load of the node and kubelet.requestTimeout.',
  connection: 'The kubelet cannot be reached. Check the node, network policies, kubelet.addressTypes and kubelet.port.',
  tls: "The kubelet's certificate is not trusted. Set kubelet.tls.caFile or kubelet.tls.serverName.",
  unauthorized:
    'The kubelet does not accept the credentials. Check kubelet.bearerTokenFile and webhook authentication.',
  forbidden:
    'The role lacks get on nodes/stats (nodes/proxy with kubelet.access: proxy) where no node answers; otherwise check the authorization of the kubelet and its log.',
  not_found:
    'Virtual nodes serve no summaries: add a label of them to cluster.skipNodes. Otherwise check kubelet.port and what listens there.',
  http_status:
    "The kubelet answers with an error. Check the kubelet's log. With localStorageCapacityIsolation: false it serves no summaries.",
  decode: 'The answer is not a summary of this node. Check what listens at its address.',
  too_large:
    'The summary is larger than kubelet.maxBodySize, or lists more than a node can have; the log names the limit. Raise the setting, or check what listens at the address of the node.',
  open_files:
    'The exporter may not open more files and connections. Raise its limit: ulimit -n, or LimitNOFILE of systemd or containerd.',
  no_storage_stats:
    'What answers measures no storage, as virtual nodes do: add a label of them to cluster.skipNodes, such as liqo.io/type=virtual-node.',
  empty: 'Pods run on the node. Check the log of the kubelet, unless it has just started.',
  not_ready: 'The node has no address or port yet. Wait until its kubelet has registered.',
  never: 'The kubelet has not been scraped yet, or not since its data expired.',
  no_node: 'The cluster has no such node. Check --node or NODE_NAME.',
  internal_error: 'An error in the exporter, which its log names. Report it with the summary of the node.',
  skipped: 'The node matches cluster.skipNodes and is never scraped.',
};

/** Reasons with several causes, by the message of the failure; the reason's own hint is for the others. */
const hintsByMessage: Partial<Readonly<Record<AbsenceReason, readonly (readonly [message: RegExp, hint: string])[]>>> =
  {
    tls: [
      [
        /certificate has expired/,
        'The certificate of the kubelet has expired. Renew it on the node: look for pending requests with kubectl get csr, and check rotateCertificates and serverTLSBootstrap of the kubelet.',
      ],
      [
        /not yet valid/,
        'The certificate of the kubelet is not valid yet. Check the clocks of the node and of the exporter.',
      ],
      [/altnames|HOSTNAME_MISMATCH/, "The kubelet's certificate has another name. Set kubelet.tls.serverName."],
    ],
    connection: [
      [
        /ECONNRESET|EPIPE|PREMATURE_CLOSE|socket hang up|aborted/,
        "The connection ended before the answer was complete. Check the kubelet's log, and what is between it and the exporter.",
      ],
    ],
    http_status: [
      [
        new RegExp(redirectMessage),
        'What listens at the address of the node redirects requests, and redirects are not followed. Check kubelet.port and proxies before the kubelet.',
      ],
    ],
  };

function ownHint(reason: AbsenceReason, failure: FailureMessage | undefined): string {
  const found = hintsByMessage[reason]?.find(([pattern]) => failure !== undefined && pattern.test(failure.message));
  return found?.[1] ?? hints[reason];
}

/** Why a node has no data, in words for a headline: true of all causes of the reason. */
export const absenceNames: Readonly<Record<AbsenceReason, string>> = {
  timeout: 'no answer in time',
  connection: 'connection failed',
  tls: 'certificate not accepted',
  unauthorized: 'credentials not accepted',
  forbidden: 'permission denied',
  not_found: 'no summary at its address',
  http_status: 'unexpected HTTP status',
  decode: 'unexpected answer',
  too_large: 'summary too large',
  open_files: 'too many open files',
  no_storage_stats: 'summary without storage',
  empty: 'summary without pods',
  not_ready: 'no address yet',
  never: 'not scraped yet',
  no_node: 'not in the cluster',
  internal_error: 'error in the exporter',
  skipped: 'never scraped',
};

/** A machine outside the cluster often cannot reach the nodes, or the kubelets do not accept its credentials. */
export const unreachableReasons: ReadonlySet<AbsenceReason> = new Set([
  'timeout',
  'connection',
  'tls',
  'unauthorized',
  'never',
]);

/** Of the API server, as far as lists and watches show, and whether kubelets are reached through it. */
export interface ApiServerState {
  readonly isAway: boolean;
  readonly access: 'direct' | 'proxy';
}

/** What its being away does to requests to kubelets. */
const awayEffects: Readonly<
  Record<ApiServerState['access'], { readonly reasons: ReadonlySet<AbsenceReason>; readonly hint: string }>
> = {
  direct: {
    reasons: new Set(['unauthorized']),
    hint: 'Without the API server, kubelets cannot check tokens. Wait until it is back.',
  },
  proxy: {
    reasons: new Set(['connection', 'timeout', 'http_status']),
    hint: 'Kubelets are reached through the API server, which is away. Wait until it is back.',
  },
};

/** Whether the node has no data because the API server is away. */
export function isOfApiServer(reason: AbsenceReason, { isAway, access }: ApiServerState): boolean {
  return isAway && awayEffects[access].reasons.has(reason);
}

/** Returns whether a node without data may have some in a moment: its last request did not fail. */
export function isAwaitedNode(reason: AbsenceReason, failure: object | undefined): boolean {
  return failure === undefined && (reason === 'timeout' || reason === 'never');
}

const awaitedHint = 'The kubelet has not responded yet: the next answer may have it.';

/** Returns what to do about one node. `failure`: of its last request; `apiServer`: undefined where it has just responded. */
export function nodeHint(
  reason: AbsenceReason,
  failure: FailureMessage | undefined,
  apiServer?: ApiServerState,
): string {
  if (apiServer !== undefined && isOfApiServer(reason, apiServer)) return awayEffects[apiServer.access].hint;
  return isAwaitedNode(reason, failure) ? awaitedHint : ownHint(reason, failure);
}

/** Returns whether the log of a kubelet may have more of why its node has no data. */
export function isInKubeletLog(reason: AbsenceReason, failure: FailureMessage | undefined): boolean {
  return kubeletReasons.has(reason) && failure?.message.includes(redirectMessage) !== true;
}

const kubeletReasons: ReadonlySet<AbsenceReason> = new Set(['timeout', 'connection', 'http_status', 'empty']);
