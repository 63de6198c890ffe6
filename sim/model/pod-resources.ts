import { kindOf } from './simulated-pod.js';
import type { ContainerSpec } from './specs.js';

/** The API server sets a request to the limit when it is missing. */
export function requestOf({ requestBytes, limitBytes }: ContainerSpec): number | undefined {
  return requestBytes ?? limitBytes;
}

/**
 * A pod's limit or request: what its app containers and sidecars declare, at least what an init container declares with
 * the sidecars before it; undefined if none declares any.
 * https://github.com/kubernetes/component-helpers/blob/v0.37.1/resource/helpers.go
 */
export function podAggregate(
  containers: readonly ContainerSpec[],
  declared: (container: ContainerSpec) => number | undefined,
): number | undefined {
  const values = containers.flatMap((container) => declared(container) ?? []);
  if (values.length === 0) return undefined;
  let runningBytes = 0;
  let sidecarBytes = 0;
  let initBytes = 0;
  for (const container of containers) {
    const bytes = declared(container) ?? 0;
    const kind = kindOf(container);
    if (kind === 'init') initBytes = Math.max(initBytes, sidecarBytes + bytes);
    else runningBytes += bytes;
    if (kind === 'sidecar') sidecarBytes += bytes;
  }
  return Math.max(runningBytes, initBytes);
}
