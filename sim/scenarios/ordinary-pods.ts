import { kib, mib, still } from '../model/demo-units.js';
import type { ScenarioContext } from '../model/scenario.js';
import { addDeployment } from '../model/simulated-workloads.js';

/** Of namespaces and names. */
const services = [
  ['catalog', 'products'],
  ['catalog', 'prices'],
  ['checkout', 'cart'],
  ['checkout', 'payments'],
  ['identity', 'sessions'],
  ['identity', 'profiles'],
  ['messaging', 'mailer'],
  ['messaging', 'webhooks'],
  ['search', 'ranker'],
  ['search', 'suggest'],
  ['ml', 'embedder'],
  ['ml', 'feature-store'],
] as const;

const largestReplicaCount = 10;

/** Adds pods of services that use little and stay below their limits, to one node after the other. */
export function addOrdinaryPods(context: ScenarioContext, podCount: number): void {
  const { model, random } = context;
  const nodeNames = model.nodes.map(({ spec }) => spec.name);
  let addedCount = 0;
  for (let index = 0; addedCount < podCount; index++) {
    const [namespace = '', service = ''] = services[index % services.length] ?? [];
    const generation = Math.floor(index / services.length);
    const replicaCount = Math.min(largestReplicaCount, podCount - addedCount);
    const from = addedCount;
    addDeployment(context, {
      namespace,
      name: generation === 0 ? service : `${service}-${generation + 1}`,
      nodeNames: Array.from(
        { length: replicaCount },
        (_, replica) => nodeNames[(from + replica) % nodeNames.length] ?? '',
      ),
      containers: [
        {
          name: 'app',
          rootfs: still(Math.round(random.between(0.2, 4)) * mib),
          logs: {
            initialBytes: Math.round(random.between(0.5, 8)) * mib,
            bytesPerSecond: random.between(0.2, 8) * kib,
            maxBytes: 12 * mib,
            rotatesToBytes: 8 * mib,
          },
          requestBytes: 32 * mib,
          ...(random.next() < 0.7 && { limitBytes: 256 * mib }),
        },
      ],
      volumes: [{ name: 'tmp', source: 'emptyDir', content: still(mib / 2) }],
    });
    addedCount += replicaCount;
  }
}
