import { type LookupAddress, type LookupAllOptions, promises } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

import type { Clock } from '../../lib/base/clock.js';
import { messageOf, RequestError } from '../../lib/base/errors.js';
import { oneLine } from '../../lib/base/text.js';
import { HttpClient, type HttpRequest } from '../http/http-client.js';
import type { Node } from '../kube/objects.js';
import { kubeletErrorFromResponse } from './kubelet-error.js';
import { type KubeletPath, kubeletPaths, type KubeletTransport } from './transport.js';

/** As `dns.promises.lookup`. */
export type Resolve = (hostname: string, options: LookupAllOptions) => Promise<readonly LookupAddress[]>;

export interface DirectTransportOptions {
  /** Types of node addresses, the preferred one first. */
  readonly addressTypes: readonly string[];
  /** Undefined: the port in the node's status. */
  readonly port: number | undefined;
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
  resolve = (hostname, lookup) => promises.lookup(hostname, lookup),
  ...options
}: DirectTransportOptions): KubeletTransport & Disposable {
  const http = new HttpClient({ ...options, protocol: 'https:', tlsHints });
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

/**
 * Where the node's kubelet serves `path`: at the first usable address of the most preferred type that the node has.
 *
 * A node's status is written by its kubelet, so a compromised kubelet chooses the address. Only plain IP addresses and
 * DNS names are used, none that means "this host" or "this link"; what a name resolves to is judged by {@link usableLookup}. Loopback addresses are allowed, although the API
 * server's proxy refuses them: in a cluster on one machine kubelets may register one, and a listener there must present
 * a kubelet's certificate like any other before it receives a request.
 *
 * @throws RequestError `not_ready` when there is no usable address or no port
 */
export function kubeletUrl(
  node: Node,
  path: KubeletPath,
  { addressTypes, port = node.kubeletPort }: Pick<DirectTransportOptions, 'addressTypes' | 'port'>,
): URL {
  const host = hostOf(node, addressTypes);
  if (port === undefined) {
    const hint = 'wait for its kubelet to report one, or set kubelet.port (usually 10250)';
    throw new RequestError('not_ready', `the status of node ${node.name} has no kubelet port; ${hint}`);
  }
  return new URL(`https://${host}:${port}${path}`);
}

/**
 * Resolves a name for a connection, to usable addresses alone: who chooses the name may choose them too. `what` names the
 * request. The connection fails with RequestError `not_ready` when there is none.
 */
export function usableLookup(what: string, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }).then(
      (addresses) => {
        const usable = addresses.filter(({ address }) => isUsable(address));
        const [first] = usable;
        if (first === undefined) callback(noUsableAddress(what, hostname, addresses), []);
        else if (options.all === true) callback(null, [...usable]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(messageOf(error)), []);
      },
    );
  };
}

function noUsableAddress(what: string, hostname: string, addresses: readonly LookupAddress[]): RequestError {
  const found = addresses.map(({ address }) => address).join(', ') || 'nothing';
  const rule = 'link-local, unspecified, multicast and reserved addresses are refused';
  return new RequestError('not_ready', `${what}: ${hostname} resolves to ${oneLine(found, 200)}; ${rule}`);
}

function hostOf(node: Node, addressTypes: readonly string[]): string {
  for (const type of addressTypes) {
    const usable = node.addresses.find((candidate) => candidate.type === type && isUsable(candidate.address));
    if (usable !== undefined) return isIP(usable.address) === 6 ? `[${usable.address}]` : usable.address;
  }
  const found = node.addresses.map(({ type, address }) => `${type} ${address}`).join(', ') || 'none';
  const message = `the status of node ${node.name} has no usable address of type ${addressTypes.join(', ')}`;
  throw new RequestError('not_ready', `${message}; it has: ${oneLine(found, 200)}`);
}

function isUsable(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return isDnsName(address);
  return !address.includes('%') && !unusable.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Unspecified, link-local (where clouds serve credentials), multicast and reserved; also as IPv4 mapped into IPv6. */
const unusable = new BlockList();
unusable.addSubnet('0.0.0.0', 8, 'ipv4');
unusable.addSubnet('169.254.0.0', 16, 'ipv4');
unusable.addSubnet('224.0.0.0', 3, 'ipv4');
unusable.addAddress('::', 'ipv6');
unusable.addSubnet('fe80::', 10, 'ipv6');
unusable.addSubnet('ff00::', 8, 'ipv6');

const dnsLabel = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

/** RFC 1123. A name whose last label is a number would be parsed as an IPv4 address. */
function isDnsName(text: string): boolean {
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  return text.length <= 253 && labels.every((label) => dnsLabel.test(label)) && !/^(?:\d+|0x[\da-f]*)$/i.test(last);
}
