import { gib, kib, mib, still } from '../model/demo-units.js';
import type { Scenario } from '../model/scenario.js';
import { addDaemonSet, addDeployment } from '../model/simulated-workloads.js';
import type { ContainerSpec } from '../model/specs.js';
import { everyNode, nodeNamesOf } from './node-names.js';

/** Logs every request with its body: faster than the kubelet rotates, up to its limit after three minutes. */
const flooding: ContainerSpec = {
  name: 'ledger',
  rootfs: still(2 * mib),
  logs: { initialBytes: mib, bytesPerSecond: 6 * mib, maxBytes: 2 * gib },
  requestBytes: 64 * mib,
  limitBytes: gib,
};

/** Logs as much in an hour as the other one in 20 seconds. */
const quiet: ContainerSpec = {
  name: 'gateway',
  rootfs: still(mib),
  logs: { initialBytes: 10 * mib, bytesPerSecond: 32 * kib, maxBytes: 50 * mib, rotatesToBytes: 40 * mib },
  requestBytes: 64 * mib,
  limitBytes: 512 * mib,
};

const agent: ContainerSpec = {
  name: 'agent',
  rootfs: still(64 * kib),
  logs: { initialBytes: mib, bytesPerSecond: kib, maxBytes: 10 * mib, rotatesToBytes: 5 * mib },
};

/** On every fifth node, a container floods its logs until its pod is evicted, again and again. */
export function logFloodScenario(nodeCount: number): Scenario {
  const nodeNames = nodeNamesOf(nodeCount);
  const flooded = everyNode(nodeNames, 5, 1);
  return {
    nodes: nodeNames.map((name) => ({ name })),
    populate: (context) => {
      addDeployment(context, { namespace: 'payments', name: 'ledger', nodeNames: flooded, containers: [flooding] });
      addDeployment(context, { namespace: 'payments', name: 'gateway', nodeNames, containers: [quiet] });
      addDaemonSet(context, { namespace: 'logging', name: 'agent', nodeNames, containers: [agent] });
    },
    highlights: { nodeName: flooded[0] ?? 'node-1', namespace: 'payments', deployment: 'ledger' },
  };
}
