import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { beforeAll, expect, test } from 'vitest';

import { parseDirectories } from '../../../../src/commands/explain/directories/directory-report.js';
import { untilEnd } from '../../../support/fixtures.js';
import { isInstalled, temporaryFolder } from '../../../support/programs.js';

const block = 4096;
const isLinux = process.platform === 'linux';

async function write(root: string, file: string, bytes: number): Promise<void> {
  const full = path.join(root, file);
  await mkdir(path.dirname(full), { recursive: true });
  await writeFile(full, Buffer.alloc(bytes, 1));
}

/** Directories in the place of a container's root, one for each test. */
let roots: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
/** The second of their start: what is written before is of the image. */
let startedAtMs = 0;

beforeAll(async () => {
  roots = await Promise.all(Array.from({ length: 20 }, () => temporaryFolder()));
  for (const folder of roots) {
    await write(folder.path, 'etc/passwd', block);
    await write(folder.path, 'usr/lib/large.so', 64 * block);
  }
  await delay(1_050 - (Date.now() % 1_000)); // ctimes are a few milliseconds behind
  startedAtMs = Date.now();
});

const it = test.extend('root', async ({ onTestFinished }) => {
  const folder = roots.pop() ?? expect.unreachable('a directory for each test');
  return (await untilEnd(onTestFinished, Promise.resolve(folder))).path;
});

const script = new URL('../../../../src/commands/explain/directories/walk-container.sh', import.meta.url).pathname;

interface Plan {
  readonly startedAtMs?: number;
  readonly seconds?: number;
  readonly places?: readonly string[];
}

/** The arguments of the script for a container with another root. */
const wordsIn = (root: string, { startedAtMs = 0, seconds = 30, places = [] }: Plan): readonly string[] => [
  script,
  root,
  ...[Math.floor(startedAtMs / 1000), seconds].map(String),
  'rootfs:',
  ...places,
];

/** Those of images. busybox runs its own find, stat and awk. */
const shells = [['sh'], ['dash'], ['bash'], ['busybox', 'sh']].filter(([program = '']) => isInstalled(program));

/** What every shell finds. */
function walked(root: string, plan: Plan) {
  const found = shells.map(([program = '', ...before]) => {
    const words = [...before, ...wordsIn(root, plan)];
    const { stdout, stderr, status } = spawnSync(program, words, { encoding: 'utf8' });
    expect([program, status, stderr]).toEqual([program, 0, '']);
    return parsed(stdout);
  });
  const [first = expect.unreachable('no shell is installed'), ...others] = found;
  for (const other of others) expect(other).toEqual(first);
  return first;
}

