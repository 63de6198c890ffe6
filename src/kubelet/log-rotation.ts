import type { JsonObject } from '../json/json.js';
import { parseQuantity } from '../kube/quantity.js';

/** What a kubelet keeps of the log of one run of a container: this many files of this size, rotated ones included. */
export interface LogRotation {
  readonly maxFileBytes: number;
  readonly maxFileCount: number;
}

/** https://kubernetes.io/docs/concepts/cluster-administration/logging/#log-rotation */
const defaultMaxSize = '10Mi';
const defaultMaxFiles = 5;

/** With fewer no kubelet starts. */
const leastFileCount = 2;

/**
 * Of a kubelet's effective settings; for a field that is missing, its default. Undefined when the kubelet rotates nothing,
 * which a negative size stands for, or when the settings are malformed.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/logs/container_log_manager.go
 */
export function logRotationOf(config: JsonObject): LogRotation | undefined {
  const { containerLogMaxSize = defaultMaxSize, containerLogMaxFiles = defaultMaxFiles } = config;
  const maxFileBytes = typeof containerLogMaxSize === 'string' ? parseQuantity(containerLogMaxSize) : undefined;
  if (maxFileBytes === undefined || maxFileBytes < 0 || !isFileCount(containerLogMaxFiles)) return undefined;
  return { maxFileBytes, maxFileCount: containerLogMaxFiles };
}

function isFileCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= leastFileCount;
}
