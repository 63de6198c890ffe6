import { type ClientRequest, type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';

import { abortable } from '../../lib/base/abortable.js';
import { codeOf } from '../../lib/base/errors.js';

/** How long a connection is without data before TCP asks for its peer. */
export const tcpKeepAliveMs = 30_000;

/**
 * Sends a request and resolves with the headers of its response. Rejects and closes the connection at once when the
 * signal aborts.
 *
 * A server may close an idle connection just when it is used again. That is not a failure: the request is sent again on
 * another connection. https://nodejs.org/docs/latest-v20.x/api/http.html#requestreusedsocket
 */
export async function sendRequest(
  sent: {
    readonly url: URL;
    readonly options: RequestOptions;
    /** Without one, a GET; otherwise a POST, which must have no effect, as it may be sent twice. */
    readonly body?: string | undefined;
  },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  signal.throwIfAborted();
  const { url, options, body } = sent;
  const method = body === undefined ? 'GET' : 'POST';
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { ...options, method, signal });
  request.end(body);
  try {
    return await abortable(responseTo(request), signal);
  } catch (error) {
    if (!signal.aborted && isStaleConnection(request, error)) return await sendRequest(sent, signal);
    throw error;
  }
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('socket', (socket) => socket.setKeepAlive(true, tcpKeepAliveMs));
    request.on('response', resolve);
    request.on('error', reject);
    // A response that switches protocols (101) ends the request without an error.
    request.on('close', () => {
      reject(new Error('the connection was closed without a response'));
    });
  });
}

function isStaleConnection(request: ClientRequest, error: unknown): boolean {
  return request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
}
