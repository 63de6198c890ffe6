import { staticCredentials } from '../credentials/credentials.js';
import type { CommandContext } from './context.js';
import { loadSettings, type SettingFlags } from './load-settings.js';
import { runApp, type RunAppOptions } from './run-app.js';
import { loadSimulation } from './simulate.js';

/** Shorter than the defaults, so that a viewer sees the figures move and a failing node turn stale and absent. */
const demoSettings = `
kubelet: {requestTimeout: 3s}
cache: {ttl: 10s}
`;

/** A simulated cluster and the exporter for it, until the stop signal. */
export async function demo(flags: SettingFlags, context: CommandContext): Promise<void> {
  const settings = await loadSettings(flags, context, demoSettings);
  const { SimulatedCluster } = await loadSimulation();
  await using cluster = await SimulatedCluster.start({ clock: context.clock, controlPort: 0 });
  const { access } = settings.config.kubelet;
  const isTokenRequired = settings.config.web.authorization === 'kubernetes';
  const token = cluster.issueToken({
    user: 'system:serviceaccount:ephemeral-storage-exporter:ephemeral-storage-exporter',
    rules: [
      { verbs: ['list', 'watch'], resources: ['nodes', 'pods'] },
      { verbs: ['get'], resources: [access === 'proxy' ? 'nodes/proxy' : 'nodes/stats'] },
      ...(isTokenRequired ? [{ verbs: ['create'], resources: ['tokenreviews', 'subjectaccessreviews'] }] : []),
    ],
  });
  const credentials = staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token });
  const onListening: RunAppOptions['onListening'] = ([port = 0], scheme) => {
    const { telemetryPath } = settings.config.web;
    const faultUrl = `${cluster.controlUrl ?? ''}/sim/nodes/node-3/fault`;
    const url = `${scheme}://localhost:${port}`;
    context.writeOut(
      [
        `exporter           ${url}`,
        `metrics            ${url}${telemetryPath}`,
        ...(isTokenRequired ? [`required header    Authorization: Bearer ${cluster.token}`] : []),
        `break a kubelet    curl -X PUT -d hang ${faultUrl}`,
        `repair it          curl -X DELETE ${faultUrl}`,
        'Ctrl-C ends the exporter and the simulated cluster.',
        '',
      ].join('\n'),
    );
  };
  await runApp({ settings, credentials, context, onListening });
}
