import type { PodSpec } from '../../sim/model/specs.js';

/** A pod of the StatefulSet `cart` in `shop` that uses 12 KiB. */
export const cartPod = (name: string, nodeName: string): PodSpec => ({
  namespace: 'shop',
  name,
  nodeName,
  owner: { kind: 'StatefulSet', name: 'cart' },
  containers: [{ name: 'main', rootfs: { initialBytes: 4096 }, logs: { initialBytes: 8192 } }],
});
