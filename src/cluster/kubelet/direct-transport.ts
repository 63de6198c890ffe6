import type { Clock } from '../../lib/base/clock.js';
import { HttpClient, type HttpRequest } from '../http/http-client.js';
import { type AddressOptions, kubeletUrl, type Resolve, resolveBySystem, usableLookup } from './address.js';
import { kubeletErrorFromResponse } from './kubelet-error.js';
import { kubeletPaths, type KubeletTransport } from './transport.js';

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
export function directTransport({
  addressTypes,
  port,
  isApiServerAway,
  resolve = resolveBySystem,
  ...options
}: DirectTransportOptions): KubeletTransport & Disposable {
  const http = new HttpClient({ ...options, protocol: 'https:', tlsHints, renewalPauseMs });
  return {
    locate: (node, path) => {
      const url = kubeletUrl(node, path, { addressTypes, port });
      const what = `${kubeletPaths[path]} of node ${node.name} from ${url.origin}`;
      const request: HttpRequest = {
        url,
        what,
        lookup: usableLookup(what, resolve),
        expandServerName: (template) => template.replaceAll('{node}', node.name),
        errorFromResponse: (response) =>
          kubeletErrorFromResponse(response, { path, node, isApiServerAway: isApiServerAway() }),
      };
      return { what, open: (signal) => http.open(request, signal) };
    },
    /** Closes idle connections now and the others when their requests end. */
    [Symbol.dispose]: () => {
      http[Symbol.dispose]();
    },
  };
}
