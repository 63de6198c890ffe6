import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { type SeriesTable, tableOf } from '../../oracle/series.js';
import { ChildCommand } from '../../support/child.js';
import { parseExposition } from '../../support/exposition-parser.js';
import { send } from '../../support/http-get.js';
import { flagsOf } from '../../support/manifests/exporter-settings.js';
import { renderOptedIn } from '../../support/manifests/kustomize.js';
import { configOf, exporterOf } from '../../support/manifests/policies.js';
import { eventually } from '../../support/programs.js';
import type { RealCluster } from '../../support/real-cluster.js';
import { MountedAccount } from './mirror.js';
import { applyShipped, serviceAccount } from './shipped.js';

/** Families about the exporter, and those of what it has seen earlier or assumes: objects and summaries of a moment do not tell. */
const otherFamilies =
  /^(?:exporter_|process_|nodejs_|(?:node|workload)_evictions_total|pod_evicted_|pod_eviction_rank|pod_time_to_limit_seconds|node_time_to_eviction_seconds|node_eviction_(?:threshold|headroom)_|node_data_timestamp_seconds)/;

export interface Scraped {
  /** What follows from the summaries and objects of the moment. */
  readonly present: SeriesTable;
  readonly others: SeriesTable;
}

/**
 * The built program with the flags, settings and permissions of the overlay `deployment`, and a token of its service
 * account; besides, it serves all families, reads the kubelets at each scrape and knows their authority.
 */
export class ServedExporter implements AsyncDisposable {
  readonly #command: ChildCommand;
  readonly #port: number;

  private constructor(command: ChildCommand, port: number) {
    this.#command = command;
    this.#port = port;
  }

  /** Resolves when it is ready. */
  static async start({ server, simulated }: RealCluster): Promise<ServedExporter> {
    applyShipped(server);
    const account = new MountedAccount(server);
    await account.mount();
    const objects = renderOptedIn('deployment', []);
    const files = {
      config: server.file('config.yaml'),
      kubelets: server.file('kubelets.crt'),
      own: server.file('own'),
    };
    await writeFile(files.config, configOf(objects));
    await writeFile(files.kubelets, simulated.caPem);
    await writeFile(files.own, JSON.stringify(kubeconfigOf(server.url, account.folder)));
    const further = ['cache.ttl=0', 'metrics.profile=full', `kubelet.tls.caFile=${files.kubelets}`];
    const command = new ChildCommand([
      'serve',
      ...flagsOf(exporterOf(objects), files.config),
      ...['--kubeconfig', files.own, '--web.listen-address', '127.0.0.1:0', '--log.format', 'json'],
      ...further.flatMap((setting) => ['--set', setting]),
    ]);
    const exporter = new ServedExporter(command, Number(await command.printed(/"ports":"(\d+)"/)));
    await eventually('the exporter to be ready', async () => {
      const { status } = await send({ port: exporter.#port, path: '/readyz' });
      return status === 200 ? true : undefined;
    });
    return exporter;
  }

  async scrape(): Promise<Scraped> {
    const { body } = await send({ port: this.#port, path: '/metrics' });
    const series = [...tableOf(parseExposition(body, 'text'))];
    return {
      present: new Map(series.filter(([key]) => !otherFamilies.test(key))),
      others: new Map(series.filter(([key]) => otherFamilies.test(key))),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#command[Symbol.asyncDispose]();
  }
}

function kubeconfigOf(server: string, folder: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'pod',
    contexts: [{ name: 'pod', context: { cluster: 'real', user: serviceAccount.name } }],
    clusters: [{ name: 'real', cluster: { server, 'certificate-authority': path.join(folder, 'ca.crt') } }],
    users: [{ name: serviceAccount.name, user: { tokenFile: path.join(folder, 'token') } }],
  };
}
