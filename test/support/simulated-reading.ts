import { SimulatedCluster } from '../../sim/cluster.js';
import { demoScenario } from '../../sim/model/demo-scenario.js';
import type { Scenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { wholeCluster } from '../../src/cluster/kube/scope.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { ClusterReader } from '../../src/serve/source/cluster-reader.js';
import { commandRequests } from './command-context.js';
import { leastRules, settingsOf } from './exporter.js';
import { ManualClock } from './manual-clock.js';
import { never } from './signals.js';

export interface SimulatedReadingOptions {
  readonly scenario?: Scenario;
  /** Time since the start of the cluster. Default: three minutes. */
  readonly ageMs?: number;
  /** Settings file. */
  readonly settings?: string;
  /** Changes the cluster before it is read. */
  readonly prepare?: (cluster: SimulatedCluster) => Promise<void>;
}

/** A command's reading of a simulated cluster, over real sockets, at one time of a manual clock. */
export async function readSimulated(options: SimulatedReadingOptions = {}): Promise<ClusterReading> {
  const { scenario = demoScenario, ageMs = 180_000, settings = '' } = options;
  const clock = new ManualClock();
  await using cluster = await SimulatedCluster.start({ clock, scenario });
  await clock.advance(ageMs);
  await options.prepare?.(cluster);
  const token = cluster.issueToken({ user: 'operator', rules: leastRules });
  await using reader = new ClusterReader({
    config: settingsOf(settings),
    scope: wholeCluster,
    credentials: staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token }),
    requests: commandRequests(clock),
    context: { clock, random: () => 0.5, version: '0.0.0-test' },
  });
  await reader.synced(never);
  return await reader.read(never);
}
