// @module-tag sockets

import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import type { Rule } from '../../../../sim/access.js';
import { SimulatedCluster } from '../../../../sim/cluster.js';
import { emptyScenario } from '../../../../sim/model/scenario.js';
import type { ContainerSpec, PodSpec } from '../../../../sim/model/specs.js';
import { runArguments } from '../../../../src/commands/command-line.js';
import { podSpec } from '../../../sim/pods.js';
import { aCommandContext } from '../../../support/command-context.js';
import { fakeKubectl, type Launchers } from '../../../support/fake-kubectl.js';
import { untilEnd } from '../../../support/fixtures.js';
import { temporaryFolder } from '../../../support/programs.js';

const mib = 2 ** 20;
const blocks = (bytes: number): number => bytes / 512;

const readPods: Rule = { verbs: ['get'], resources: ['pods'] };

/** What a container answers with, whatever is run in it. */
const answering = (...lines: readonly string[]): readonly string[] => [
  'sh',
  '-c',
  `printf '%s' '${lines.map((line) => `${line}\n`).join('')}'`,
];

const rootfs = [
  'w 0',
  'e 0',
  `d ${blocks(3 * mib)} /var`,
  `d ${blocks(2 * mib)} /var/lib/app`,
  `f ${blocks(mib)} /var/big.log`,
  `t ${blocks(3 * mib)} 12 0`,
];
const cache = [
  'w 1',
  'e 0',
  `d ${blocks(mib)} /mnt/cache`,
  `f ${blocks(mib / 2)} /mnt/cache/blob`,
  `t ${blocks(mib)} 1 0`,
];

/** The container's shell, when it has one. */
const answers: Launchers = { app: answering(...rootfs, ...cache) };

const container = (name = 'app'): ContainerSpec => ({
  name,
  rootfs: { initialBytes: 3 * mib },
  logs: { initialBytes: mib },
});

const volumes: PodSpec['volumes'] = [{ name: 'cache', source: 'emptyDir', content: { initialBytes: 0 } }];

