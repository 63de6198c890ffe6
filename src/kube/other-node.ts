import { RequestError } from '../base/errors.js';
import { isNodeName } from './node-name.js';

/**
 * Makes the error for a kubelet of another node: the address may have passed to another machine, with other values.
 * `found` is how the kubelet names that node, such as `lists a pod of`. The name is quoted only if it is one: a server may
 * repeat credentials.
 */
export function otherNodeError(nodeName: string, found: string, otherName: string): RequestError {
  const other = isNodeName(otherName)
    ? `node ${otherName}`
    : `a node whose name is no DNS name (${otherName.length} characters)`;
  const message = `the kubelet at the address of node ${nodeName} ${found} ${other}`;
  return new RequestError('decode', `${message}; the node object lags behind, or its kubelet runs under another name`);
}
