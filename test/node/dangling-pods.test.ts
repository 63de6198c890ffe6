import { describe, expect, it } from 'vitest';

import { DanglingPods } from '../../src/node/dangling-pods.js';
import type { NodeMemory } from '../../src/node/node-memory.js';
import { aPodSummary } from '../support/builders.js';

const a = aPodSummary({ uid: 'a' });
const b = aPodSummary({ uid: 'b' });

const aMemory = (): NodeMemory => ({ layout: undefined, danglingSinceMs: new Map() });

describe('dangling pods', () => {
  it('keep the time at which they were first seen while summaries list them', () => {
    const dangling = new DanglingPods(aMemory());
    dangling.update([a], [], 10);
    dangling.update([a, b], [], 20);
    expect([10, 11, 21].map((timeMs) => dangling.countBefore(timeMs))).toEqual([0, 1, 2]);
    dangling.update([b], [], 30);
    dangling.update([a, b], [], 40);
    expect([21, 40, 41].map((timeMs) => dangling.countBefore(timeMs))).toEqual([1, 1, 2]);
  });

  it('are not those in namespaces whose pods are not listed, until they are', () => {
    const pods = [a, aPodSummary({ uid: 'b', namespace: 'unlisted' })];
    const dangling = new DanglingPods(aMemory());
    dangling.update(pods, ['unlisted'], 10);
    expect(dangling.countBefore(11)).toBe(1);
    dangling.update(pods, [], 20);
    expect(dangling.countBefore(21)).toBe(2);
  });

  it('keep their times in others with the same memory, as after a reload', () => {
    const memory = aMemory();
    new DanglingPods(memory).update([a], [], 10);
    const dangling = new DanglingPods(memory);
    dangling.update([a], [], 20);
    expect(dangling.countBefore(11)).toBe(1);
  });
});
