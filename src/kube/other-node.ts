import { RequestError } from '../base/errors.js';
import { isNodeName } from './node-name.js';

/**
 * Of a kubelet that speaks for another node: the address may have passed to another machine, whose values are not this node's.
 * `found`: what it says of the other node, such as `lists a pod of`. The name is quoted only if it is one: a server may
 * repeat credentials.
 */
export function otherNodeError(nodeName: string, found: string, otherName: string): RequestError {
  const other = isNodeName(otherName)
    ? `node ${otherName}`
    : `a node whose name is no DNS name (${otherName.length} characters)`;
  const message = `the kubelet at the address of node ${nodeName} ${found} ${other}`;
  return new RequestError('decode', `${message}; the node object lags behind, or its kubelet runs under another name`);
}
