import type { IncomingMessage } from 'node:http';
import { get, type RequestOptions } from 'node:https';

import { abortable } from '../base/abortable.js';
import { RequestError } from '../base/errors.js';
import type { Credentials } from '../credentials/credentials.js';
import type { Node } from '../kube/objects.js';
import { type AddressOptions, kubeletUrl } from './address.js';
import { refusalOf } from './refusal.js';
import { RotatingAgent } from './rotating-agent.js';
import { type KubeletEndpoint, type KubeletPath, kubeletPaths, type KubeletTransport } from './transport.js';

export interface DirectTransportOptions extends AddressOptions {
  readonly credentials: Pick<Credentials, 'headers' | 'tls' | 'invalidate'>;
}

interface Answer {
  readonly response: IncomingMessage;
  /** What the kubelet was shown: the value of the header `authorization`. */
  readonly authorization: string | undefined;
}

interface Target {
  readonly nodeName: string;
  readonly path: KubeletPath;
  readonly url: URL;
  readonly what: string;
}

/**
 * From the kubelets themselves. Always over TLS: the handshake, with its verification of the kubelet's certificate, comes
 * before the first byte of a request, so that nobody else is sent a token.
 */
export class DirectTransport implements KubeletTransport, Disposable {
  readonly #options: DirectTransportOptions;
  readonly #agent = new RotatingAgent();

  constructor(options: DirectTransportOptions) {
    this.#options = options;
  }

  locate(node: Node, path: KubeletPath): KubeletEndpoint {
    const url = kubeletUrl(node, path, this.#options);
    const what = `${kubeletPaths[path]} of node ${node.name} from ${url.origin}`;
    const target: Target = { nodeName: node.name, path, url, what };
    return { what, open: (signal) => this.#open(target, signal) };
  }

  [Symbol.dispose](): void {
    this.#agent[Symbol.dispose]();
  }

  /** After a 401 once more, with credentials read anew: a token may have been replaced since they were read. */
  async #open(target: Target, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const first = await this.#request(target, signal);
    if (first.response.statusCode !== 401) return bodyOf(first, target);
    first.response.destroy();
    this.#options.credentials.invalidate();
    return bodyOf(await this.#request(target, signal), target);
  }

  async #request({ nodeName, url }: Target, signal: AbortSignal): Promise<Answer> {
    const { credentials } = this.#options;
    const material = Promise.all([credentials.headers(), credentials.tls()]);
    const [headers, tls] = await abortable(material, signal);
    const servername = tls.serverName?.replaceAll('{node}', nodeName);
    const lease = this.#agent.lease(tls);
    try {
      const response = await send(url, {
        agent: lease.agent,
        headers: { accept: 'application/json', 'user-agent': 'ephemeral-storage-exporter', ...headers },
        signal,
        ...(servername === undefined ? {} : { servername }),
      });
      response.once('close', () => {
        lease[Symbol.dispose]();
      });
      return { response, authorization: headers['authorization'] };
    } catch (error) {
      lease[Symbol.dispose]();
      throw error;
    }
  }
}

/**
 * Resolves when the headers of the answer are there. A kept connection that the kubelet has closed in the meantime is no
 * failure of the kubelet: the request goes out again on another one.
 * https://nodejs.org/docs/latest-v20.x/api/http.html#requestreusedsocket
 */
function send(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const request = get(url, options, (response) => {
      isAnswered = true;
      resolve(response);
    });
    request.on('error', (error) => {
      if (isAnswered) return; // the body ends with an error of its own
      if (request.reusedSocket && isDisconnection(error)) resolve(send(url, options));
      else reject(error);
    });
    // An answer that switches protocols (101) ends the request without an error.
    request.on('close', () => {
      reject(new Error('it was closed without an answer'));
    });
  });
}

function isDisconnection(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

async function bodyOf({ response, authorization }: Answer, { path, what }: Target): Promise<AsyncIterable<Buffer>> {
  if (response.statusCode !== 200) throw await refusalOf({ response, authorization, path, what });
  const { 'content-type': type = 'none', 'content-encoding': encoding = 'identity' } = response.headers;
  if (type.split(';')[0]?.trim().toLowerCase() === 'application/json' && encoding === 'identity') return response;
  response.destroy();
  const found = `content type ${JSON.stringify(type)}, encoding ${JSON.stringify(encoding)}`;
  throw new RequestError('decode', `${what}: not plain JSON: ${found}`);
}
