import type { PodSpec } from '../../sim/model/specs.js';

/** A running pod with one container, on `node-1` of the namespace `default` unless the test says otherwise. */
export function podSpec(name: string, more: Partial<PodSpec> = {}): PodSpec {
  return {
    namespace: 'default',
    name,
    nodeName: 'node-1',
    containers: [{ name: 'app', rootfs: { initialBytes: 8192 }, logs: { initialBytes: 4096 } }],
    ...more,
  };
}
