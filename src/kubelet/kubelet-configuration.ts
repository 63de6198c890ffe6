import { messageOf, RequestError } from '../base/errors.js';
import { isObject, objectOf, parseJson } from '../json/json.js';
import { type EvictionThresholds, thresholdsOf } from './eviction-thresholds.js';
import { type LogRotation, logRotationOf } from './log-rotation.js';

/** What of a kubelet's effective settings concerns ephemeral storage. */
export interface KubeletConfiguration {
  readonly thresholds: EvictionThresholds;
  /** Undefined when the kubelet does not rotate logs. */
  readonly logRotation: LogRotation | undefined;
}

/**
 * Decodes the body of a `/configz` response. It contains the effective settings: the kubelet adds its defaults before it
 * publishes them.
 * https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/#kubelet-config-k8s-io-v1beta1-KubeletConfiguration
 *
 * @param what names the body, such as `configuration of node n1`; begins the messages
 * @throws RequestError `decode`
 */
export function decodeKubeletConfiguration(body: Buffer | string, what: string): KubeletConfiguration {
  const notJson = (error: unknown): RequestError => {
    const size = `${Buffer.byteLength(body)} bytes`;
    return new RequestError('decode', `${what}: ${size} that are not JSON: ${messageOf(error)}`, { cause: error });
  };
  const config = objectOf(parseJson(body.toString(), notJson))['kubeletconfig'];
  if (!isObject(config)) {
    throw new RequestError('decode', `${what}: JSON that is not a configuration: it has no kubeletconfig`);
  }
  return { thresholds: thresholdsOf(config), logRotation: logRotationOf(config) };
}
