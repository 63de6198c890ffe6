import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { parseFault } from '../../sim/simulated-faults.js';
import { codeOf, messageOf, UsageError, UserError } from '../base/errors.js';
import { staticCredentials } from '../credentials/credentials.js';
import type { CommandContext } from './context.js';
import { loadSettings, type SettingFlags } from './load-settings.js';
import { runApp } from './run-app.js';

export interface SimulateOptions {
  readonly port: string;
  readonly seed: string;
  /** `NODE=FAULT`. */
  readonly fault?: readonly string[];
}

/** The simulated cluster alone, until the stop signal. */
export async function simulate(options: SimulateOptions, context: CommandContext): Promise<void> {
  const { clock, stopSignal, writeOut } = context;
  const { SimulatedCluster, parseFault } = await loadSimulation();
  const faults = (options.fault ?? []).map((text) => parseNodeFault(text, parseFault));
  await using cluster = await SimulatedCluster.start({
    clock,
    seed: wholeNumber('--seed', options.seed, 2 ** 32 - 1),
    apiPort: wholeNumber('--port', options.port, 65_535),
    controlPort: 0,
  });
  for (const { nodeName, fault } of faults) await cluster.setFault(nodeName, fault);
  const folder = await mkdtemp(path.join(tmpdir(), 'ephemeral-storage-exporter-'));
  try {
    const kubeconfig = path.join(folder, 'kubeconfig');
    await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
    writeOut(
      [
        `kubeconfig   ${kubeconfig}`,
        `API server   ${cluster.apiUrl}`,
        `faults       ${cluster.controlUrl ?? ''}/sim/nodes`,
        `try          kubectl --kubeconfig ${kubeconfig} get pods -A -o wide`,
        '',
      ].join('\n'),
    );
    if (!stopSignal.aborted) await once(stopSignal, 'abort');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function parseNodeFault(
  text: string,
  parse: typeof parseFault,
): { readonly nodeName: string; readonly fault: ReturnType<typeof parseFault> } {
  const [nodeName, ...fault] = text.split('=');
  if (!nodeName || fault.length === 0)
    throw new UsageError(`--fault ${text}: expected NODE=FAULT, such as node-3=hang`);
  try {
    return { nodeName, fault: parse(fault.join('=')) };
  } catch (error) {
    throw new UsageError(`--fault ${text}: ${messageOf(error)}`, { cause: error });
  }
}

function wholeNumber(flag: string, text: string, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= max) return number;
  throw new UsageError(`${flag}: found "${text}", allowed: a whole number from 0 to ${max}`);
}

/** Loads the simulated cluster. Throws UserError if it is not part of the bundle, as in the production image. */
async function loadSimulation() {
  try {
    const [{ SimulatedCluster }, { parseFault }] = await Promise.all([
      import('../../sim/cluster.js'),
      import('../../sim/simulated-faults.js'),
    ]);
    return { SimulatedCluster, parseFault };
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UserError(
      'the simulated cluster is not part of this installation; run it from a checkout: npm ci && npm run demo',
    );
  }
}

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
  const onListening: Parameters<typeof runApp>[0]['onListening'] = ([port = 0], scheme) => {
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
