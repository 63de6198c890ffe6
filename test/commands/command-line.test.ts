import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { temporaryFolder } from '../support/programs.js';

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

/** What the program prints on standard error while its output goes to a file or another program. */
function errorsOf(command: string, redirection: string): string {
  const script = `"$0" --import tsx "$1" ${command} ${redirection}`;
  const args = ['-c', script, process.execPath, cli];
  return spawnSync('sh', args, { encoding: 'utf8', env: environment, timeout: 30_000 }).stderr;
}

/** The program as a user starts it, without the settings of whoever runs the tests. */
function run(...args: readonly string[]): {
  readonly status: number | null;
  readonly out: string;
  readonly error: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', cli, ...args], {
    encoding: 'utf8',
    env: environment,
    timeout: 30_000,
  });
  return { status, out: stdout, error: stderr };
}

describe('the command line', () => {
  it.each([
    { args: ['--no-such-flag'], error: /--no-such-flag/ },
    { args: ['serve', '--log.level', 'loud'], error: /log\.level.*"loud".*--log\.level.*debug, info, warn/ },
    { args: ['serve', '--shard', '2', '--total-shards', '2'], error: /cluster\.shard: found 2 \(--shard\).*less than/ },
    {
      args: ['serve', '--node', 'Node_1'],
      error: /cluster\.node: found "Node_1" \(--node\); allowed: the name of a node/,
    },
    { args: ['serve', '--node', 'a', '--total-shards', '2'], error: /cluster\.node.*no shards.*cluster\.totalShards/ },
    { args: ['replay'], error: /--summaries/ },
    { args: ['replay', '--summaries', '.', '--web.telemetry-path', '/m'], error: /--web\.telemetry-path/ },
    { args: ['no-such-command'], error: /unexpected "no-such-command"; the commands are serve, demo, simulate/ },
    { args: ['serve', 'now'], error: /unexpected "now"/ },
    { args: ['simulate', '--port', '70000'], error: /--port: found "70000"/ },
    { args: ['top', 'disks'], error: /'disks' is invalid.*workloads, pods, containers, volumes, nodes/ },
    { args: ['top', '--limit', '-1'], error: /--limit.*'-1' is invalid.*whole number, 0 for all/ },
    { args: ['top', '--output', 'yaml'], error: /--output.*'yaml' is invalid.*table, json/ },
    { args: ['top', '--watch', '--interval', '1ms'], error: /--interval.*'1ms' is invalid.*from 100ms to 1h/ },
    { args: ['top', '--interval', '1s'], error: /--interval goes with --watch/ },
    { args: ['top', '--web.listen-address', ':1'], error: /unknown option '--web.listen-address'/ },
    { args: ['explain'], error: /missing required argument 'kind'/ },
    { args: ['explain', 'node', 'node-1'], error: /'node' is invalid.*pod, workload/ },
    { args: ['explain', 'pod'], error: /missing required argument 'name'/ },
    { args: ['explain', 'pod', 'cart'], error: /explain pod "cart": expected NAMESPACE\/NAME/ },
    { args: ['simulate', '--fault', 'node-1'], error: /--fault node-1: expected NODE=FAULT/ },
  ])('answers $args with one line that names the fault, and exit code 2', ({ args, error }) => {
    const result = run(...args);
    expect(result.error).toMatch(error);
    expect(result.error.trim().split('\n')).toHaveLength(1);
    expect(result).toMatchObject({ status: 2, out: '' });
  });

  it('tells what was tried for credentials, with exit code 1', () => {
    const result = run('serve', '--web.listen-address', '127.0.0.1:0');
    expect(result.error).toMatch(/no credentials for the API server.*--kubeconfig/);
    expect(result.error).not.toMatch(/\n\s+at /);
    expect(result.status).toBe(1);
  });

  it.each([['top'], ['top', '--watch'], ['explain', 'workload', 'cart']])('so does %s %s', (...args) => {
    const result = run(...args);
    expect(result.error).toMatch(/^no credentials for the API server.*--kubeconfig/);
    expect(result).toMatchObject({ status: 1, out: '' });
  });

  it('lists the commands and prints its version', () => {
    expect(run('--help').out).toMatch(
      /serve[^]*demo[^]*simulate[^]*top[^]*explain[^]*check-config[^]*replay[^]*metrics/,
    );
    expect(run('--version').out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('is silent when nobody reads its output to the end', () => {
    expect(errorsOf('metrics', '| true')).toBe('');
  });

  it.skipIf(!existsSync('/dev/full'))('says in one line that its output cannot be written', () => {
    expect(errorsOf('metrics', '> /dev/full')).toMatch(/^standard output: ENOSPC.*\n$/);
  });

  it('prints the table of families', () => {
    const { status, out } = run('metrics');
    expect(status).toBe(0);
    expect(out).toMatch(/^\| Family \| Type \| Labels \| Meaning \|\n/);
    expect(out).toContain('| `ephemeral_storage_workload_used_bytes` | gauge | `workload` |');
    expect(out).not.toContain('pod_name');
  });

  it('prints the table of the families of the other exporter', () => {
    const { status, out } = run('metrics', '--compatibility');
    expect(status).toBe(0);
    expect(out).toContain('| `ephemeral_storage_node_percentage` | gauge | `node_name` |');
    expect(out).toMatch(/`ephemeral_storage_container_rootfs_used_bytes` \| gauge \| .*`pod`.*`pod_name`/);
    expect(out.trimEnd().split('\n')).toHaveLength(2 + 24);
  });
});

describe('check-config', () => {
  it('prints the effective settings', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'config.yaml');
    await writeFile(file, 'cache: {ttl: 30s}\n');
    const { status, out } = run('check-config', '--config.file', file);
    expect(status).toBe(0);
    expect(out).toMatch(/cache:\n {2}ttl: 30s/);
  });

  it('warns of an expression that takes no family', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'config.yaml');
    await writeFile(file, 'metrics: {allow: [pod_used_bytes]}\n');
    const { status, error } = run('check-config', '--config.file', file);
    expect(error).toBe('warning: metrics.allow[0] "pod_used_bytes" takes no family: it is held against whole names\n');
    expect(status).toBe(0);
  });

  it('tells every fault of a file in one run, with exit code 1', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'config.yaml');
    await writeFile(file, 'cache: {ttl: soon}\nkubelet: {acess: direct}\nscrape: {maxInFlight: 0}\n');
    const { status, out, error } = run('check-config', '--config.file', file);
    expect(error).toMatch(/cache\.ttl: found "soon" \(.*config\.yaml:1\)/);
    expect(error).toMatch(/kubelet\.acess.*did you mean/);
    expect(error).toMatch(/scrape\.maxInFlight: found 0/);
    expect({ status, out }).toEqual({ status: 1, out: '' });
  });
});
