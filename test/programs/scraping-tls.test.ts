import path from 'node:path';

import { hashSync } from 'bcryptjs';
import { expect, it } from 'vitest';

import { TestAuthority } from '../support/certificates.js';
import { startWebDemo, type WebDemo } from '../support/demo.js';
import { documentsOf, type Json, listAt } from '../support/manifests/documents.js';
import { readmeBlocks } from '../support/manifests/readme.js';
import { eventually, PrometheusServer } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';

const password = 'pa:ss wörd';

const webFile = `
tls_server_config:
  cert_file: tls.crt
  key_file: tls.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: exporter-ca.crt
basic_auth_users: {prometheus: ${hashSync(password, 10)}}
`;

const authority = await TestAuthority.create();
const other = await TestAuthority.create('another-ca');

async function start(): Promise<WebDemo> {
  const [server, client, foreign] = await Promise.all([
    authority.issueServer(),
    authority.issueClient('prometheus'),
    other.issueClient('prometheus'),
  ]);
  return startWebDemo({
    'web.yml': webFile,
    'tls.crt': server.cert,
    'tls.key': server.key,
    'exporter-ca.crt': authority.certificate,
    'other-ca.crt': other.certificate,
    'prometheus.crt': client.cert,
    'prometheus.key': client.key,
    'foreign.crt': foreign.cert,
    'foreign.key': foreign.key,
    'exporter-password': `${password}\n`,
    'wrong-password': 'wrong\n',
  });
}

/** The scrape configuration of docs/operate.md, with its files in a folder. */
function documentedScrape(folder: string): Json {
  const blocks = readmeBlocks('TLS and passwords', 'yaml', 'docs/operate.md');
  const text = blocks.find((block) => block.includes('scheme: https')) ?? '';
  const inFolder = text.replaceAll(
    /(_file: )(\S+)/g,
    (_match, key: string, name: string) => key + path.join(folder, name),
  );
  return listAt(documentsOf(inFolder, 'docs/operate.md')[0], 'scrape_configs')[0] ?? {};
}

describeInEachPrometheus('Prometheus with TLS and passwords', (programs) => {
  it('Prometheus scrapes with TLS by the configuration of the docs, and by none that lacks a part', async () => {
    await using demo = await start();
    const scrape = documentedScrape(demo.folder);
    const file = (name: string): string => path.join(demo.folder, name);
    const tlsConfig = (authority: string, client: string): Json => ({
      tls_config: {
        ca_file: file(`${authority}.crt`),
        cert_file: file(`${client}.crt`),
        key_file: file(`${client}.key`),
      },
    });
    const settings = { ...scrape, job_name: 'exporter', scrape_interval: '1s', scrape_timeout: '1s' };
    const faulty = {
      'clear text': { scheme: 'http', tls_config: {} },
      'wrong password': { basic_auth: { username: 'prometheus', password_file: file('wrong-password') } },
      'no password': { basic_auth: undefined },
      'no certificate': { tls_config: { ca_file: file('exporter-ca.crt') } },
      'foreign certificate': tlsConfig('exporter-ca', 'foreign'),
      'another server': tlsConfig('other-ca', 'prometheus'),
    };
    await using prometheus = await PrometheusServer.start({
      ...programs,
      targets: [{ target: demo.target }],
      scrape: settings,
      furtherJobs: Object.fromEntries(
        Object.entries(faulty).map(([job, part]) => [job, { ...settings, ...part, job_name: job }]),
      ),
    });
    const workloads = 'ephemeral_storage_workload_used_bytes';
    await eventually('workloads', async () => ((await prometheus.query(workloads)).length >= 6 ? true : undefined));
    const { cert, key } = await authority.issueServer();
    await demo.write('tls.crt', cert);
    await demo.write('tls.key', key);
    await demo.command.printed(/(web\.config\.file reloaded)/);
    const scrapeCount = async (): Promise<number> =>
      (await prometheus.query('count_over_time(up{job="exporter"}[1h])'))[0]?.value ?? 0;
    const beforeCount = await scrapeCount();
    await eventually('more scrapes', async () => ((await scrapeCount()) >= beforeCount + 3 ? true : undefined));
    const ups = await prometheus.query('max_over_time(up[1h])');
    expect(Object.fromEntries(ups.map(({ metric, value }) => [metric['job'], value]))).toEqual({
      exporter: 1,
      ...Object.fromEntries(Object.keys(faulty).map((job) => [job, 0])),
    });
    expect(await prometheus.query('up{job="exporter"}')).toMatchObject([{ value: 1 }]);
    expect(await prometheus.query('count by (job) (ephemeral_storage_node_data_available)')).toMatchObject([
      { metric: { job: 'exporter' } },
    ]);
  });
});
