import { type FailureReason, RequestError } from '../../lib/base/errors.js';
import type { ApiTransport } from '../http/api-client.js';
import type { Node } from '../kube/objects.js';
import { isolationHint } from './kubelet-error.js';
import { type KubeletPath, kubeletPaths, type KubeletTransport } from './transport.js';

/**
 * Reads from kubelets through the API server, where they cannot be reached directly. It needs `get` on `nodes/proxy`,
 * which also allows running commands in every container of the node, and is therefore never the default.
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
 */
export function proxyTransport(api: ApiTransport): KubeletTransport {
  return {
    locate: (node, path) => {
      const request = { path: `/api/v1/nodes/${encodeURIComponent(node.name)}/proxy${path}` };
      return {
        what: `${kubeletPaths[path]} of node ${node.name} through the API server`,
        open: async (signal) => {
          try {
            return await api.open(request, signal);
          } catch (error) {
            throw error instanceof RequestError ? explained(error, node, path) : error;
          }
        },
      };
    },
  };
}

/** The API server answers 502, 503 or 504 when it cannot reach a kubelet, and says why in the words of Go's libraries. */
function explained(error: RequestError, node: Node, path: KubeletPath): RequestError {
  const { message, status = 0 } = error;
  if (error.reason !== 'http_status' || status < 500) return error;
  const reason = proxyReasons.find(([, pattern]) => pattern.test(message))?.[0] ?? error.reason;
  const hint = reason === 'http_status' && path === '/stats/summary' ? isolationHint(node) : undefined;
  return new RequestError(reason, hint === undefined ? message : `${message}; ${hint}`, { cause: error, status });
}

/** The first one that matches: a failed handshake also names the address that was dialled. */
const proxyReasons: readonly (readonly [FailureReason, RegExp])[] = [
  ['tls', /\bx509: |\btls: |remote error: tls|first record does not look like a TLS handshake/],
  ['connection', /\bdial tcp\b|connection refused|connection reset|no route to host|no such host|broken pipe|\bEOF\b/],
  ['timeout', /i\/o timeout|context deadline exceeded|Client\.Timeout|TLS handshake timeout/],
];
