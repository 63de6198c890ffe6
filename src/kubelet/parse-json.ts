import { messageOf, RequestError } from '../base/errors.js';

/**
 * @param what names the body, such as `summary of node n1`; begins the message
 * @throws RequestError `decode`
 */
export function parseJson(body: Buffer | string, what: string): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch (error) {
    const size = `${Buffer.byteLength(body)} bytes`;
    throw new RequestError('decode', `${what}: ${size} that are not JSON: ${messageOf(error)}`, { cause: error });
  }
}
