import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { runArguments, shortFlag } from '../../src/commands/command-line.js';
import { createProgram } from '../../src/commands/program.js';
import { invocationOf, programNameOf } from '../../src/commands/program-name.js';
import { aCommandContext } from '../support/command-context.js';
import { kubectlLines, type UnderstoodLine } from '../support/kubectl-lines.js';
import { temporaryFolder } from '../support/programs.js';

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** The program as a process of its own, through a shell: `"$0" "$@"` runs it with the arguments. */
function spawned(script: string, ...args: readonly string[]) {
  const program = [process.execPath, '--import', 'tsx', cli].map((word) => `'${word}'`).join(' ');
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script.replaceAll('PROGRAM', program), 'sh', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
    timeout: 30_000,
  });
  return { status, out: stdout, error: stderr };
}

/** The program without the settings of the user who runs the tests. */
async function run(...args: readonly string[]) {
  const { context, out, error } = aCommandContext();
  const status = await runArguments(args, context);
  return { status, out: out(), error: error() };
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
    { args: ['serve', '--set', 'cache.ttl=soon'], error: /cache\.ttl: found "soon" \(--set cache\.ttl\).*a duration/ },
    { args: ['top', '--set', 'cahce.ttl=9s'], error: /cahce\.ttl: unknown path.*did you mean cache\.ttl\?/ },
    { args: ['replay', '--summaries', '.', '--set', 'cache'], error: /^--set cache: no value; allowed: PATH=VALUE/ },
    { args: ['replay'], error: /--summaries/ },
    { args: ['replay', '--summaries', '.', '--web.telemetry-path', '/m'], error: /--web\.telemetry-path/ },
    { args: ['no-such-command'], error: /unknown command "no-such-command"; the commands are serve, demo, simulate/ },
    { args: ['tpo'], error: /unknown command "tpo" \(did you mean top\?\)/ },
    { args: ['serve', 'now'], error: /unknown command "now"/ },
    {
      args: ['simulate', '--scenario', 'none'],
      error: /^--scenario: found "[^"]*", allowed: mixed, images-full, log-flood/,
    },
    { args: ['demo', '--scenario', ''], error: /^--scenario: found "[^"]*", allowed: mixed, images-full, log-flood/ },
    { args: ['simulate', '--nodes', '1'], error: /--nodes: found "1", allowed: a whole number from 2 to 1000/ },
    { args: ['demo', '--nodes', '2.5'], error: /--nodes: found "2.5", allowed: a whole number from 2 to 1000/ },
    { args: ['demo', '--pods', '-1'], error: /--pods: found "-1", allowed: a whole number/ },
    {
      args: ['demo', '--pods', '3'],
      error: /--pods: found "3", allowed with --nodes 5: from 2\d, .* to 550, 110 a node/,
    },
    { args: ['simulate', '--nodes', '2', '--pods', '221'], error: /--pods: found "221", allowed with --nodes 2/ },
    { args: ['demo', '--seed', 'x'], error: /--seed: found "x", allowed: a whole number from 0 to 4294967295/ },
    { args: ['simulate', '--port', '70000'], error: /--port: found "70000"/ },
    {
      args: ['top', 'disks'],
      error: /^top "disks": allowed: next, workloads, pods, containers, volumes, nodes, evictions$/m,
    },
    { args: ['top', 'conainers'], error: /^top "conainers": allowed: .*\(did you mean containers\?\)/ },
    { args: ['top', 'pods', '-n', '../..'], error: /^--namespace: found "..\/..", allowed: the name of a namespace$/m },
    { args: ['top', 'pods', '-n', '%2e'], error: /^--namespace: found "%2e", allowed: the name of a namespace$/m },
    { args: ['explain', 'pod', '../cart-0'], error: /^explain pod "..\/cart-0": expected NAME or NAMESPACE\/NAME$/m },
    { args: ['top', '--limit', '-1'], error: /^--limit: found "-1", allowed: a whole number, 0 for all$/m },
    { args: ['top', '--output', 'xml'], error: /^--output: found "xml", allowed: table, wide, json, yaml, name$/m },
    { args: ['top', '--watch', '--interval', '1ms'], error: /^--interval: found "1ms", allowed: .*from 100ms to 1h$/m },
    { args: ['top', '--interval', '1s'], error: /--interval needs --watch/ },
    { args: ['top', '--web.listen-address', ':1'], error: /^unknown option '--web.listen-address'/ },
    { args: ['explain'], error: /^missing required argument 'resource'/ },
    {
      args: ['explain', 'volume', 'data'],
      error: /^explain "volume": allowed: pod, workload, node, eviction, deployment, statefulset/,
    },
    { args: ['top', 'pod', 'a', 'b'], error: /^top: found 3 arguments, allowed: at most 2$/m },
    { args: ['completion', 'zsh'], error: /^unknown command "completion"; the commands are serve, demo, simulate/ },
    { args: ['explain', 'node', 'node-1', '--free', '5Gi'], error: /^unknown option '--free'/ },
    { args: ['explain', 'node', 'node-1', '--without', 'shop/a'], error: /^unknown option '--without'/ },
    { args: ['explain', 'pod', 'cart-0', '--limit', '1Gi'], error: /^unknown option '--limit'/ },
    { args: ['top', '--from', 'prometheus'], error: /^--from: found "prometheus", allowed: exporter, kubelets$/m },
    { args: ['top', '--exporter', 'a/b', '--from', 'kubelets'], error: /--exporter and --from kubelets exclude/ },
    { args: ['top', '--summaries', '.', '--from', 'kubelets'], error: /--summaries excludes --from and --exporter/ },
    { args: ['explain', 'pod', 'a', '--summaries', '.', '--exporter', 'a/b'], error: /--summaries excludes --from/ },
    { args: ['explain', 'node', 'node-1', '--objects', '.'], error: /--objects needs --summaries/ },
    { args: ['top', '--summaries', '.', '--context', 'prod'], error: /--summaries and --context exclude each other/ },
    { args: ['top', '--summaries', '.', '--as-group', 'g'], error: /--summaries and --as-group exclude each other/ },
    { args: ['top', '--summaries', '.', '-s', 'h'], error: /--summaries and --server exclude each other/ },
    { args: ['top', '-A=false'], error: /^unknown option '-false'$/m },
    { args: ['top', '-An=shop'], error: /^--namespace: found "=shop", allowed: the name of a namespace$/m },
    { args: ['top', '-n='], error: /^--namespace: found "=", allowed: the name of a namespace$/m },
    {
      args: ['-n', 'shop', 'top'],
      error: /^unknown option '-n'; the command comes first, as in "ephemeral-storage-exporter top"$/m,
    },
    {
      args: ['--context', 'prod', 'top', 'pods'],
      error: /^the command comes first, as in "ephemeral-storage-exporter top"$/m,
    },
    { args: ['--no-such-flag', 'x'], error: /^unknown option '--no-such-flag'$/m },
    { args: ['top', '--summaries', '.', '--watch'], error: /--watch and --summaries exclude each other/ },
    { args: ['explain', 'pod'], error: /explain pod: the name is missing, as in "explain pod NAME"/ },
    { args: ['explain', 'pod', 'a/b/c'], error: /explain pod "a\/b\/c": expected NAME or NAMESPACE\/NAME/ },
    { args: ['simulate', '--fault', 'node-1'], error: /--fault node-1: expected NODE=FAULT/ },
  ])('the arguments $args have one line that names the fault, and exit code 2', async ({ args, error }) => {
    const result = await run(...args);
    expect(result.error).toMatch(error);
    expect(result.error.trim().split('\n')).toHaveLength(1);
    expect(result).toMatchObject({ status: 2, out: '' });
  });

  it.each(kubectlLines)('top %s means what it means to kubectl get pods', async (line, expected) => {
    const program = createProgram('exporter', aCommandContext().context);
    const top = program.commands.find((command) => command.name() === 'top')?.action(() => undefined);
    const understand = async (): Promise<UnderstoodLine> => {
      await program.parseAsync(['top', ...line.split(' ').map(shortFlag)], { from: 'user' });
      const { namespace, allNamespaces, selector, watch } = top?.opts<UnderstoodLine>() ?? {};
      const found = { namespace: allNamespaces === true ? '' : namespace, allNamespaces, selector, watch };
      return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined && value !== ''));
    };
    expect(await understand().catch(() => undefined)).toEqual(expected);
  });

  const hostile = 'a\u202eb\u2066c\u200fd\u001b[2Je';
  const quoted = /a\\u202eb\\u2066c\\u200fd(?:\\u001b| )\[2Je/;

  it.each([
    [hostile],
    ['serve', `--${hostile}`],
    ['serve', `--log.level=${hostile}`],
    ['serve', '--set', hostile],
    ['top', hostile],
    ['top', `-A=${hostile}`],
    ['top', '-o', `jsonpath=${hostile}`],
    ['top', '--limit', hostile],
    ['top', '--kubeconfig', hostile],
    ['top', 'evictions', '--exporter', hostile],
    ['explain', 'pod', `a/b/${hostile}`],
    ['simulate', '--port', hostile],
    ['replay', '--summaries', hostile],
  ])('the error of hostile arguments (case %#) shows what a terminal would obey or hide', async (...args) => {
    const { error } = await run(...args);
    expect(error).toMatch(quoted);
    expect(error.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('errors about files show what a terminal would obey or hide, each on its line', async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'config.yaml'), JSON.stringify({ [hostile]: 1, log: { level: hostile } }));
    await writeFile(path.join(folder.path, `${hostile}.json`), '{');
    const config = await run('check-config', '--config.file', path.join(folder.path, 'config.yaml'));
    expect(config.error.trim().split('\n')).toEqual([expect.stringMatching(quoted), expect.stringMatching(quoted)]);
    const replayed = await run('replay', '--summaries', folder.path);
    const topped = await run('top', '--summaries', folder.path);
    expect([replayed.error, topped.error]).toEqual([expect.stringMatching(quoted), expect.stringMatching(quoted)]);
    const deny = JSON.stringify({ metrics: { deny: [hostile] } });
    await writeFile(path.join(folder.path, 'config.yaml'), deny);
    const warned = await run('check-config', '--config.file', path.join(folder.path, 'config.yaml'));
    expect([config.error, replayed.error, topped.error, warned.error].join('')).not.toMatch(/\p{Cf}/u);
  });

  it('serve reports what was tried for credentials, with exit code 1', async () => {
    const result = await run('serve', '--web.listen-address', '127.0.0.1:0');
    expect(result.error).toMatch(/no credentials for the API server.*--kubeconfig/);
    expect(result.error).not.toMatch(/\n\s+at /);
    expect(result.status).toBe(1);
  });

  it.each([[['top']], [['top', '--watch']], [['explain', 'workload', 'cart']]])(
    'the command %j reports what was tried for credentials',
    async (args) => {
      const result = await run(...args);
      expect(result.error).toMatch(/^no credentials for the API server.*--kubeconfig/);
      expect(result).toMatchObject({ status: 1, out: '' });
    },
  );

  it('the command line reports in one line that an exporter does not respond', async () => {
    const result = await run('top', '--exporter', 'http://127.0.0.1:1');
    expect(result.error).toMatch(/^GET \/api\/v1\/nodes: connection failed: .*127\.0\.0\.1:1\n$/);
    expect(result).toMatchObject({ status: 1, out: '' });
  });

  it('the command line lists the commands and prints its version', async () => {
    expect((await run('--help')).out).toMatch(
      /serve[^]*demo[^]*simulate[^]*top[^]*explain[^]*check-config[^]*replay[^]*metrics/,
    );
    expect((await run('--version')).out).toBe('0.0.0-test\n');
    expect((await run('version')).out).toMatch(/^ephemeral-storage-exporter 0\.0\.0-test, Node\.js \d+/);
    expect(JSON.parse((await run('version', '-o', 'json')).out)).toMatchObject({ version: '0.0.0-test' });
  });

  it('the command line sets the exit code of its process', () => {
    const { status, out, error } = spawned('PROGRAM "$@"', 'top', 'disks');
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(error).toMatch(/^top "disks": allowed: .*\n$/);
  });

  it('the command line is silent when its reader leaves early', () => {
    expect(spawned('PROGRAM metrics | true').error).toBe('');
  });

  it.skipIf(!existsSync('/dev/full'))('the command line reports in one line that its output cannot be written', () => {
    expect(spawned('PROGRAM metrics > /dev/full')).toMatchObject({
      status: 1,
      error: expect.stringMatching(/^standard output: ENOSPC.*\n$/) as unknown,
    });
  });

  it.each([
    ['/usr/local/bin/kubectl-ephemeral_storage', 'kubectl ephemeral-storage'],
    ['/app/dist/cli.js', 'ephemeral-storage-exporter'],
    ['/usr/local/bin/ephemeral-storage-exporter', 'ephemeral-storage-exporter'],
  ])('a program started as %s is called %s', (file, name) => {
    expect(programNameOf(file)).toBe(name);
  });

  it.each([
    [path.resolve('dist/cli.js'), `node ${path.resolve('dist/cli.js')}`],
    ['/opt/my tools/cli.js', "node '/opt/my tools/cli.js'"],
    ['/usr/local/bin/ephemeral-storage-exporter', 'ephemeral-storage-exporter'],
    ['/home/me/.krew/bin/kubectl-ephemeral_storage', 'kubectl ephemeral-storage'],
  ])('a shell in any folder calls a program started as %s by %s', (file, call) => {
    expect(invocationOf(file)).toBe(call);
  });

  it('the help is that of a plugin of kubectl when started as one, also without a command', async () => {
    const { context, out } = aCommandContext();
    expect(await runArguments([], context, 'kubectl ephemeral-storage')).toBe(0);
    expect(out()).toMatch(/^Usage: kubectl ephemeral-storage \[/);
    expect(out()).toMatch(
      /\n\nShow what fills the disks [^]*\nCommands:\n +top [^]*\n +explain [^]*\n +version [^]*\n +serve /,
    );
    expect(await runArguments(['top', '--help'], context, 'kubectl ephemeral-storage')).toBe(0);
    expect(out()).toContain('Usage: kubectl ephemeral-storage top [');
  });

  it.each(['jsonpath={.items}', 'jsonpath-file=f', 'go-template={{.}}', 'custom-columns=A:.a', 'template={{.}}'])(
    'the form %s of kubectl is refused in a line with the way',
    async (form) => {
      const [top, version] = [await run('top', `-o=${form}`), await run('version', '-o', form)];
      expect(top).toMatchObject({ status: 2, out: '' });
      expect(top.error).toMatch(
        /^--output: found ".*", instead of templates, use jq: ephemeral-storage-exporter top pods -A -o json \| jq -r '[^']*'\n$/,
      );
      expect(version.error).toMatch(/ephemeral-storage-exporter version -o json \| jq -r \.version\n$/);
    },
  );

  it('metrics prints the table of families', async () => {
    const { status, out } = await run('metrics');
    expect(status).toBe(0);
    expect(out).toMatch(/^\| Family \| Type \| Labels \| Profile \| Meaning \|\n/);
    expect(out).toContain(
      '| `ephemeral_storage_workload_used_bytes` | gauge | `namespace`, `workload`, `workload_type` |',
    );
    expect(out).not.toContain('pod_name');
  });

  it('metrics --compatibility prints the table of the families of the other exporter', async () => {
    const { status, out } = await run('metrics', '--compatibility');
    expect(status).toBe(0);
    expect(out).toContain('| `ephemeral_storage_node_percentage` | gauge | `node_name` |');
    expect(out).toMatch(/`ephemeral_storage_container_rootfs_used_bytes` \| gauge \| .*`pod`.*`pod_name`/);
    expect(out.trimEnd().split('\n')).toHaveLength(2 + 24);
  });
});

