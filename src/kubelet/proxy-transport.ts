import type { ApiTransport } from '../http/api-transport.js';
import type { Node } from '../kube/objects.js';
import { type KubeletEndpoint, type KubeletPath, kubeletPaths, type KubeletTransport } from './transport.js';

/**
 * Through the API server, for clusters whose kubelets cannot be reached. It needs `get` on `nodes/proxy`, which also
 * lets its holder run commands in every container of the node, hence is never the default.
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
      open: async (signal) => (await this.#api.open(request, signal)).body,
    };
  }
}
