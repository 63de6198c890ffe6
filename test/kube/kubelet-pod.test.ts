import { describe, expect, it } from 'vitest';

import { createInterner } from '../../src/kube/interner.js';
import { objectOf, objectsOf } from '../../src/kube/json.js';
import { apiFormOf } from '../../src/kube/kubelet-pod.js';
import type { Pod } from '../../src/kube/objects.js';
import { projectPod } from '../../src/kube/projection.js';
import { capturesNeeded, hasCaptures, readKubeletLists } from '../support/captures.js';

const intern = createInterner(2 ** 20);

const project = (object: unknown): Pod => projectPod(object, intern);

const aListed = (annotations: object, others: object = {}) => ({
  metadata: { name: 'etcd-node-1', namespace: 'kube-system', uid: 'hash', annotations, ...others },
  spec: { nodeName: 'node-1', containers: [] },
  status: { phase: 'Running' },
});

describe('a pod as a kubelet lists it', () => {
  it.each(['file', 'http'])('is a static one when the kubelet has it from %s', (source) => {
    const pod = project(apiFormOf(aListed({ 'kubernetes.io/config.source': source }), 'node-1'));
    expect(pod).toMatchObject({
      isStatic: true,
      uid: 'hash',
      kubeletUid: 'hash',
      controller: { kind: 'Node', name: 'node-1' },
    });
  });

  it('is an ordinary one when the kubelet has it from the API server, whatever its other annotations say', () => {
    const listed = aListed({ 'kubernetes.io/config.source': 'api', 'kubernetes.io/config.hash': 'other' });
    expect(project(apiFormOf(listed, 'node-1'))).toMatchObject({
      isStatic: false,
      uid: 'hash',
      kubeletUid: 'hash',
      controller: undefined,
    });
  });

  it('is refused when it is one of another node', () => {
    expect(() => apiFormOf(aListed({}), 'node-2')).toThrow(
      'the kubelet at the address of node node-2 lists a pod of node node-1; ' +
        'the node object lags behind, or its kubelet runs under another name',
    );
  });

  it.each([
    ['Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln', '36 characters'],
    ['a'.repeat(254), '254 characters'],
    ['node-1\u202e', '7 characters'],
  ])('is refused without its node where that is no DNS name: %j', (nodeName, length) => {
    const listed = { ...objectOf(aListed({})), spec: { nodeName } };
    expect(() => apiFormOf(listed, 'node-2')).toThrow(
      `the kubelet at the address of node node-2 lists a pod of a node whose name is no DNS name (${length}); the node`,
    );
  });

  it.each([undefined, null, 7, 'text', [], {}, { metadata: 7, spec: [] }])(
    'that is none at all (%j) is refused by the projection alone',
    (item) => {
      expect(() => project(apiFormOf(item, 'node-1'))).toThrow('is missing');
    },
  );

  it.skipIf(!hasCaptures)(
    `is the pod of the API server, as three kubelets and servers have it (${capturesNeeded})`,
    () => {
      for (const { kubelet, pods } of readKubeletLists()) {
        const items = objectsOf(objectOf(JSON.parse(kubelet))['items']);
        const nodeName = String(objectOf(items[0]?.['spec'])['nodeName']);
        const listed = new Map(items.map((item) => project(apiFormOf(item, nodeName))).map((pod) => [keyOf(pod), pod]));
        const known = pods.map(project).filter((pod) => listed.has(keyOf(pod)));
        expect(known.length).toBeGreaterThan(4);
        expect(known.map((pod) => stable(listed.get(keyOf(pod)) ?? pod))).toEqual(known.map(stable));
      }
    },
  );
});

const keyOf = ({ namespace, name, kubeletUid }: Pod): string => `${namespace}/${name}/${kubeletUid}`;

/** What does not depend on when the two were recorded, nor on who has the pod. */
const stable = (pod: Pod): object => ({
  ...pod,
  uid: pod.isStatic ? 'any' : pod.uid,
  resourceVersion: 'any',
  ...{ runningSinceMs: 0, runs: [], runsChangedAtMs: 0, runningContainerCount: 0 },
});
