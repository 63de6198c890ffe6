import { describe, expect, it } from 'vitest';

import { connectionBudget } from '../../src/kubelet/connection-budget.js';

describe('connections to kubelets', () => {
  /** [requests by the settings, limit of open files, requests, kept connections] */
  it.each([
    [64, undefined, 64, Infinity],
    [64, 1_048_576, 64, 1_048_412],
    [64, 1_024, 64, 860],
    [64, 256, 64, 92],
    [64, 128, 14, 14],
    [64, 64, 4, 0],
    [1, 64, 1, 0],
    [10_000, 1_024, 462, 462],
  ])('H11: for %d requests within %s open files are %d and %d', (configured, limit, requests, kept) => {
    expect(connectionBudget(configured, limit)).toMatchObject({
      maxConcurrentRequests: requests,
      maxKeptConnections: kept,
    });
  });

  it('H11: to 300 nodes are all kept with 464 open files', () => {
    const { maxKeptConnections, neededOpenFiles } = connectionBudget(64, 464);
    expect([neededOpenFiles(300), maxKeptConnections]).toEqual([464, 300]);
  });
});
