import type { ContainerSpec, PodSpec } from '../../sim/model/specs.js';

/** A container that keeps its size. */
export function containerSpec(rootfsBytes: number, logsBytes = 0, more: Partial<ContainerSpec> = {}): ContainerSpec {
  return { name: 'main', rootfs: { initialBytes: rootfsBytes }, logs: { initialBytes: logsBytes }, ...more };
}

/** A pod of the StatefulSet `cart` in `shop` whose container uses 12 KiB. */
export const cartPod = (name: string, nodeName: string, more: Partial<PodSpec> = {}): PodSpec => ({
  namespace: 'shop',
  name,
  nodeName,
  owner: { kind: 'StatefulSet', name: 'cart' },
  containers: [containerSpec(4096, 8192)],
  ...more,
});
