// @module-tag sockets

import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import type { CommandContext } from '../../src/commands/context.js';
import { runApp } from '../../src/commands/run-app.js';
import { loadSettings } from '../../src/config/load.js';
import type { FlagValues } from '../../src/config/text-layers.js';
import { UserError } from '../../src/lib/base/errors.js';
import { aCommandContext } from '../support/command-context.js';
import { parseExposition } from '../support/exposition-parser.js';
import { type HttpAnswer, send } from '../support/http-get.js';
import { startCommand } from './running-command.js';

type StartOptions = Partial<Pick<CommandContext, 'hostName' | 'environment' | 'random'>> & {
  /** Flags of the settings, without a file. */
  readonly flags?: FlagValues;
};

const lifecycle: FlagValues = { 'web.enable-lifecycle': true };

/** The exporter with a settings file or flags, ready. */
async function start(settings: string, { flags, ...overrides }: StartOptions = {}) {
  const command = await startCommand({
    files: { 'config.yaml': settings },
    flagsIn: (folder) => ({
      configFile: flags === undefined ? path.join(folder, 'config.yaml') : undefined,
      values: { ...lifecycle, ...flags },
    }),
    overrides,
  });
  const request = (method: string, target: string): Promise<HttpAnswer> =>
    send({ port: command.port, path: target, method });
  await expect.poll(async () => (await request('GET', '/readyz')).status, { interval: 10 }).toBe(200);
  const samples = async (family: string) => {
    const families = parseExposition((await request('GET', '/metrics')).body, 'text');
    return families.find(({ name }) => name === `ephemeral_storage_${family}`)?.samples ?? [];
  };
  return {
    ...command,
    request,
    value: async (family: string) => (await samples(family))[0]?.value,
    labels: async (family: string) => (await samples(family))[0]?.labels,
    workloads: async () => (await samples('workload_used_bytes')).map(({ labels }) => labels['workload']),
    rewrite: (text: string) => command.write('config.yaml', text),
  };
}

it('a reload over HTTP takes the new settings over', async () => {
  await using exporter = await start('workloads: {labels: [app]}\n');
  expect(await exporter.workloads()).toEqual(['cart']);
  await exporter.rewrite('workloads: {labels: [team]}\n');
  expect((await exporter.request('POST', '/-/reload')).status).toBe(200);
  expect(await exporter.workloads()).toEqual(['shop']);
});

it('a reload of a file with faults keeps the last good settings and says so', async () => {
  await using exporter = await start('workloads: {labels: [app]}\n');
  const hash = await exporter.value('exporter_config_hash');
  await exporter.rewrite('workloads: {labels: [team]\n');
  const answer = await exporter.request('POST', '/-/reload');
  expect(answer).toMatchObject({ status: 500, text: 'reload failed: see the log\n' });
  expect(await exporter.workloads()).toEqual(['cart']);
  expect(await exporter.value('exporter_config_last_reload_successful')).toBe(0);
  expect(await exporter.value('exporter_config_hash')).toBe(hash);
  expect(exporter.log()).toMatch(/the last good ones stay in force.*config\.yaml:/);
  expect(exporter.log().match(/level=(?:warn|error)/g)).toHaveLength(1);
});

it('a reload over HTTP without a file fails, and the log says how to have one', async () => {
  await using exporter = await start('', { flags: {} });
  expect((await exporter.request('POST', '/-/reload')).status).toBe(500);
  expect(exporter.log().match(/level=(?:warn|error).*/g)).toEqual([expect.stringContaining('--config.file')]);
});

it('a reload follows SIGHUP', async () => {
  await using exporter = await start('workloads: {labels: [app]}\n');
  await exporter.rewrite('workloads: {labels: [team]}\n');
  exporter.hangUp();
  await expect.poll(exporter.workloads, { interval: 10 }).toEqual(['shop']);
});

it('a reload at SIGHUP logs a fault once', async () => {
  await using exporter = await start('{}');
  await exporter.rewrite('workloads: {labels: [team]\n');
  exporter.hangUp();
  await expect.poll(() => exporter.log(), { interval: 10 }).toContain('the last good ones stay in force');
  expect(exporter.log().match(/config\.yaml:/g)).toHaveLength(1);
});

it('a reload warns of what changes at the next start only', async () => {
  await using exporter = await start('{}');
  await exporter.rewrite('log: {level: debug}\nevictions: {file: /data/evictions.json}\n');
  await exporter.request('POST', '/-/reload');
  expect(exporter.log()).toMatch(/take effect after a restart.*log/);
  expect(exporter.log()).toMatch(/take effect after a restart.*evictions\.file/);
});

describe('the part of the cluster that is measured', () => {
  const oneNode = { shard: '0', total_shards: '1', node: 'node-1' };
  const lastShard = { shard: '2', total_shards: '3', node: '' };

  it.each<[how: string, settings: string, options: StartOptions, labels: object]>([
    ['$NODE_NAME', 'cluster: {nodeLocal: true}\n', { environment: { NODE_NAME: 'node-1' } }, oneNode],
    ['the name of the host', 'cluster: {nodeLocal: true}\n', { hostName: 'node-1' }, oneNode],
    ['the ordinal of the pod', '', { flags: { 'total-shards': '3' }, hostName: 'e-2' }, lastShard],
  ])('the measured part of the cluster follows %s', async (_how, settings, options, labels) => {
    await using exporter = await start(settings, options);
    expect(await exporter.labels('exporter_scope_info')).toEqual(labels);
  });

  it('the measured part of the cluster is no longer looked up when the stop signal comes', async () => {
    await using cluster = await SimulatedCluster.start({ scenario: emptyScenario('node-1') });
    const { context, stop } = aCommandContext();
    const settings = await loadSettings(
      { configFile: undefined, values: lifecycle },
      { environment: { EPHEMERAL_STORAGE_EXPORTER_CLUSTER_NODE_LOCAL: 'true' } },
    );
    stop();
    const credentials = staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token: cluster.token });
    await expect(runApp({ settings, credentials, context })).rejects.toThrow(new UserError('stopped before the start'));
  });
});

it('a part that ends unexpectedly stops the exporter, is in the log, and is the error of the command', async () => {
  let isBroken = false;
  const random = (): number => {
    if (isBroken) throw new Error('no entropy');
    return 0.5;
  };
  await using exporter = await start('{}', { random });
  isBroken = true;
  await exporter.cluster.setApiFault('down');
  await expect(exporter.ended).rejects.toThrow(/^the watch of (?:nodes|pods) has ended: no entropy$/);
  const faults = exporter.log().match(/level=error.*/g);
  expect(faults).toEqual([expect.stringMatching(/msg="the exporter cannot go on" error="the watch of .*no entropy"/)]);
  await expect(exporter.request('GET', '/readyz')).rejects.toThrow('ECONNREFUSED');
});

it('switched off verification is shown by a gauge and a warning', async () => {
  await using exporter = await start('kubelet: {tls: {insecureSkipVerify: true}}\n');
  expect(await exporter.value('exporter_kubelet_tls_verification_disabled')).toBe(1);
  expect(exporter.log()).toMatch(/level=warn msg="kubelet TLS verification is disabled/);
  expect(await exporter.value('node_data_available')).toBe(1);
});
