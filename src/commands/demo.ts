import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

import type { SimulatedCluster } from '../../sim/cluster.js';
import type { Scenario, ScenarioHighlights } from '../../sim/model/scenario.js';
import { staticCredentials } from '../cluster/credentials/credentials.js';
import { type Loaded, loadSettings, type SettingFlags } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { LinkedAbort } from '../lib/base/abortable.js';
import { messageOf } from '../lib/base/errors.js';
import { commandLine } from '../lib/base/text.js';
import type { CommandContext } from './context.js';
import { runApp } from './run-app.js';
import { kubeconfigFile, simulatedCluster, type SimulationFlags } from './simulate.js';

/** Between two scrapes of its own. */
const intervalMs = 10_000;

/** Of the cluster, in the kubeconfig and on the page. */
const clusterName = 'demo';

/** Shorter than the defaults, so that a viewer sees the figures move and a failing node turn stale and absent. */
const demoSettings = `
kubelet: {requestTimeout: 3s}
cache: {ttl: 10s}
`;

/** A simulated cluster and the exporter for it, until the stop signal. */
export async function demo(
  options: { readonly settings: SettingFlags; readonly simulation: SimulationFlags },
  context: CommandContext,
): Promise<void> {
  const simulation = await simulatedCluster(options.simulation, context);
  const settings = named(await loadSettings(options.settings, context, demoSettings));
  const { web, kubelet } = settings.config;
  await using cluster = await simulation.start();
  await using kubeconfig = await kubeconfigFile(cluster.kubeconfig(cluster.token, clusterName));
  const isTokenRequired = web.authorization === 'kubernetes';
  const token = cluster.issueToken({
    user: 'system:serviceaccount:ephemeral-storage-exporter:ephemeral-storage-exporter',
    rules: [
      { verbs: ['list', 'watch'], resources: ['nodes', 'pods'] },
      { verbs: ['get'], resources: kubelet.access === 'proxy' ? ['nodes/proxy'] : ['nodes/stats', 'nodes/configz'] },
      ...(isTokenRequired ? [{ verbs: ['create'], resources: ['tokenreviews', 'subjectaccessreviews'] }] : []),
    ],
  });
  const credentials = staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token });
  const authorization = `Bearer ${cluster.token}`;
  using scraping = new LinkedAbort(context.stopSignal);
  let scrapes: Promise<void> | undefined;
  const onListening: Parameters<typeof runApp>[0]['onListening'] = ([port = 0], scheme) => {
    simulation.addExporter(cluster, port);
    const url = `${scheme}://localhost:${port}`;
    const metricsUrl = `${url}${web.telemetryPath}`;
    const headers = isTokenRequired ? { authorization } : {};
    scrapes = scrapeRegularly({ url: metricsUrl, headers }, { ...context, stopSignal: scraping.signal });
    context.writeOut(
      [
        `exporter           ${url}`,
        `metrics            ${metricsUrl}`,
        'scraped            every 10 s by the demo itself, as by Prometheus',
        ...(isTokenRequired ? [`required header    Authorization: ${authorization}`] : []),
        `kubeconfig         ${kubeconfig.path}`,
        ...faultLines(cluster),
        'read-only          not served here: kubectl edit, cordon, debug, exec, logs, port-forward; no objects of workloads (deploy/…)',
        'try, in another terminal:',
        ...tryLines(simulation.scenario, cluster, kubeconfig.path, context),
        'Ctrl-C ends the exporter and the simulated cluster.',
        '',
      ].join('\n'),
    );
    announceEviction(cluster, kubeconfig.path, context);
  };
  try {
    await runApp({ settings, credentials, context, onListening });
  } finally {
    scraping.abort(new Error('stopped'));
    await scrapes;
  }
}

/** Has the name of the cluster unless the settings give it another one. */
function named({ config, file }: Loaded<Config>): Loaded<Config> {
  const name = (loaded: Config): Config => ({
    ...loaded,
    web: { ...loaded.web, clusterName: loaded.web.clusterName ?? clusterName },
  });
  return { config: name(config), file: file && { ...file, load: (text) => name(file.load(text)) } };
}

function faultLines({ controlUrl = '', model }: SimulatedCluster): readonly string[] {
  const nodeName = (model.nodes[2] ?? model.nodes.at(-1))?.spec.name ?? '';
  const url = `${controlUrl}/sim/nodes/${nodeName}/fault`;
  return [`break a kubelet    curl -X PUT -d hang ${url}`, `repair it          curl -X DELETE ${url}`];
}

/** Prints how to explain the first eviction, once there is one. */
function announceEviction({ model }: SimulatedCluster, kubeconfig: string, context: CommandContext): void {
  let isAnnounced = false;
  model.onPodFailed(({ spec: { namespace, name }, failure }) => {
    if (isAnnounced || failure?.kind !== 'evicted') return;
    isAnnounced = true;
    const command = shownCommand(['explain', 'eviction', '-n', namespace, name], kubeconfig, context);
    context.writeOut(`A pod was evicted. Why:\n  ${command}\n`);
  });
}

/** Scrapes the exporter of this process until the stop signal, as Prometheus would. Reports the first failure. */
async function scrapeRegularly(
  scrape: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  { clock, stopSignal, writeError }: Pick<CommandContext, 'clock' | 'stopSignal' | 'writeError'>,
): Promise<void> {
  const isOver = (): boolean => stopSignal.aborted;
  let hasFailed = false;
  while (!isOver()) {
    await clock.sleep(intervalMs, stopSignal).catch(() => undefined);
    if (isOver()) return;
    try {
      await read(scrape, stopSignal);
    } catch (error) {
      if (!hasFailed && !isOver()) writeError(`the demo cannot scrape itself: ${messageOf(error)}\n`);
      hasFailed = true;
    }
  }
}

/** The certificate is not verified: it is that of this process. */
async function read({ url, headers }: Parameters<typeof scrapeRegularly>[0], signal: AbortSignal): Promise<void> {
  const options = { headers, signal };
  const request = url.startsWith('https:')
    ? requestHttps(url, { ...options, rejectUnauthorized: false })
    : requestHttp(url, options);
  const [response] = (await once(request.end(), 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode ?? 0}`);
}

/** Returns lines with commands that show what the scenario is about. */
function tryLines(
  { highlights }: Scenario,
  { model }: Pick<SimulatedCluster, 'model'>,
  kubeconfig: string,
  context: Pick<CommandContext, 'invocation'>,
): readonly string[] {
  const commands = [['top', 'next', '-A']];
  if (highlights !== undefined) {
    const { nodeName, namespace, deployment } = highlights;
    commands.push(['explain', 'node', nodeName]);
    commands.push(['explain', 'pod', '-n', namespace, highlightedPod(model, highlights)]);
    commands.push(['explain', 'workload', '-n', namespace, deployment]);
  }
  commands.push(['top', 'evictions', '-A']);
  return commands.map((words) => `  ${shownCommand(words, kubeconfig, context)}`);
}

/** The command of this program, as a shell in any folder runs it. */
function shownCommand(
  words: readonly string[],
  kubeconfig: string,
  { invocation }: Pick<CommandContext, 'invocation'>,
): string {
  return `${invocation} ${commandLine([...words, '--kubeconfig', kubeconfig])}`;
}

function highlightedPod(model: SimulatedCluster['model'], { namespace, deployment }: ScenarioHighlights): string {
  const pod = model.pods.find(({ spec }) => spec.namespace === namespace && spec.labels?.['app'] === deployment);
  return pod?.spec.name ?? '';
}
