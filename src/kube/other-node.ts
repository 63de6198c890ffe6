import { RequestError } from '../base/errors.js';

/**
 * Of a kubelet that speaks for another node: the address may have passed to another machine, whose values are not this node's.
 * `found`: what it says, such as `lists a pod of node node-1`.
 */
export function otherNodeError(nodeName: string, found: string): RequestError {
  const message = `the kubelet at the address of node ${nodeName} ${found}`;
  return new RequestError('decode', `${message}; the node object lags behind, or its kubelet runs under another name`);
}