describe('check-config', () => {
  const checked = async (config: string): Promise<Awaited<ReturnType<typeof run>>> => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'config.yaml');
    await writeFile(file, config);
    return await run('check-config', '--config.file', file);
  };

  it('check-config prints the effective settings', async () => {
    const { status, out } = await checked('cache: {ttl: 30s}\n');
    expect(status).toBe(0);
    expect(out).toMatch(/cache:\n {2}ttl: 30s/);
  });

  it('check-config warns of a pattern that matches no family', async () => {
    const { status, error } = await checked('metrics: {allow: [pod_used_bytes]}\n');
    expect(error).toBe(
      'warning: pattern matches no metric family (patterns are anchored) (pattern metrics.allow[0] "pod_used_bytes")\n',
    );
    expect(status).toBe(0);
  });

  it('check-config warns of a selector that names two kinds of nodes, and of kubelets that nobody verifies', async () => {
    const { error } = await checked(
      'cluster: {skipNodes: ["type=kwok,type=virtual-kubelet"]}\nkubelet: {tls: {insecureSkipVerify: true}}\n',
    );
    expect(error).toMatch(/^warning: no node is of two kinds: .* \(selector type=kwok,type=virtual-kubelet\)\n/);
    expect(error).toMatch(/\nwarning: kubelet TLS verification is disabled: .*\n$/);
  });

  it('check-config warns of a folder as file of evictions, and not of a file that is not there yet', async () => {
    await using folder = await temporaryFolder();
    const there = await checked(`evictions: {file: ${folder.path}}\n`);
    expect(there.error).toBe(
      `warning: evictions.file ${folder.path}: it is a folder: name a file in it, such as evictions.json\n`,
    );
    expect(there.status).toBe(0);
    const missing = await checked(`evictions: {file: ${path.join(folder.path, 'evictions.json')}}\n`);
    expect([missing.status, missing.error]).toEqual([0, '']);
  });

  it('check-config refuses a relative file of evictions', async () => {
    const { status, error } = await checked('evictions: {file: evictions.json}\n');
    expect(error).toMatch(/evictions\.file: found "evictions\.json" .*allowed: the absolute path of a file/s);
    expect(status).toBe(1);
  });

  it('check-config reports every fault of a file in one run, with exit code 1', async () => {
    const { status, out, error } = await checked(
      'cache: {ttl: soon}\nkubelet: {acess: direct}\nscrape: {maxInFlight: 0}\n',
    );
    expect(error).toMatch(/cache\.ttl: found "soon" \(.*config\.yaml:1\)/);
    expect(error).toMatch(/kubelet\.acess.*did you mean/);
    expect(error).toMatch(/scrape\.maxInFlight: found 0/);
    expect({ status, out }).toEqual({ status: 1, out: '' });
  });
});

it.each([
  { args: ['--node', 'node-1'], isInterpreted: true },
  { args: ['--set', 'cluster.nodeLocal=true'], isInterpreted: true },
  { args: ['--total-shards', '1'], isInterpreted: false },
])('serve with $args compiles no code: $isInterpreted', async ({ args, isInterpreted }) => {
  let isCompiling = true;
  const interpretOnly = () => {
    isCompiling = false;
  };
  const { context, error } = aCommandContext({ interpretOnly });
  await runArguments(['serve', ...args], context);
  expect(error()).toContain('kubeconfig');
  expect(isCompiling).toBe(!isInterpreted);
});