/** What a container prints some of whose programs are these. */
function stubbed(root: string, stubs: Readonly<Record<string, string>>, plan: Plan = {}): string {
  for (const [name, text] of Object.entries(stubs))
    writeFileSync(path.join(root, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const env = { PATH: `${root}:${process.env['PATH'] ?? ''}` };
  return spawnSync('sh', wordsIn(root, plan), { encoding: 'utf8', env }).stdout;
}

function parsed(stdout: string) {
  const { parts, largest } = parseDirectories(stdout);
  const paths = largest.map(({ path: one, bytes }) => ({ path: one, bytes }));
  const equalsByName = paths.sort((a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1));
  return { parts: new Map(parts.map(({ part, ...of }) => [part, of])), largest: equalsByName };
}

const du = (...words: readonly string[]): number =>
  Number(execFileSync('du', ['-x', '-s', '-B1', ...words], { encoding: 'utf8' }).split('\t')[0]);

const pathsOf = (entries: readonly { readonly path: string }[]): readonly string[] => entries.map((one) => one.path);

it.runIf(isLinux)('the writable layer is what has changed since the start, whatever its mtime', async ({ root }) => {
  await write(root, 'var/lib/app/data with blanks', 20 * block);
  await write(root, 'tmp/small', block);
  await write(root, 'etc/passwd', 2 * block);
  execFileSync('touch', ['-d', '2001-01-01', path.join(root, 'tmp/small')]);
  const { parts, largest } = walked(root, { startedAtMs });
  const changed = ['var', 'tmp', 'etc/passwd'].map((one) => du(path.join(root, one)));
  const bytes = changed.reduce((sum, one) => sum + one, statSync(root).blocks * 512);
  expect(parts.get('rootfs')).toEqual({ bytes, note: '' });
  expect(pathsOf(largest).filter((one) => !one.endsWith('/'))).toEqual([
    '/var/lib/app/data with blanks',
    '/etc/passwd',
    '/tmp/small',
  ]);
});

it.runIf(isLinux)('the sum of an emptyDir is that of du, with old files, and links counted once', async ({ root }) => {
  await write(root, 'cache/a/one', 30 * block);
  await write(root, 'cache/a/b/two', 10 * block);
  await link(path.join(root, 'cache/a/one'), path.join(root, 'cache/again'));
  const { parts } = walked(root, { startedAtMs: startedAtMs + 3_600_000, places: ['cache:/cache'] });
  expect(parts.get('cache')).toEqual({ bytes: du(path.join(root, 'cache')), note: '' });
  expect(parts.get('rootfs')?.bytes).toBe(0);
});

it.runIf(isLinux)('mounts are left out of each other and of the writable layer', async ({ root }) => {
  await write(root, 'cache/inner/file', 10 * block);
  await write(root, 'cache/outer', block);
  await write(root, 'etc/config/file', 5 * block);
  await write(root, 'etc/hosts', block);
  const { parts, largest } = walked(root, {
    startedAtMs,
    places: ['cache:/cache', 'inner:/cache/inner', ':/etc/config'],
  });
  expect(parts.get('inner')?.bytes).toBe(du(path.join(root, 'cache/inner')));
  expect(parts.get('cache')?.bytes).toBe(du(path.join(root, 'cache'), `--exclude=inner`));
  expect(pathsOf(largest).filter((one) => !one.endsWith('/'))).toEqual(['/cache/inner/file', '/cache/outer']);
});

it.runIf(isLinux)('a name with a line feed is skipped and counted, and none is run', async ({ root }) => {
  const innocent = 'tmp/$(touch pwned)`touch pwned`';
  await write(root, innocent, 2 * block);
  for (const name of ['a\n81a4 9999999999 2000000 1 1 /x', 'z\ne 0', 'y\ns\trootfs\t9\t']) {
    await write(root, `tmp/${name}`, block);
  }
  await write(root, 'tmp/dir\n81a4 9999999999 1000000 1 3 /victim', 3 * block);
  const { parts, largest } = walked(root, { startedAtMs });
  const ofDirectories = ['.', 'tmp'].reduce((sum, one) => sum + statSync(path.join(root, one)).blocks * 512, 0);
  const bytes = du(path.join(root, innocent)) + ofDirectories;
  expect(parts.get('rootfs')).toEqual({ bytes, note: '4 names skipped' });
  expect(pathsOf(largest)).toEqual(['/tmp/', `/${innocent}`]);
  expect(existsSync('pwned')).toBe(false);
});

it.runIf(isLinux)('a directory has the sum of what is in it, as du has it', async ({ root }) => {
  await write(root, 'cache/a/b/one', 10 * block);
  await write(root, 'cache/a/two', 10 * block);
  await write(root, 'cache/c/three', 5 * block);
  await write(root, 'cache/c/four', 5 * block);
  const { largest } = walked(root, { startedAtMs: startedAtMs + 3_600_000, places: ['cache:/cache'] });
  const directories = largest.filter((one) => one.path.endsWith('/')).map((one) => [one.path, one.bytes] as const);
  expect(directories).toEqual(
    ['/cache/a', '/cache/a/b', '/cache/c'].map((one) => [`${one}/`, du(path.join(root, one))]),
  );
});

it.runIf(isLinux)('a list has the largest, and the sum has all', async ({ root }) => {
  for (let index = 1; index <= 60; index += 1) await write(root, `many/${index}`, index * block);
  const { parts, largest } = walked(root, { startedAtMs: startedAtMs + 3_600_000, places: ['many:/many'] });
  expect(largest.map(({ bytes }) => bytes / block)).toEqual(Array.from({ length: 40 }, (_, index) => 60 - index));
  expect(parts.get('many')?.bytes).toBe(du(path.join(root, 'many')));
});

it.runIf(isLinux)('a large directory is listed behind any number of small ones', ({ root }) => {
  const line = `41ed 9999999999 8 1 1 ${root}/small/%d\\n81a4 9999999999 8 1 2 ${root}/small/%d/file\\n`;
  const large = `81a4 9999999999 800 1 3 ${root}/large/one\n81a4 9999999999 800 1 4 ${root}/large/two`;
  const find = `awk 'BEGIN { for (i = 0; i < 20000; i++) printf "${line}", i, i }'\necho "${large}"`;
  expect(parsed(stubbed(root, { find })).largest.slice(0, 2)).toEqual([
    { path: '/small/', bytes: 40_000 * block },
    { path: '/large/', bytes: 200 * block },
  ]);
});

it.runIf(isLinux)('a path that is gone is a part that could not be read', async ({ root }) => {
  await rm(path.join(root, 'usr'), { recursive: true });
  const { parts } = walked(root, { startedAtMs, places: ['gone:/gone'] });
  expect(parts.get('gone')).toEqual({ bytes: 0, note: 'some of it could not be read' });
});

const isPartial = 'the time was up: at least this much';

it.runIf(isLinux).for([
  ['within a path', '/many/cut', 5001],
  ['within the numbers', undefined, 5000],
] as const)('a walk that is killed %s has what was found before', ([, end, fileCount], { root }) => {
  const lines = `i=0; while [ $i -lt 5000 ]; do echo "81a4 9999999999 8 1 $i ${root}/many/$i"; i=$((i + 1)); done`;
  const last = end === undefined ? '81a4 9999999999 8' : `81a4 9999999999 8 1 9999 ${root}${end}`;
  const { parts } = parsed(stubbed(root, { find: `${lines}; printf '${last}'`, timeout: 'shift\n"$@"\nexit 137' }));
  expect(parts.get('rootfs')).toEqual({ bytes: fileCount * block, note: isPartial });
});

it.runIf(isLinux)('a walk that takes too long ends in the container, with what it has found', ({ root }) => {
  const find = `echo "81a4 9999999999 8 1 1 ${root}/x"\nexec sleep 60`;
  const { parts } = parsed(stubbed(root, { find }, { seconds: 1 }));
  expect(parts.get('rootfs')).toEqual({ bytes: block, note: isPartial });
});

it.runIf(isLinux)('an image without a tool names it', ({ root }) => {
  for (const [tool, stub] of [['awk'], ['find'], ['timeout'], ['stat that shows ctimes', 'timeout']] as const) {
    if (stub !== undefined) stubbed(root, { [stub]: '' });
    const { stdout } = spawnSync('/bin/sh', wordsIn(root, {}), { encoding: 'utf8', env: { PATH: root } });
    expect(stdout).toBe(`m\t${tool}\n`);
    stubbed(root, { [tool]: '' });
  }
});

it.runIf(isLinux)('the file system is as it was after a walk', ({ root }) => {
  const state = (): string => execFileSync('find', [root, '-printf', '%p %s %C@\n'], { encoding: 'utf8' });
  const before = state();
  walked(root, { startedAtMs });
  expect(state()).toBe(before);
});

it.skipIf(!isInstalled('shellcheck')).for(['walk-container.sh', 'walk-node.sh'])(
  'shellcheck finds no fault in %s',
  (name) => {
    expect(spawnSync('shellcheck', [path.join(path.dirname(script), name)], { encoding: 'utf8' }).stdout).toBe('');
  },
);
