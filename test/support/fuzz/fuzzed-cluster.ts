import type { Pod } from '../../../src/cluster/kube/objects.js';
import type { NodeSummary } from '../../../src/cluster/kubelet/summary.js';
import { noFilter } from '../../../src/metrics/exposition/selection.js';
import { recordedPlace } from '../../../src/serve/source/recorded-core.js';
import { aNode, aNodeSummary, aPod, aPodSummary } from '../builders.js';
import { aCore } from '../core.js';
import { settingsOf } from '../exporter.js';
import { expositionSettings } from '../exposition-settings.js';
import { ManualClock } from '../manual-clock.js';
import { never } from '../signals.js';

const healthyNode = 'healthy';
export const hostileNode = 'hostile';

const healthyPod = aPod({ name: 'steady', nodeName: healthyNode });
/** What a kubelet needs to pass its values off as those of the healthy node and its pod. */
export const healthyNames: readonly string[] = [healthyNode, healthyPod.name, healthyPod.uid];
const healthySummary = aNodeSummary({
  nodeName: healthyNode,
  pods: [aPodSummary({ name: 'steady', usedBytes: 12_345 })],
});

/** The exposition of a healthy node beside one whose summary or pods are anything. */
export async function expositionWith(hostile: {
  readonly summary?: NodeSummary;
  readonly pods?: readonly Pod[];
}): Promise<Buffer> {
  const clock = new ManualClock();
  const summaries = [healthySummary, ...(hostile.summary === undefined ? [] : [hostile.summary])];
  const cluster = recordedPlace(
    summaries.map((summary) => ({ file: summary.nodeName, summary })),
    {
      nodes: [aNode({ name: healthyNode }), aNode({ name: hostileNode })],
      pods: [healthyPod, ...(hostile.pods ?? [])],
    },
  );
  const config = { ...settingsOf(''), metrics: expositionSettings() };
  const { collector, exposition } = aCore({ config, ...cluster, clock, showsAll: true });
  const snapshot = await collector.collect(never);
  const { chunks } = await exposition.render(snapshot, { format: 'text', filter: noFilter }, never);
  return Buffer.concat(chunks);
}

/** The samples of the healthy node and its pod. A recording has one time for all nodes, which the other one may change. */
export function healthyLines(exposition: Buffer): readonly string[] {
  return exposition
    .toString()
    .split('\n')
    .filter((line) => !line.startsWith('ephemeral_storage_node_data_timestamp_seconds'))
    .filter((line) => line.includes(`node="${healthyNode}"`) || line.includes('namespace="shop",pod="steady"'));
}
