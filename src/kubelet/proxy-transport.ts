import type { ApiTransport } from '../api/transport.js';
import type { Node } from '../kube/objects.js';
import type { SummaryEndpoint, SummaryTransport } from './transport.js';

/**
 * Through the API server, for clusters whose kubelets cannot be reached. It needs `get` on `nodes/proxy`, which also
 * lets its holder run commands in every container of the node, hence is never the default.
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
 */
export class ProxyTransport implements SummaryTransport {
  readonly #api: ApiTransport;

  constructor({ api }: { readonly api: ApiTransport }) {
    this.#api = api;
  }

  locate({ name }: Node): SummaryEndpoint {
    const path = `/api/v1/nodes/${encodeURIComponent(name)}/proxy/stats/summary`;
    return {
      what: `summary of node ${name} through the API server`,
      open: async (signal) => (await this.#api.open({ path }, signal)).body,
    };
  }
}
