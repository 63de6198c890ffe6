import { RequestError } from '../base/errors.js';
import { oneLine } from '../base/text.js';
import { type ErrorResponse, rbacHint, reasonForStatus, statusMessage } from '../http/error-response.js';
import type { KubeletPath } from './transport.js';

const maxQuoteLength = 300;

/** The error for a kubelet's response, whose body is plain text. */
export function kubeletErrorFromResponse(response: ErrorResponse, path: KubeletPath): RequestError {
  const { status, text } = response;
  const message = statusMessage(response, 'the kubelet', oneLine(text, maxQuoteLength));
  const hint = hintFor(status, path);
  const reason = reasonForStatus(status);
  return new RequestError(reason, hint === undefined ? message : `${message}; ${hint}`, { status });
}

function hintFor(status: number, path: KubeletPath): string | undefined {
  if (status === 401) return unauthorizedHint;
  return status === 403 ? forbiddenHints[path] : undefined;
}

const unauthorizedHint =
  'the token or client certificate is missing, invalid or expired, or the kubelet does not accept service account tokens (authentication.webhook.enabled)';

const role = 'its ClusterRole';

/**
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/#kubelet-authorization
 * `nodes/configz`: https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/2862-fine-grained-kubelet-authz
 */
const forbiddenHints: Readonly<Record<KubeletPath, string>> = {
  '/stats/summary': rbacHint({ apiGroup: '', resource: 'nodes/stats', verb: 'get' }, role),
  '/configz': `${rbacHint({ apiGroup: '', resource: 'nodes/configz', verb: 'get' }, role)} (Kubernetes 1.33 or later), or set kubelet.readConfig to false`,
};
