import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/kube/objects.js';
import type { PodSummary } from '../../src/kubelet/summary.js';
import type { PodScope } from '../../src/node/join.js';
import { compareNode, type NodeComparison } from '../../src/node/node-comparison.js';
import { aNodeSummary, aPod, aPodSummary } from '../support/builders.js';

interface Scene {
  /** By the summary of `node-1`. */
  readonly listed?: readonly PodSummary[];
  /** By the API server, on any node. */
  readonly known?: readonly Pod[];
  readonly deletedUids?: readonly string[];
  readonly unlistedNamespaces?: readonly string[];
  readonly scope?: Partial<PodScope>;
}

function compare({ listed = [], known = [], deletedUids = [], unlistedNamespaces = [], scope }: Scene): NodeComparison {
  return compareNode({
    nodeName: 'node-1',
    summary: aNodeSummary({ pods: listed }),
    unlistedNamespaces,
    findPod: (namespace, name) => known.find((pod) => pod.namespace === namespace && pod.name === name),
    isDeleted: ({ uid }) => deletedUids.includes(uid),
    scope: { namespaces: [], hasPodSelector: false, ...scope },
  });
}

const cart = aPodSummary();
const stranger = aPodSummary({ name: 'stranger' });

describe('compareNode', () => {
  it.each<[string, Scene, number, number]>([
    ['of an empty summary', {}, 0, 0],
    ['that the API server knows on the node', { listed: [cart], known: [aPod()] }, 1, 0],
    ['static ones', { listed: [aPodSummary({ uid: 'h' })], known: [aPod({ kubeletUid: 'h', isStatic: true })] }, 1, 0],
    ['that ended', { listed: [cart], known: [aPod({ phase: 'Succeeded' })] }, 1, 0],
    ['that the API server does not know', { listed: [cart, stranger], known: [aPod()] }, 1, 1],
    [
      'with the UID of a pod of another name',
      { listed: [stranger], known: [aPod({ kubeletUid: stranger.uid })] },
      0,
      1,
    ],
    ['that the API server has just deleted', { listed: [cart], deletedUids: [cart.uid] }, 0, 1],
    ['re-created under their names', { listed: [aPodSummary({ uid: 'former' })], known: [aPod()] }, 0, 0],
    [
      're-created, the former one deleted',
      { listed: [cart], known: [aPod({ uid: 'u' })], deletedUids: [cart.uid] },
      0,
      1,
    ],
    ['known on another node', { listed: [cart], known: [aPod({ nodeName: 'node-2' })] }, 0, 0],
    ['of a namespace that is not listed yet', { listed: [cart], unlistedNamespaces: ['shop'] }, 0, 0],
    ['of another namespace than those in scope', { listed: [cart], scope: { namespaces: ['media'] } }, 0, 0],
    ['that a pod selector may exclude', { listed: [cart], scope: { hasPodSelector: true } }, 0, 0],
  ])('the comparison has the right counts for pods: %s', (_case, scene, knownCount, unknownCount) => {
    expect(compare(scene)).toEqual({ knownCount, unknownCount });
  });
});
