import type { AgentPod, PodResources } from '../../src/facts/node/agent-pod.js';
import { builder } from './builder.js';

/** Each value differs, so that none can stand for another. */
const somePodResources = builder<PodResources>(() => ({
  cpu: { userUs: 3_000_000, systemUs: 2_000_000, periods: 40, throttledPeriods: 4, throttledUs: 250_000 },
  memory: {
    currentBytes: 101,
    peakBytes: 109,
    workingSetBytes: 102,
    anonBytes: 103,
    fileBytes: 104,
    highBytes: 105,
    maxBytes: 106,
    faults: 107,
    majorFaults: 108,
  },
  io: {
    writtenBytes: 201,
    devices: [
      {
        device: 'sda',
        bytes: { read: 202, write: 203, discard: 204 },
        operations: { read: 205, write: 206, discard: 207 },
      },
    ],
  },
  pids: { current: 301, peak: 303, max: 302 },
  pressure: {
    cpu: { someUs: 1_500_000, fullUs: 500_000 },
    memory: { someUs: 2_500_000, fullUs: 750_000 },
    io: { someUs: 3_500_000, fullUs: 1_250_000 },
  },
}));

export const anAgentPod = builder<AgentPod>(() => ({
  nodeName: 'node-1',
  namespace: 'shop',
  name: 'cart-0',
  resources: somePodResources(),
}));
