import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { SimulatedCluster } from '../../sim/cluster.js';
import { runArguments } from '../../src/commands/command-line.js';
import { aCommandContext } from '../../test/support/command-context.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { ServedFolder } from './folder.js';
import { advance } from './settled.js';

const resources = ['workloads', 'pods', 'containers', 'volumes', 'nodes', 'evictions'];
const forms = ['table', 'wide', 'json', 'yaml'];

/** Of the demo cluster eight minutes after its start. */
function commandLines(pods: readonly string[], workloads: readonly string[]): readonly string[] {
  return [
    ...resources.flatMap((resource) => forms.map((form) => `top ${resource} -A -o ${form}`)),
    'top -n shop',
    'top pods -A --limit 3',
    'top pods -A -l app=thumbnailer',
    'top nothing',
    'top -A --sort-by=wrong',
    ...pods.flatMap((pod) => [`explain pod ${pod}`, `explain pod ${pod} -o json`]),
    'explain pod nothing/none',
    ...workloads.flatMap((workload) => [`explain workload ${workload}`, `explain workload ${workload} -o json`]),
    ...['node-1', 'node-3', 'node-9'].flatMap((node) => [`explain node ${node}`, `explain node ${node} -o json`]),
    'check-config --set cache.ttl=10s',
    'check-config --set cache.tlt=10s --set kubelet.port=x',
    'metrics',
    '--help',
    'top --help',
    'explain --help',
  ];
}

/** Writes output, errors and exit codes of commands, while one kubelet fails. */
export async function writeCommands(folder: ServedFolder): Promise<void> {
  const clock = new ManualClock();
  await using cluster = await SimulatedCluster.start({ clock });
  await advance(cluster, clock, 480_000);
  await cluster.setFault('node-2', 'status:503');
  const home = await mkdtemp(path.join(tmpdir(), 'served-'));
  try {
    const kubeconfig = path.join(home, 'kubeconfig');
    await writeFile(kubeconfig, cluster.kubeconfig());
    const pods = cluster.model.pods.map(({ spec }) => `${spec.namespace}/${spec.name}`).sort();
    const workloads = ['shop/Deployment/checkout', 'search/StatefulSet/index', 'media/thumbnailer', 'nothing'];
    for (const line of commandLines(pods, workloads)) {
      const { context, out, error } = aCommandContext({ clock, environment: { KUBECONFIG: kubeconfig } });
      const exitCode = await runArguments(line.split(' '), context);
      const name = line.replaceAll(/[^A-Za-z0-9.=-]+/g, '_');
      const text = `$ ${line}\n${out()}--- standard error\n${error()}--- exit code ${exitCode}\n`;
      await folder.write(`commands/${name}.txt`, text.replaceAll(home, 'HOME'));
    }
  } finally {
    await rm(home, { recursive: true });
  }
}
