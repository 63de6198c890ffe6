import { describe, expect, it } from 'vitest';

import { createDedupe } from '../../src/kube/dedupe.js';
import { projectPod } from '../../src/kube/projection.js';

describe('createDedupe', () => {
  it('returns one object for equal ones and keeps others apart', () => {
    const dedupe = createDedupe(10);
    const first = dedupe({ a: [1, { b: 'x' }] });
    expect(dedupe({ a: [1, { b: 'x' }] })).toBe(first);
    expect(dedupe({ a: [1, { b: 'y' }] })).not.toBe(first);
    expect(dedupe([])).not.toBe(dedupe({}));
  });

  it('forgets all when it is full, and continues', () => {
    const dedupe = createDedupe(2);
    const first = dedupe({ n: 1 });
    dedupe({ n: 2 });
    dedupe({ n: 3 });
    const again = dedupe({ n: 1 });
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
    expect(dedupe({ n: 1 })).toBe(again);
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

  it('dedupe what they have alike, with the same values as without sharing', () => {
    const dedupe = createDedupe(100);
    const keep = (text: string): string => text;
    const [first, second] = [projectPod(pod('a'), keep, dedupe), projectPod(pod('b'), keep, dedupe)];
    for (const part of ['labels', 'containers', 'volumes', 'controller'] as const) {
      expect(second[part]).toBe(first[part]);
    }
    expect(second).toEqual(projectPod(pod('b'), keep));
  });
});
