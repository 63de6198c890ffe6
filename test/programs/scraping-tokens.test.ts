import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { Exporter, leastRules, reviewRule } from '../support/exporter.js';
import { documentsOf, type Json } from '../support/manifests/documents.js';
import { readmeBlocks } from '../support/manifests/readme.js';
import { eventually, isInstalled, PrometheusServer, temporaryFolder } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';

const mayScrape: Rule = { verbs: ['get'], nonResourceURLs: ['/metrics'] };

/** The part of a scrape configuration in docs/operate.md that sends the token in a file. */
function documentedScrape(file: string): Json {
  const [text = ''] = readmeBlocks('Tokens of the cluster', 'yaml', 'docs/operate.md');
  return documentsOf(text.replace(/(credentials_file: )[^ }]+/, `$1${file}`), 'docs/operate.md')[0] as Json;
}

describeInEachPrometheus('Prometheus with tokens of the cluster', (programs) => {
  it.skipIf(!isInstalled('kubectl'))('Prometheus scrapes with the token of a user that may, alone', async () => {
    await using exporter = await Exporter.start({
      settings: 'web: {authorization: kubernetes}',
      rules: [...leastRules, reviewRule],
    });
    await exporter.synced();
    const { cluster } = exporter;
    await using folder = await temporaryFolder();
    const file = (name: string): string => path.join(folder.path, name);
    await writeFile(file('kubeconfig'), cluster.kubeconfig());
    const createToken = async (name: string, ...flags: readonly string[]): Promise<Json> => {
      const line = ['--kubeconfig', file('kubeconfig'), 'create', 'token', name, '-n', 'monitoring', ...flags];
      const { stdout } = await promisify(execFile)('kubectl', line);
      const tokenFile = file(`${name}${flags.length}`);
      await writeFile(tokenFile, stdout);
      return documentedScrape(tokenFile);
    };
    cluster.access.setRules('system:serviceaccount:monitoring:prometheus-k8s', [mayScrape]);
    await using prometheus = await PrometheusServer.start({
      ...programs,
      targets: [{ target: `127.0.0.1:${exporter.app.ports[0] ?? 0}` }],
      scrape: await createToken('prometheus-k8s'),
      furtherJobs: {
        'no token': {},
        'for another audience': await createToken('prometheus-k8s', '--audience=vault'),
        'another account': await createToken('default'),
      },
    });
    await eventually('all targets', async () =>
      (await prometheus.query('count_over_time(up[1h]) >= 2')).length === 4 ? true : undefined,
    );
    const ups = await prometheus.query('max_over_time(up[1h])');
    expect(Object.fromEntries(ups.map(({ metric, value }) => [metric['job'], value]))).toEqual({
      exporter: 1,
      'no token': 0,
      'for another audience': 0,
      'another account': 0,
    });
    expect(exporter.log.join('')).toContain('User \\"system:serviceaccount:monitoring:default\\" cannot get path');
  });
});
