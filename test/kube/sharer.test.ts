import { describe, expect, it } from 'vitest';

import { projectPod } from '../../src/kube/projection.js';
import { createSharer } from '../../src/kube/sharer.js';

describe('createSharer', () => {
  it('gives one object for equal ones and leaves others apart', () => {
    const share = createSharer(10);
    const first = share({ a: [1, { b: 'x' }] });
    expect(share({ a: [1, { b: 'x' }] })).toBe(first);
    expect(share({ a: [1, { b: 'y' }] })).not.toBe(first);
    expect(share([])).not.toBe(share({}));
  });

  it('forgets all when it is full, and goes on', () => {
    const share = createSharer(2);
    const first = share({ n: 1 });
    share({ n: 2 });
    share({ n: 3 });
    const again = share({ n: 1 });
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
    expect(share({ n: 1 })).toBe(again);
  });
});

describe('projected pods', () => {
  const pod = (name: string) => ({
    metadata: {
      name,
      uid: name,
      resourceVersion: '1',
      labels: { app: 'cart' },
      ownerReferences: [{ kind: 'ReplicaSet', name: 'cart-5d', controller: true }],
    },
    spec: { containers: [{ name: 'app' }], volumes: [{ name: 'cache', emptyDir: {} }] },
  });

  it('share what they have alike, with the same values as without sharing', () => {
    const share = createSharer(100);
    const keep = (text: string): string => text;
    const [first, second] = [projectPod(pod('a'), keep, share), projectPod(pod('b'), keep, share)];
    for (const part of ['labels', 'containers', 'volumes', 'controller'] as const) {
      expect(second[part]).toBe(first[part]);
    }
    expect(second).toEqual(projectPod(pod('b'), keep));
  });
});
