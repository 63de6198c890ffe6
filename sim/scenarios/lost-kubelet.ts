import { kib, mib, minuteMs, still } from '../model/demo-units.js';
import type { Scenario } from '../model/scenario.js';
import { addDaemonSet, addDeployment } from '../model/simulated-workloads.js';
import type { ContainerSpec } from '../model/specs.js';
import type { Fault } from '../simulated-faults.js';
import { everyNode, nodeNamesOf } from './node-names.js';

const logs = { initialBytes: mib, bytesPerSecond: 8 * kib, maxBytes: 20 * mib, rotatesToBytes: 10 * mib };

const api: ContainerSpec = {
  name: 'api',
  rootfs: { initialBytes: 40 * mib, bytesPerSecond: 16 * kib, maxBytes: 120 * mib, rotatesToBytes: 40 * mib },
  logs,
  requestBytes: 128 * mib,
  limitBytes: 512 * mib,
};

/** Nothing but kubelets fails: of every five nodes the second one's never answers, the fourth one's refuses connections. */
export function lostKubeletScenario(nodeCount: number): Scenario {
  const nodeNames = nodeNamesOf(nodeCount);
  const hanging = everyNode(nodeNames, 5, 2);
  const refusing = everyNode(nodeNames, 5, 4);
  const faultOf = (fault: Fault) => (name: string) => [name, fault] as const;
  return {
    nodes: nodeNames.map((name) => ({ name })),
    populate: (context) => {
      const node = { name: 'agent', rootfs: still(kib), logs };
      addDeployment(context, { namespace: 'shop', name: 'api', nodeNames, containers: [api] });
      addDeployment(context, {
        namespace: 'shop',
        name: 'worker',
        nodeNames,
        containers: [{ ...api, name: 'worker' }],
      });
      addDaemonSet(context, { namespace: 'kube-system', name: 'agent', nodeNames, containers: [node] });
    },
    faults: Object.fromEntries([...hanging.map(faultOf('hang')), ...refusing.map(faultOf('down'))]),
    // One that fails from time to time: its data turn stale, and fresh again.
    faultSchedules: everyNode(nodeNames, 5, 5).map((nodeName) => ({
      nodeName,
      fault: 'reset',
      everyMs: 4 * minuteMs,
      lastsMs: minuteMs,
    })),
    highlights: { nodeName: hanging[0] ?? 'node-1', namespace: 'shop', deployment: 'api' },
  };
}
