import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { runArguments } from '../../../../src/commands/command-line.js';
import type { PrintedPod } from '../../../../src/commands/explain/directories/pod-directories.js';
import { aCommandContext } from '../../../support/command-context.js';
import { fakeKubectl, type Launchers } from '../../../support/fake-kubectl.js';
import { untilEnd } from '../../../support/fixtures.js';
import { temporaryFolder } from '../../../support/programs.js';

const mib = 2 ** 20;

/** With an ephemeral container that runs beside `app`, and an emptyDir that is mounted as a whole and in part. */
const withHelper = parse(
  readFileSync(new URL('../../../cases/objects/pod-with-helpers.yaml', import.meta.url), 'utf8'),
) as PrintedPod;

const startedAt = '2026-01-01T00:00:00Z';
const mount = { name: 'cache', mountPath: '/mnt/cache' };

/** A pod of these containers, which all run and mount the same emptyDir. */
const podOf = (...names: readonly string[]): PrintedPod => ({
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    nodeName: 'node-1',
    volumes: [{ name: 'cache', emptyDir: {} }],
    containers: names.map((name) => ({ name, volumeMounts: [mount, { ...mount, mountPath: '/twice' }] })),
  },
  status: {
    phase: 'Running',
    containerStatuses: names.map((name) => ({ name, state: { running: { startedAt } } })),
  },
});

/** What a container answers with, whatever is run in it. */
const answering = (...lines: readonly string[]): readonly string[] => [
  'sh',
  '-c',
  `printf '%s' '${lines.map((line) => `${line}\n`).join('')}'`,
];

const rootfs = [
  `p\trootfs app\t${3 * mib}\t/var/`,
  `p\trootfs app\t${2 * mib}\t/var/lib/app/`,
  `p\trootfs app\t${mib}\t/var/big.log`,
  `s\trootfs app\t${3 * mib}\t`,
];
const cache = [`p\temptydir cache\t${mib / 2}\t/mnt/cache/blob`, `s\temptydir cache\t${mib}\tthe time was up`];

/** The container's shell, when it has one. */
const answers: Launchers = { app: answering(...rootfs, ...cache) };

