import { RequestError } from '../base/errors.js';
import { isObject, objectOf } from '../kube/json.js';
import { parseQuantity } from '../kube/quantity.js';
import { parseJson } from './parse-json.js';

/** Bytes or inodes; or a part, from 0 to 1, of all that the filesystem has. */
export type Threshold = { readonly amount: number } | { readonly ratio: number };

/** The kubelet evicts at once below these; undefined where it never does. */
export interface FilesystemThresholds {
  readonly available: Threshold | undefined;
  readonly inodesFree: Threshold | undefined;
}

/**
 * The hard eviction thresholds for disks. None for containerfs: whatever is configured there, the kubelet takes that of
 * the filesystem that the writable layers share, nodefs or imagefs.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#eviction-signals
 */
export interface EvictionThresholds {
  readonly nodefs: FilesystemThresholds;
  readonly imagefs: FilesystemThresholds;
}

/**
 * Decodes the body of a `/configz` response. It contains the effective settings: the kubelet adds its defaults before it
 * publishes them, all when `evictionHard` is not set at all and single ones with `mergeDefaultEvictionSettings`. So a
 * signal that is missing here has no threshold, and no default is assumed.
 * https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/#kubelet-config-k8s-io-v1beta1-KubeletConfiguration
 *
 * A threshold that is malformed counts as none: with such a setting no kubelet starts.
 *
 * @param what names the body, such as `configuration of node n1`; begins the messages
 * @throws RequestError `decode`
 */
export function decodeEvictionThresholds(body: Buffer | string, what: string): EvictionThresholds {
  const config = objectOf(parseJson(body, what))['kubeletconfig'];
  if (!isObject(config)) {
    throw new RequestError('decode', `${what}: JSON that is not a configuration: it has no kubeletconfig`);
  }
  const signals = objectOf(config['evictionHard']);
  const thresholdsOf = (filesystem: string): FilesystemThresholds => ({
    available: thresholdOf(signals[`${filesystem}.available`]),
    inodesFree: thresholdOf(signals[`${filesystem}.inodesFree`]),
  });
  return { nodefs: thresholdsOf('nodefs'), imagefs: thresholdsOf('imagefs') };
}

function thresholdOf(value: unknown): Threshold | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.endsWith('%')) return ratioOf(value);
  const amount = parseQuantity(value);
  return amount === undefined || amount <= 0 ? undefined : { amount };
}

const percentage = /^(?:\d+\.?\d*|\.\d+)%$/;

/** Just `0%` and `100%` switch a signal off. Kubelets keep the ratio as a float32: 10 % are a little more than that. */
function ratioOf(text: string): Threshold | undefined {
  if (text === '0%' || text === '100%' || !percentage.test(text)) return undefined;
  const ratio = Math.fround(Math.fround(Number(text.slice(0, -1))) / 100);
  return ratio > 1 ? undefined : { ratio };
}
