import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { createProgram, runArguments, shortFlag } from '../../src/commands/command-line.js';
import { invocationOf } from '../../src/commands/context.js';
import { aCommandContext } from '../support/command-context.js';
import { kubectlLines, type UnderstoodLine } from '../support/kubectl-lines.js';
import { temporaryFolder } from '../support/programs.js';

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** A process that compiles the program first. */
const slow = { timeout: 60_000 };

/** The program as a process of its own, through a shell: `"$0" "$@"` runs it with the arguments. */
function spawned(script: string, ...args: readonly string[]) {
  const program = [process.execPath, '--import', 'tsx', cli].map((word) => `'${word}'`).join(' ');
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script.replaceAll('PROGRAM', program), 'sh', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
    ...slow,
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
    ['--no-such-flag', /--no-such-flag/],
    ['serve --log.level loud', /log\.level.*"loud".*--log\.level.*debug, info, warn/],
    ['serve --shard 2 --total-shards 2', /cluster\.shard: found 2 \(--shard\).*less than/],
    ['serve --node Node_1', /cluster\.node: found "Node_1" \(--node\); allowed: the name of a node/],
    ['serve --node a --total-shards 2', /cluster\.node.*no shards.*cluster\.totalShards/],
    ['serve --set cache.ttl=soon', /cache\.ttl: found "soon" \(--set cache\.ttl\).*a duration/],
    ['top --set cahce.ttl=9s', /cahce\.ttl: unknown path.*did you mean cache\.ttl\?/],
    ['replay --summaries . --set cache', /^--set cache: no value; allowed: PATH=VALUE/],
    ['replay', /--summaries/],
    ['replay --summaries . --web.telemetry-path /m', /--web\.telemetry-path/],
    ['no-such-command', /unknown command "no-such-command"; the commands are top, explain, serve/],
    ['tpo', /unknown command "tpo" \(did you mean top\?\)/],
    ['simulate --scenario none', /^--scenario: found "[^"]*", allowed: mixed, images-full, log-flood/],
    ['simulate --nodes 1', /--nodes: found "1", allowed: a whole number from 2 to 1000/],
    ['demo --nodes 2.5', /--nodes: found "2.5", allowed: a whole number from 2 to 1000/],
    ['demo --pods -1', /--pods: found "-1", allowed: a whole number/],
    ['demo --pods 3', /--pods: found "3", allowed with --nodes 5: from 2\d, .* to 550, 110 a node/],
    ['demo --seed x', /--seed: found "x", allowed: a whole number from 0 to 4294967295/],
    ['top disks', /^top "disks": allowed: next, workloads, pods, containers, volumes, nodes, namespaces, evictions$/m],
    ['top conainers', /^top "conainers": allowed: .*\(did you mean containers\?\)/],
    ['top pods -n ../..', /^--namespace: found "..\/..", allowed: the name of a namespace$/m],
    ['top pods -n %2e', /^--namespace: found "%2e", allowed: the name of a namespace$/m],
    ['explain pod ../cart-0', /^explain pod "..\/cart-0": expected NAME or NAMESPACE\/NAME$/m],
    ['top --limit -1', /^--limit: found "-1", allowed: a whole number, 0 for all$/m],
    ['top --output xml', /^--output: found "xml", allowed: table, wide, json, yaml, name$/m],
    ['top --watch --interval 1ms', /^--interval: found "1ms", allowed: .*from 100ms to 1h$/m],
    ['top --interval 1s', /--interval needs --watch/],
    ['top nodes --containers', /^--containers is for pods$/m],
    [
      'top workloads cart\u001b[2J',
      /^top workloads takes no name: found "cart\\u001b\[2J"; --workload and --node choose pods$/m,
    ],
    ['top containers app', /^top containers takes no name: found "app"; --workload and --node choose pods$/m],
    ['top pods --node a --field-selector spec.nodeName=a', /^--field-selector and --node exclude each other$/m],
    ['top nodes --node a', /^top nodes takes no --node: name the node instead, as in "top node NAME"$/m],
    ['top workloads --field-selector spec.nodeName=a', /^top workloads takes no --node: a workload may be on many$/m],
    ['top nodes --selector app=cart', /^top nodes takes no --selector and no --workload: they choose pods$/m],
    ['top ns --node a', /^top namespaces takes no --node: a namespace may be on all$/m],
    ['top ns -l app=cart', /^top namespaces takes no --selector and no --workload: they choose pods$/m],
    [
      'check-config a.yaml --config.file b.yaml',
      /^the settings file is named twice: as argument, and with --config\.file$/m,
    ],
    ['explain eviction shop/cart -n web', /^explain eviction "shop\/cart": --namespace is web$/m],
    ['top --web.listen-address :1', /^unknown option '--web.listen-address'/],
    ['explain', /^missing required argument 'resource'/],
    [
      'explain volume data',
      /^explain "volume": allowed: pod, workload, node, namespace, eviction, deployment, statefulset/,
    ],
    ['top pod a b', /^top: found 3 arguments, allowed: at most 2$/m],
    ['top --from prometheus', /^--from: found "prometheus", allowed: exporter, kubelets$/m],
    ['top --exporter a/b --from kubelets', /--exporter and --from kubelets exclude/],
    ['top --summaries . --from kubelets', /^--summaries and --from exclude each other$/m],
    ['explain pod a --summaries . --exporter a/b', /^--summaries and --exporter exclude each other$/m],
    ['explain node node-1 --objects .', /--objects needs --summaries/],
    ['top --summaries . --context prod', /--summaries and --context exclude each other/],
    ['top --summaries . -s h', /--summaries and --server exclude each other/],
    ['top -A=false', /^unknown option '-false'$/m],
    ['top -An=shop', /^--namespace: found "=shop", allowed: the name of a namespace$/m],
    ['top -n=', /^--namespace: found "=", allowed: the name of a namespace$/m],
    ['--context prod top pods', /^the command comes first, as in "ephemeral-storage-exporter top"$/m],
    ['--no-such-flag x', /^unknown option '--no-such-flag'$/m],
    ['top --summaries . --watch', /--summaries and --watch exclude each other/],
  ])('the arguments "%s" have one line that names the fault, and exit code 2', async (args, error) => {
    const result = await run(...args.split(' '));
    expect(result.error).toMatch(error);
    expect(result.error.trim().split('\n')).toHaveLength(1);
    expect(result).toMatchObject({ status: 2, out: '' });
  });

  it.each(kubectlLines)('top %s means what it means to kubectl get pods', async (line, expected) => {
    const program = createProgram(aCommandContext().context);
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
    ['simulate', '--nodes', hostile],
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
      /top[^]*explain[^]*serve[^]*demo[^]*simulate[^]*check-config[^]*replay[^]*metrics/,
    );
    expect((await run('--version')).out).toBe('0.0.0-test\n');
  });

  it('the command line sets the exit code of its process', slow, () => {
    const { status, out, error } = spawned('PROGRAM "$@"', 'top', 'disks');
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(error).toMatch(/^top "disks": allowed: .*\n$/);
  });

  it('the command line is silent when its reader leaves early', slow, () => {
    expect(spawned('PROGRAM metrics | true').error).toBe('');
  });

  it.skipIf(!existsSync('/dev/full'))(
    'the command line reports in one line that its output cannot be written',
    slow,
    () => {
      expect(spawned('PROGRAM metrics > /dev/full')).toMatchObject({
        status: 1,
        error: expect.stringMatching(/^standard output: ENOSPC.*\n$/) as unknown,
      });
    },
  );

  it.each([
    [path.resolve('dist/cli.js'), `node ${path.resolve('dist/cli.js')}`],
    ['/opt/my tools/cli.js', "node '/opt/my tools/cli.js'"],
    ['/usr/local/bin/ephemeral-storage-exporter', 'ephemeral-storage-exporter'],
    ['/home/me/.krew/bin/kubectl-ephemeral_storage', 'kubectl ephemeral-storage'],
  ])('a shell in any folder calls a program started as %s by %s', (file, call) => {
    expect(invocationOf(file)).toBe(call);
  });

  it('the help is that of a plugin of kubectl when started as one, also without a command', async () => {
    const { context, out } = aCommandContext({ invocation: 'kubectl ephemeral-storage' });
    expect(await runArguments([], context)).toBe(0);
    expect(out()).toMatch(/^Usage: kubectl ephemeral-storage \[/);
    expect(await runArguments(['top', '--help'], context)).toBe(0);
    expect(out()).toContain('Usage: kubectl ephemeral-storage top [');
  });

  it.each([
    ['top -h', /^Columns of pods:\n {2}USED {9}Writable layers, logs/m],
    ['top no -h', /^Columns of nodes:[^]*^ {2}HEADROOM {5}What is left above the threshold [^\n]*\n {15}\S/m],
    ['top next --help', /^Columns of next:\n {2}IN /m],
  ])('%s has ten flags at most and says what columns mean, options lists the others', async (line, columns) => {
    const { status, out } = await run(...line.split(' '));
    expect([status, out]).toEqual([0, expect.stringMatching(columns)]);
    const [, shown = ''] = out.split(/\n(?:Options|Columns of \w+):\n/);
    const flags = shown.match(/^ {2}-\S+/gm) ?? [];
    expect(flags.length).toBeLessThanOrEqual(10);
    expect(out).toContain('more: ephemeral-storage-exporter options\n');
    const others = (await run('options')).out.match(/^ {2}(?:-\w, )?--[\w.-]+/gm)?.map((flag) => flag.split('--')[1]);
    expect(others).toEqual(expect.arrayContaining(['context', 'exporter', 'set', 'interval', 'no-headers']));
    expect(others).not.toContain('limit');
  });

  it.each(['jsonpath={.items}', 'jsonpath-file=f', 'go-template={{.}}', 'custom-columns=A:.a', 'template={{.}}'])(
    'the form %s of kubectl is refused in a line with the way',
    async (form) => {
      const top = await run('top', `-o=${form}`);
      expect(top).toMatchObject({ status: 2, out: '' });
      expect(top.error).toMatch(
        /^--output: found ".*", instead of templates, use jq: ephemeral-storage-exporter top pods -A -o json \| jq -r '[^']*'\n$/,
      );
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
    return await run('check-config', file);
  };

  it('check-config prints the effective settings', async () => {
    const { status, out } = await checked('cache: {ttl: 30s}\n');
    expect([status, out]).toEqual([0, expect.stringMatching(/cache:\n {2}ttl: 30s/)]);
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

  it('check-config reports every fault of a file in one run, with exit code 1', async () => {
    const { status, out, error } = await checked(
      'cache: {ttl: soon}\nkubelet: {acess: direct}\nscrape: {maxInFlight: 0}\nevictions: {file: e.json}\n',
    );
    expect(error).toMatch(/cache\.ttl: found "soon" \(.*config\.yaml:1\)/);
    expect(error).toMatch(/kubelet\.acess.*did you mean/);
    expect(error).toMatch(/scrape\.maxInFlight: found 0/);
    expect(error).toMatch(/evictions\.file: found "e\.json" .*allowed: the absolute path of a file/);
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