interface Run {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

const it = test
  .extend('folder', ({ onTestFinished }) => untilEnd(onTestFinished, temporaryFolder()))
  .extend(
    'explain',
    ({ folder }) =>
      async (
        args: readonly string[],
        { pod = podOf('app'), launchers = answers }: { readonly pod?: PrintedPod; readonly launchers?: Launchers } = {},
      ): Promise<Run> => {
        const bin = await fakeKubectl(folder.path, pod, launchers);
        const environment = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
        const { context, out, error } = aCommandContext({ environment });
        const status = await runArguments(['explain', 'pod', ...args, '--directories'], context);
        return { status, out: out(), error: error() };
      },
  );

it('the largest directories and files come first, below the sums of what they are in', async ({ explain }) => {
  const { status, out, error } = await explain(['default/web']);
  expect([status, error]).toEqual([0, '']);
  expect(out).toBe(
    [
      'Pod default/web on node-1: 4Mi found. Logs are not in it.',
      '',
      'PART            USED',
      'rootfs app       3Mi',
      'emptydir cache   1Mi  the time was up',
      '',
      ' USED  IN              PATH',
      '  3Mi  rootfs app      /var/',
      '  2Mi  rootfs app      /var/lib/app/',
      '  1Mi  rootfs app      /var/big.log',
      '512Ki  emptydir cache  /mnt/cache/blob',
      '',
    ].join('\n'),
  );
});

it('JSON has the same values', async ({ explain }) => {
  const { out } = await explain(['default/web', '-o', 'json']);
  expect(JSON.parse(out)).toMatchObject({
    parts: [
      { part: 'rootfs app', bytes: 3 * mib, note: '' },
      { part: 'emptydir cache', bytes: mib, note: 'the time was up' },
    ],
    largest: [{ part: 'rootfs app', bytes: 3 * mib, path: '/var/' }, {}, {}, { path: '/mnt/cache/blob' }],
    problems: [],
  });
});

it('a person who may not is told so once, with what the API server says', async ({ explain }) => {
  const said = 'pods "web" is forbidden: User "reader" cannot create resource "pods/exec" in the namespace "default"';
  const launcher = ['sh', '-c', `echo 'Error from server (Forbidden): ${said}' >&2; exit 1`];
  const launchers = { app: launcher, other: launcher };
  const { status, out, error } = await explain(['default/web'], { pod: podOf('app', 'other'), launchers });
  expect([status, out]).toEqual([1, '']);
  expect(error).toBe(`${said}\n`);
});

it('without kubectl, that is said', async ({ folder }) => {
  const { context, out, error } = aCommandContext({ environment: { PATH: folder.path } });
  expect(await runArguments(['explain', 'pod', 'default/web', '--directories'], context)).toBe(1);
  expect([out(), error()]).toEqual(['', 'kubectl is not on the PATH: --directories runs it\n']);
});

it.for([
  ['other', [], /^Error from server \(NotFound\): pods not found\n$/],
  ['web', ['-c', 'ap'], /^no container "ap" in pod default\/web \(did you mean app\?\)\n$/],
  ['web', [], /^no container of pod default\/web runs \(phase Pending\)\n$/],
  ['web', ['-c', 'app'], /^container app of pod default\/web does not run \(phase Pending\)/],
] as const)('%s %j is refused with a reason', async ([name, flags, line], { explain }) => {
  const pod = { ...podOf('app'), status: { phase: 'Pending' } };
  const { status, error } = await explain([`default/${name}`, ...flags], { pod });
  expect(status).toBe(1);
  expect(error).toMatch(line);
});

it.for([
  [['explain', 'workload', 'a', '--directories'], /--directories is for pods and nodes/],
  [['explain', 'node', 'a', '--directories', '-c', 'app'], /--container is for pods/],
  [['explain', 'node', 'a', '--image', 'b'], /--image needs --directories/],
  [['explain', 'pod', 'a', '-c', 'app'], /--container needs --directories/],
  [['explain', 'pod', 'a', '--dry-run'], /--dry-run needs --directories/],
  [['explain', 'pod', 'a', '--directories', '-A'], /--directories and --all-namespaces exclude each other/],
  [['explain', 'pod', 'a', '--directories', '--summaries', '.'], /--summaries and --directories exclude each other/],
  [['explain', 'node', 'a', '--directories', '--from', 'kubelets'], /--directories and --from exclude each other/],
  [['explain', 'pod', 'a', '--directories', '--exporter', 'a/b'], /--directories and --exporter exclude each other/],
] as const)('%j is refused', async ([args, line]) => {
  const { context, error } = aCommandContext();
  expect(await runArguments(args, context)).toBe(2);
  expect(error()).toMatch(line);
});

it('an image without a shell is named, with commands for the same cluster that list it beside it', async ({
  explain,
}) => {
  const flags = ['--as', 'some one', '--as-group', 'a', '--as-group', 'b'];
  const words = "--as 'some one' --as-group a --as-group b";
  const { status, out, error } = await explain(['default/web', ...flags], { launchers: {} });
  expect([status, error]).toEqual([1, 'nothing was measured\n']);
  expect(out).toContain('Container app was not listed: there is no shell in its image.\n');
  expect(out).toContain(
    `  kubectl ${words} debug -n default web --image=busybox:1.36 --target=app --profile=general -- sleep 300\n` +
      `  ephemeral-storage-exporter explain pod -n default web --directories ${words}\n`,
  );
});

it('an image without a shell is listed through an ephemeral container that runs', async ({ folder, explain }) => {
  const launchers = { look: answering(...rootfs, ...cache) };
  const { out } = await explain(['shop/cart-0', '-o', 'json'], { pod: withHelper, launchers });
  expect(JSON.parse(out)).toMatchObject({ parts: [{ bytes: 3 * mib }, {}], problems: [] });
  const asked = await readFile(path.join(folder.path, 'bin/asked'), 'utf8');
  expect(asked).toMatch(
    /exec -n shop cart-0 -c look -- sh [^]* sh \/proc\/1\/root \d+ 30 rootfs app: emptydir cache:\/cache :\/part /,
  );
});

it.for(['shareProcessNamespace', 'hostPID'])(
  'with %s an ephemeral container is of no use',
  async (field, { explain }) => {
    const pod = { ...withHelper, spec: { ...withHelper.spec, [field]: true } } as PrintedPod;
    const { out } = await explain(['shop/cart-0'], { pod, launchers: { look: answering(...rootfs) } });
    expect(out).toMatch(/there is no shell in its image, and its processes are shared with others\.\n$/);
  },
);

it('a volume is listed once, in the first container that can', async ({ explain }) => {
  const launchers = { ...answers, late: answering('s\trootfs late\t0\t') };
  const { out } = await explain(['default/web', '-o', 'json'], { pod: podOf('bare', 'app', 'late'), launchers });
  const { parts, problems } = JSON.parse(out) as { parts: readonly { part: string }[]; problems: readonly object[] };
  expect(parts.map(({ part }) => part)).toEqual(['rootfs app', 'emptydir cache', 'rootfs late']);
  expect(problems).toHaveLength(1);
});

it.for([
  [answering('m\tfind'), /not listed: there is no find in its image\./],
  [answering('m\tstat that shows ctimes'), /not listed: there is no stat that shows ctimes in its image\./],
  [answering(...rootfs), /^rootfs app +3Mi$[^]*not listed as a whole: the list ended early\./m],
  [['sh', '-c', 'echo "out of memory" >&2; exit 9'], /not listed as a whole: out of memory\./],
  [['sh', '-c', 'exit 9'], /not listed as a whole: kubectl ended with exit code 9\./],
  [['sh', '-c', 'yes'], /not listed as a whole: stdout maxBuffer length exceeded\./],
] as const)('a container that runs %j instead is a problem', async ([launcher, reason], { explain }) => {
  expect((await explain(['default/web'], { launchers: { app: launcher } })).out).toMatch(reason);
});

it('what a container names its files is shown without anything that a terminal obeys', async ({ explain }) => {
  const entry = `p\trootfs app\t8\t/tmp/\u001b[2J\u202e${'x'.repeat(50)}`;
  const launchers = { app: answering(entry, 's\trootfs app\t8\t\u001b[2J') };
  for (const form of ['text', 'json', 'yaml']) {
    const { out } = await explain(['default/web', '-o', form], { launchers });
    expect(out).toMatch(/\\(?:u001b|e)\[2J\\u202e/);
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  }
});

it('the line of a dry run, pasted into a shell, asks kubectl for the same', async ({ folder, explain }) => {
  const args = ['default/web', '--as', 'some one', '--as-group', 'a'];
  const { status, out } = await explain([...args, '--dry-run']);
  expect(status).toBe(0);
  const bin = path.join(folder.path, 'bin');
  const asked = async (): Promise<string> =>
    (await readFile(path.join(bin, 'asked'), 'utf8')).replace(/^.* get .*\n/, '');
  expect(await asked()).toBe('');
  await explain(args);
  const once = (await asked()).replace(/^.* get .*\n/, '');
  await writeFile(path.join(bin, 'asked'), '');
  execFileSync('sh', ['-c', out], { env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } });
  expect(await asked()).toBe(once);
  expect(once).toContain('exec -n default web -c app -- sh -c ');
});

it.for([
  [['--request-timeout', '90s'], 90],
  [['--request-timeout', '0'], 86_400],
] as const)('with %j each place is listed for %i s at most', async ([flags, seconds], { explain }) => {
  const { out } = await explain(['default/web', '--dry-run', ...flags]);
  expect(out).toMatch(new RegExp(`' sh '' \\d+ ${seconds} 'rootfs app:' 'emptydir cache:/mnt/cache' :/twice\n$`));
});
