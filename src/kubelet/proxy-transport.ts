import type { ApiTransport } from '../http/api-client.js';
import type { Node } from '../kube/objects.js';
import { type KubeletEndpoint, type KubeletPath, kubeletPaths, type KubeletTransport } from './transport.js';

/**
 * Reads from kubelets through the API server, where they cannot be reached directly. It needs `get` on `nodes/proxy`,
 * which also allows running commands in every container of the node, and is therefore never the default.
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
 */
export class ProxyTransport implements KubeletTransport {
  readonly #api: ApiTransport;

  constructor({ api }: { readonly api: ApiTransport }) {
    this.#api = api;
  }

  locate({ name }: Node, path: KubeletPath): KubeletEndpoint {
    const request = { path: `/api/v1/nodes/${encodeURIComponent(name)}/proxy${path}` };
    return {
      what: `${kubeletPaths[path]} of node ${name} through the API server`,
      open: (signal) => this.#api.open(request, signal),
    };
  }
}
