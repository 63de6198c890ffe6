import type { Pod } from '../kube/objects.js';
import type { NodeSnapshot } from '../scrape/snapshot.js';
import type { SeriesSource } from './family.js';

/** Only of pods that the API server knows. */
export const podInfos: SeriesSource<NodeSnapshot, Pod> = {
  labels: ['namespace', 'pod', 'node', 'uid', 'qos_class', 'phase', 'host_ip', 'static', 'priority_class'],
  *find({ nodeName, pods }) {
    for (const { namespace, name, pod } of pods) {
      if (pod === undefined) continue;
      const { uid, qosClass = '', phase, hostIp = '', isStatic, priorityClass = '' } = pod;
      const about = [uid, qosClass, phase, hostIp, String(isStatic), priorityClass];
      yield { labelValues: [namespace, name, nodeName, ...about], data: pod };
    }
  },
};