interface Run {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

const it = test
  .extend('sim', ({ onTestFinished }) =>
    untilEnd(onTestFinished, SimulatedCluster.start({ scenario: emptyScenario('node-1') })),
  )
  .extend('folder', ({ onTestFinished }) => untilEnd(onTestFinished, temporaryFolder()))
  .extend(
    'explain',
    ({ sim, folder }) =>
      async (
        args: readonly string[],
        {
          rules = [readPods],
          launchers = answers,
        }: {
          readonly rules?: readonly Rule[];
          readonly launchers?: Launchers;
        } = {},
      ): Promise<Run> => {
        const bin = await fakeKubectl(folder.path, launchers);
        const environment = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
        const { context, out, error } = aCommandContext({ environment });
        const kubeconfig = path.join(folder.path, 'kubeconfig');
        await writeFile(kubeconfig, sim.kubeconfig(sim.issueToken({ user: 'reader', rules })));
        const flags = ['--directories', '--kubeconfig', kubeconfig];
        const status = await runArguments(['explain', 'pod', ...args, ...flags], context);
        return { status, out: out(), error: error() };
      },
  );

const addWeb = (sim: SimulatedCluster, more: Partial<PodSpec> = {}): unknown =>
  sim.model.addPod(podSpec('web', { containers: [container()], volumes, ...more }));

it('the largest directories and files come first, below the sums of what they are in', async ({ sim, explain }) => {
  addWeb(sim);
  const { status, out, error } = await explain(['default/web']);
  expect([status, error]).toEqual([0, '']);
  expect(out).toMatch(/^Pod default\/web on node-1: 4Mi found\. Logs are not in it\.\n/);
  expect(out).toMatch(/^rootfs app +3Mi +12$/m);
  expect(out).toMatch(/^emptydir cache +1Mi +1$/m);
  const paths = out.split('\n').flatMap((line) => / (?:directory|file) .* (\/\S+)$/.exec(line)?.[1] ?? []);
  expect(paths).toEqual(['/var', '/var/lib/app', '/var/big.log', '/mnt/cache/blob']);
});

it('JSON has the same values', async ({ sim, explain }) => {
  addWeb(sim);
  const { out } = await explain(['default/web', '-o', 'json']);
  expect(JSON.parse(out)).toMatchObject({
    namespace: 'default',
    pod: 'web',
    node: 'node-1',
    bytes: 4 * mib,
    parts: [
      { container: 'app', state: 'complete', bytes: 3 * mib, fileCount: 12, skippedCount: 0 },
      { container: 'app', volume: 'cache', bytes: mib },
    ],
    largest: [
      { path: '/var', bytes: 3 * mib, isDirectory: true },
      {},
      {},
      { path: '/mnt/cache/blob', volume: 'cache' },
    ],
    problems: [],
  });
});

it('a person who may not is told so once, with what the API server says', async ({ sim, explain }) => {
  const said = 'pods "web" is forbidden: User "reader" cannot create resource "pods/exec" in the namespace "default"';
  const launcher = ['sh', '-c', `echo 'Error from server (Forbidden): ${said}' >&2; exit 1`];
  addWeb(sim, { containers: [container(), container('other')] });
  const launchers = { app: launcher, other: launcher };
  const { status, out, error } = await explain(['default/web'], { launchers });
  expect([status, out]).toEqual([1, '']);
  expect(error).toBe(`${said}\ncommand terminated with exit code 1\n`);
});

it('without kubectl, the commands to paste are printed', async ({ sim, folder }) => {
  addWeb(sim);
  const { context, out, error } = aCommandContext({ environment: { PATH: folder.path } });
  const kubeconfig = path.join(folder.path, 'kubeconfig');
  await writeFile(kubeconfig, sim.kubeconfig());
  const line = ['explain', 'pod', 'default/web', '--directories', '--kubeconfig', kubeconfig];
  expect(await runArguments(line, context)).toBe(1);
  expect(out()).toMatch(/^kubectl --kubeconfig \S+ exec -n default web -c app -- sh -c 'root=\$1 [^]*\n$/);
  expect(error()).toBe('kubectl is not on the PATH: run the commands above where it is\n');
});

it.for([
  ['other', [], /^no pod default\/other; those that there are: \S+ top pods -n default --kubeconfig \S+\n$/],
  ['web', ['-c', 'ap'], /^no container "ap" in pod default\/web \(did you mean app\?\)\n$/],
  [
    'waiting',
    [],
    /^no container of pod default\/waiting runs \(phase Pending\): only running containers can be listed\n$/,
  ],
  ['waiting', ['-c', 'app'], /^container app of pod default\/waiting does not run \(phase Pending\)/],
] as const)('%s %j is refused with a reason', async ([name, flags, line], { sim, explain }) => {
  addWeb(sim);
  const { namespace, containers } = podSpec('waiting');
  sim.model.addPod({ namespace, name: 'waiting', containers });
  const { status, error } = await explain([`default/${name}`, ...flags]);
  expect(status).toBe(1);
  expect(error).toMatch(line);
});

it.for([
  [['explain', 'workload', 'a', '--directories'], /--directories is for pods and nodes/],
  [['explain', 'node', 'a', '--directories', '-c', 'app'], /--container is for pods/],
  [['explain', 'pod', 'a', '--directories', '--image', 'b'], /--image is for nodes/],
  [['explain', 'node', 'a', '--profile', 'b'], /--profile needs --directories/],
  [['explain', 'pod', 'a', '-c', 'app'], /--container needs --directories/],
  [['explain', 'pod', 'a', '--dry-run'], /--dry-run needs --directories/],
  [['explain', 'pod', 'a', '--directories', '-A'], /--directories is for one pod: name it as NAMESPACE\/NAME/],
  [['explain', 'pod', 'a', '--directories', '--summaries', '.'], /--summaries and --directories exclude each other/],
  [['explain', 'node', 'a', '--directories', '--from', 'kubelets'], /--directories and --from exclude each other/],
  [['explain', 'pod', 'a', '--directories', '--exporter', 'a/b'], /--directories and --exporter exclude each other/],
] as const)('%j is refused', async ([args, line]) => {
  const { context, error } = aCommandContext();
  expect(await runArguments(args, context)).toBe(2);
  expect(error()).toMatch(line);
});

it('an image without a shell is named, with the commands that list it through an ephemeral container', async ({
  sim,
  folder,
  explain,
}) => {
  addWeb(sim);
  const { status, out, error } = await explain(['default/web'], { launchers: {} });
  const kubeconfig = path.join(folder.path, 'kubeconfig');
  expect([status, error]).toEqual([1, 'nothing of default/web was listed\n']);
  expect(out).toMatch(/^Pod default\/web on node-1: nothing was listed\.\n/);
  expect(out).toContain('Container app was not listed: there is no shell in its image.\n');
  expect(out).toContain(
    `  kubectl --kubeconfig ${kubeconfig} debug -n default web --image=busybox:1.36 --target=app --profile=general -- sleep 300\n` +
      `  ephemeral-storage-exporter explain pod -n default web --directories --kubeconfig ${kubeconfig}\n`,
  );
});

it('the commands to run next, and those of a dry run, are for the cluster that was named', async ({ sim, explain }) => {
  addWeb(sim);
  const flags = ['--as', 'some one', '--as-group', 'a', '--as-group', 'b'];
  const words = "--as 'some one' --as-group a --as-group b";
  const { out } = await explain(['default/web', ...flags], { launchers: {} });
  expect(out).toMatch(new RegExp(`^ {2}kubectl --kubeconfig \\S+ ${words} debug -n default web `, 'm'));
  expect(out).toMatch(
    new RegExp(
      `^ {2}ephemeral-storage-exporter explain pod -n default web --directories --kubeconfig \\S+ ${words}$`,
      'm',
    ),
  );
  const dry = await explain(['default/web', '--dry-run', ...flags]);
  expect(dry.out).toMatch(new RegExp(`^kubectl --kubeconfig \\S+ ${words} exec -n default web -c app -- sh`));
});

it('an image without a shell is listed through an ephemeral container that runs', async ({ sim, explain }) => {
  addWeb(sim);
  const none = { initialBytes: 0 };
  sim.model.addEphemeralContainer('default', 'web', { name: 'look', target: 'app', rootfs: none, logs: none });
  const launchers = { look: answering(...rootfs, ...cache) };
  const { out } = await explain(['default/web', '-o', 'json'], { launchers });
  expect(JSON.parse(out)).toMatchObject({ parts: [{ container: 'app', bytes: 3 * mib }, {}], problems: [] });
});

it('a volume is listed once, in the first container that can', async ({ sim, explain }) => {
  addWeb(sim, { containers: ['bare', 'app', 'late'].map(container) });
  const launchers = { ...answers, late: answering('w 0', 'e 0', 't 0 0 0') };
  const { out } = await explain(['default/web', '-o', 'json'], { launchers });
  const { parts, problems } = JSON.parse(out) as { parts: readonly object[]; problems: readonly object[] };
  expect(parts.filter((part) => 'volume' in part)).toEqual([expect.objectContaining({ container: 'app', bytes: mib })]);
  expect(problems).toEqual([expect.objectContaining({ container: 'bare' })]);
});

it.for([
  ['m find', /there is no find in its image\./],
  ['m stat', /there is no stat that shows ctimes in its image\./],
  ['p 63.2', /all tasks of its node waited for the disks in 63 % of the last 10 s; try again later\./],
  ['w 0', /the list ended early\./],
  ['w 0\nt 8 1 0', /the list ended early\./],
] as const)('a container that answers "%s" has its reason', async ([line, reason], { sim, explain }) => {
  addWeb(sim);
  expect((await explain(['default/web'], { launchers: { app: answering(line) } })).out).toMatch(reason);
});

it.for([
  [['sh', '-c', 'echo "out of memory" >&2; exit 9'], /the command ended with exit code 9: out of memory\./],
  [['sh', '-c', 'yes'], /more than 1048576 bytes of output\./],
] as const)('a container that runs %j instead is a problem', async ([launcher, reason], { sim, explain }) => {
  addWeb(sim);
  const { status, out } = await explain(['default/web'], { launchers: { app: launcher } });
  expect(status).toBe(1);
  expect(out).toMatch(reason);
});

it('what a container names its files is shown without anything that a terminal obeys', async ({ sim, explain }) => {
  const entry = `f 8 /tmp/\u001b[2J\u202e${'x'.repeat(50)}`;
  addWeb(sim);
  const launchers = { app: answering('w 0', 'e 1', entry, 't 8 1 3', 'w 1', 'e 0', 't 0 0 0') };
  for (const form of ['text', 'json', 'yaml']) {
    const { out } = await explain(['default/web', '-o', form], { launchers });
    expect(out).toMatch(/\\(?:u001b|e)\[2J\\u202e/);
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  }
  expect((await explain(['default/web'], { launchers })).out).toContain(
    'some of it could not be read; 3 names skipped',
  );
});

it('walks that have ended before they found anything have listed nothing', async ({ sim, explain }) => {
  addWeb(sim);
  const launchers = { app: answering('w 0', 'e 124', 't 0 0 0', 'w 1', 'e 124', 't 0 0 0') };
  expect(await explain(['default/web'], { launchers })).toMatchObject({
    status: 1,
    error: 'nothing of default/web was listed\n',
  });
});

it('a list that ended after the writable layer is not shown as whole', async ({ sim, explain }) => {
  addWeb(sim);
  const { status, out } = await explain(['default/web'], { launchers: { app: answering(...rootfs) } });
  expect(status).toBe(0);
  expect(out).toMatch(/^rootfs app +3Mi /m);
  expect(out).toContain('Container app was not listed: the list ended early.');
});

it('--dry-run prints the commands and runs none', async ({ sim, explain }) => {
  addWeb(sim);
  const { status, out } = await explain(['default/web', '--dry-run']);
  expect(status).toBe(0);
  expect(out).toMatch(/^kubectl --kubeconfig \S+ exec -n default web -c app -- sh -c 'root=\$1 /);
  expect(out).toMatch(/' sh '' \d+ 30 1 20 \/mnt\/cache \/etc\/hosts \/etc\/hostname \/etc\/resolv\.conf\n$/);
  expect(sim.apiRequests.map(({ path: one }) => one)).toEqual(['/api/v1/namespaces/default/pods/web']);
});

it('the line of a dry run, pasted into a shell, asks kubectl for the same', async ({ sim, folder, explain }) => {
  addWeb(sim);
  const args = ['default/web', '--as', 'some one', '--as-group', 'a'];
  const { out } = await explain([...args, '--dry-run']);
  await explain(args);
  const bin = path.join(folder.path, 'bin');
  execFileSync('sh', ['-c', out], { env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } });
  const asked = await readFile(path.join(bin, 'asked'), 'utf8');
  expect(asked.slice(asked.length / 2)).toBe(asked.slice(0, asked.length / 2));
});

it.for([
  [['--request-timeout', '90s'], 90],
  [['--request-timeout', '0'], 86_400],
] as const)('with %j a container is listed for %i s at most', async ([flags, seconds], { sim, explain }) => {
  addWeb(sim);
  expect((await explain(['default/web', '--dry-run', ...flags])).out).toContain(` ${seconds} 1 20 /mnt/cache`);
});
