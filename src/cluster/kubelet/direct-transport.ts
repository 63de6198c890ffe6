import type { Clock } from '../../lib/base/clock.js';
import { HttpClient, type HttpRequest } from '../http/http-client.js';
import type { Node } from '../kube/objects.js';
import { type AddressOptions, kubeletUrl, type Resolve, resolveBySystem, usableLookup } from './address.js';
import { kubeletErrorFromResponse } from './kubelet-error.js';
import { type KubeletEndpoint, type KubeletPath, kubeletPaths, type KubeletTransport } from './transport.js';

export interface DirectTransportOptions extends AddressOptions {
  readonly credentials: ConstructorParameters<typeof HttpClient>[0]['credentials'];
  readonly clock: Clock;
  /** Whether the API server cannot be reached: kubelets ask it who a token belongs to. */
  readonly isApiServerAway: () => boolean;
  readonly maxKeptConnections?: number;
  /** Default: as the system does. */
  readonly resolve?: Resolve;
  /** Of the exporter, for the User-Agent header. */
  readonly version: string;
}

/** A kubelet that refuses new credentials is set up to refuse all. */
const renewalPauseMs = 600_000;

/** Most clusters sign the certificates of kubelets with a separate authority, or not at all. */
const tlsHints = {
  authority: 'set kubelet.tls.caFile to the CA that signed the certificate',
  serverName: 'set kubelet.tls.serverName to a name that the certificate carries',
};

/**
 * Reads from the kubelets themselves, always over TLS: the kubelet's certificate is verified before the first byte of a
 * request, so that nothing else receives a token.
 */
export class DirectTransport implements KubeletTransport, Disposable {
  readonly #addressOptions: AddressOptions;
  readonly #http: HttpClient;
  readonly #isApiServerAway: () => boolean;
  readonly #resolve: Resolve;

  constructor({ addressTypes, port, isApiServerAway, resolve = resolveBySystem, ...options }: DirectTransportOptions) {
    this.#isApiServerAway = isApiServerAway;
    this.#resolve = resolve;
    this.#addressOptions = { addressTypes, port };
    this.#http = new HttpClient({ ...options, protocol: 'https:', tlsHints, renewalPauseMs });
  }

  locate(node: Node, path: KubeletPath): KubeletEndpoint {
    const url = kubeletUrl(node, path, this.#addressOptions);
    const what = `${kubeletPaths[path]} of node ${node.name} from ${url.origin}`;
    const request: HttpRequest = {
      url,
      what,
      lookup: usableLookup(what, this.#resolve),
      expandServerName: (template) => template.replaceAll('{node}', node.name),
      errorFromResponse: (response) =>
        kubeletErrorFromResponse(response, { path, node, isApiServerAway: this.#isApiServerAway() }),
    };
    return { what, open: (signal) => this.#http.open(request, signal) };
  }

  /** Closes idle connections now and the others when their requests end. */
  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]();
  }
}
