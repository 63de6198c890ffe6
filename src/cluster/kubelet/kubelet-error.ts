import { RequestError } from '../../lib/base/errors.js';
import { oneLine } from '../../lib/base/text.js';
import { type ErrorResponse, rbacHint, reasonForStatus, statusMessage } from '../http/api-error.js';
import type { Node } from '../kube/objects.js';
import type { KubeletPath } from './transport.js';

const maxQuoteLength = 300;

/** What an error of a kubelet is explained by. */
export interface KubeletErrorContext {
  readonly path: KubeletPath;
  readonly node: Pick<Node, 'enforcesStorageLimits'>;
  readonly isApiServerAway: boolean;
}

/** The error for a kubelet's response, whose body is plain text. */
export function kubeletErrorFromResponse(response: ErrorResponse, context: KubeletErrorContext): RequestError {
  const { status, text } = response;
  const message = statusMessage(response, 'the kubelet', oneLine(text, maxQuoteLength));
  const hint = hintFor(status, context);
  const reason = reasonForStatus(status);
  return new RequestError(reason, hint === undefined ? message : `${message}; ${hint}`, { status });
}

function hintFor(status: number, { path, node, isApiServerAway }: KubeletErrorContext): string | undefined {
  if (status === 401) return isApiServerAway ? awayHint : unauthorizedHint;
  if (status === 403) return forbiddenHints[path];
  return status >= 500 && path === '/stats/summary' ? isolationHint(node) : undefined;
}

/**
 * Whether a kubelet with `localStorageCapacityIsolation: false` failed so: it has no statistics of its root filesystem, while a
 * Node that existed before keeps its capacity. The message quotes the kubelet.
 */
export function isIsolationFailure(message: string): boolean {
  return message.includes('failed to get rootFs stats: failed to get rootFs info');
}

/** Why a kubelet may have no summary at all; undefined for one that says nothing of the kind. */
export function isolationHint({ enforcesStorageLimits }: Pick<Node, 'enforcesStorageLimits'>): string | undefined {
  if (enforcesStorageLimits) return undefined;
  return 'the node reports no capacity of ephemeral storage: with localStorageCapacityIsolation: false its kubelet serves no summaries; set it to true, or add a label of the node to cluster.skipNodes';
}

/** Kubelets cache the answers of the API server for two minutes: authentication.webhook.cacheTTL. */
const awayHint =
  'the API server is away, and without it a kubelet cannot check tokens; wait until the API server is back';

const unauthorizedHint =
  'the token or client certificate is missing, invalid or expired, or the kubelet does not accept service account tokens (authentication.webhook.enabled)';

const role = 'its ClusterRole';

/**
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/#kubelet-authorization
 * `nodes/configz`: https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/2862-fine-grained-kubelet-authz
 */
const forbiddenHints: Readonly<Record<KubeletPath, string>> = {
  '/stats/summary': `${rbacHint({ apiGroup: '', resource: 'nodes/stats', verb: 'get' }, role)}; if other nodes answer, check the authorization of this kubelet instead`,
  '/configz': `${rbacHint({ apiGroup: '', resource: 'nodes/configz', verb: 'get' }, role)} (Kubernetes 1.33 or later), or set kubelet.readConfig to false`,
};
