import { expect, it } from 'vitest';

import { projectEvictionStatus } from '../../src/cluster/kube/eviction-status.js';

it('the message of an eviction has at most 2,000 characters', () => {
  const message = `The node was low on resource: inodes. ${'x'.repeat(3_000)}`;
  expect(projectEvictionStatus({ phase: 'Failed', reason: 'Evicted', message })?.message.length).toBe(2_001);
});
