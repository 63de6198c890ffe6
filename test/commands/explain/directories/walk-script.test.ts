import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { beforeAll, expect, test } from 'vitest';

import type { WalkEntry } from '../../../../src/commands/explain/directories/pod-directories.js';
import {
  parseWalkOutput,
  walkCommand,
  type WalkPlan,
} from '../../../../src/commands/explain/directories/walk-script.js';
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

/** The words of a command for a container, with another root. */
function commandIn(root: string, plan: Pick<WalkPlan, 'startedAtMs'> & Partial<WalkPlan>): readonly string[] {
  const others = { root: '', durationSeconds: 30, emptyDirPaths: [], otherPaths: [] } as const;
  return walkCommand({ ...others, ...plan }).map((word, index) => (index === 4 ? root : word));
}

/** Those of images. busybox runs its own find, stat and awk. */
const shells = [['sh'], ['dash'], ['bash'], ['busybox', 'sh']].filter(([program = '']) => isInstalled(program));

/** What every shell finds. */
function walked(root: string, plan: Parameters<typeof commandIn>[1]) {
  const [, ...words] = commandIn(root, plan);
  const found = shells.map(([program = '', ...before]) => {
    const { stdout, stderr, status } = spawnSync(program, [...before, ...words], { encoding: 'utf8' });
    expect([program, status, stderr]).toEqual([program, 0, '']);
    return parseWalkOutput(stdout);
  });
  const [first = expect.unreachable('no shell is installed'), ...others] = found;
  for (const other of others) expect(other).toEqual(first);
  return first;
}

const du = (...words: readonly string[]): number =>
  Number(execFileSync('du', ['-x', '-s', '-B1', ...words], { encoding: 'utf8' }).split('\t')[0]);

const pathsOf = (entries: readonly WalkEntry[] | undefined): readonly string[] =>
  (entries ?? []).map(({ path: one, isDirectory }) => (isDirectory ? `${one}/` : one));

it.runIf(isLinux)('the writable layer is what has changed since the start, whatever its mtime', async ({ root }) => {
  await write(root, 'var/lib/app/data with blanks', 20 * block);
  await write(root, 'tmp/small', block);
  await write(root, 'etc/passwd', 2 * block);
  execFileSync('touch', ['-d', '2001-01-01', path.join(root, 'tmp/small')]);
  const walk = walked(root, { startedAtMs }).walks.get(0);
  expect(walk).toMatchObject({ state: 'complete', fileCount: 3, skippedCount: 0 });
  const changed = ['var', 'tmp', 'etc/passwd'].map((one) => du(path.join(root, one)));
  expect(walk?.bytes).toBe(changed.reduce((sum, bytes) => sum + bytes, statSync(root).blocks * 512));
  expect(pathsOf(walk?.entries).filter((one) => !one.endsWith('/'))).toEqual([
    '/var/lib/app/data with blanks',
    '/etc/passwd',
    '/tmp/small',
  ]);
});

it.runIf(isLinux)('the sum of an emptyDir is that of du, with old files, and links counted once', async ({ root }) => {
  await write(root, 'cache/a/one', 30 * block);
  await write(root, 'cache/a/b/two', 10 * block);
  await link(path.join(root, 'cache/a/one'), path.join(root, 'cache/again'));
  const { walks } = walked(root, { startedAtMs: startedAtMs + 3_600_000, emptyDirPaths: ['/cache'] });
  expect(walks.get(1)?.bytes).toBe(du(path.join(root, 'cache')));
  expect(walks.get(1)?.fileCount).toBe(2);
  expect(walks.get(0)?.bytes).toBe(0);
});

it.runIf(isLinux)('mounts are left out of each other and of the writable layer', async ({ root }) => {
  await write(root, 'cache/inner/file', 10 * block);
  await write(root, 'cache/outer', block);
  await write(root, 'etc/config/file', 5 * block);
  await write(root, 'etc/hosts', block);
  const plan = { startedAtMs, emptyDirPaths: ['/cache', '/cache/inner'], otherPaths: ['/etc/config'] };
  const { walks } = walked(root, plan);
  expect(pathsOf(walks.get(1)?.entries)).toContain('/cache/outer');
  expect(walks.get(1)?.fileCount).toBe(1);
  expect(walks.get(2)?.bytes).toBe(du(path.join(root, 'cache/inner')));
  expect(walks.get(0)?.fileCount).toBe(0);
});

it.runIf(isLinux)('a name with a line feed is skipped and counted, and none is run', async ({ root }) => {
  const innocent = 'tmp/$(touch pwned)`touch pwned`';
  await write(root, innocent, 2 * block);
  for (const name of ['a\n8 9999999999 2000000 1 1 ', `b\n8 9999999999 1000000 1 2 x`, 'z\ne 0']) {
    await write(root, `tmp/${name}`, block);
  }
  await write(root, 'tmp/dir\n8 9999999999 1000000 1 3 /victim', 3 * block);
  await write(root, `tmp/c\n4 9999999999 1000000 1 4 ${root}/tmp/sub/file`, block);
  const walk = walked(root, { startedAtMs }).walks.get(0);
  expect(walk?.skippedCount).toBe(5);
  expect(pathsOf(walk?.entries)).toEqual(['/tmp/', `/${innocent}`]);
  const ofDirectories = ['.', 'tmp'].reduce((sum, one) => sum + statSync(path.join(root, one)).blocks * 512, 0);
  expect(walk?.bytes).toBe(du(path.join(root, innocent)) + ofDirectories);
  expect(existsSync('pwned')).toBe(false);
});

it.runIf(isLinux)('a directory has the sum of what is in it, as du has it', async ({ root }) => {
  await write(root, 'cache/a/b/one', 10 * block);
  await write(root, 'cache/a/two', 10 * block);
  await write(root, 'cache/c/three', 5 * block);
  await write(root, 'cache/c/four', 5 * block);
  const entries = walked(root, { startedAtMs, emptyDirPaths: ['/cache'] }).walks.get(1)?.entries ?? [];
  const directories = entries.filter(({ isDirectory }) => isDirectory).map((one) => [one.path, one.bytes] as const);
  const expected = ['/cache', '/cache/a', '/cache/c', '/cache/a/b'].map(
    (one) => [one, du(path.join(root, one))] as const,
  );
  expect(directories).toEqual(expected);
});

it.runIf(isLinux)('a list has the largest, and the sum has all', async ({ root }) => {
  for (let index = 1; index <= 60; index += 1) await write(root, `many/${index}`, index * block);
  const walk = walked(root, { startedAtMs, emptyDirPaths: ['/many'] }).walks.get(1);
  const files = walk?.entries.filter(({ isDirectory }) => !isDirectory) ?? [];
  expect(files.map(({ bytes }) => bytes / block)).toEqual(Array.from({ length: 20 }, (_, index) => 60 - index));
  expect(walk?.bytes).toBe(du(path.join(root, 'many')));
});

it.runIf(isLinux)('a large directory is listed behind any number of small ones', async ({ root }) => {
  const line = `'4 9999999999 8 1 1 ${root}/small/%d//\\n8 9999999999 8 1 2 ${root}/small/%d/file//\\n'`;
  const large = `8 9999999999 800 1 3 ${root}/large/one//\n8 9999999999 800 1 4 ${root}/large/two//`;
  const find = `awk 'BEGIN { for (i = 0; i < 20000; i++) printf "'${line}'", i, i }'\necho "${large}"`;
  await writeFile(path.join(root, 'find'), `#!/bin/sh\n[ "$2" = -maxdepth ] && exit 0\n${find}\n`, { mode: 0o755 });
  const env = { PATH: `${root}:${process.env['PATH'] ?? ''}` };
  const [shell = '', ...words] = commandIn(root, { startedAtMs });
  const walk = parseWalkOutput(spawnSync(shell, words, { encoding: 'utf8', env }).stdout).walks.get(0);
  expect(walk?.entries.slice(0, 2)).toEqual([
    { path: '/small', bytes: 40_000 * block, isDirectory: true },
    { path: '/large', bytes: 200 * block, isDirectory: true },
  ]);
});

it.runIf(isLinux)('a path that is gone is a walk that could not read it', async ({ root }) => {
  await rm(path.join(root, 'usr'), { recursive: true });
  expect(walked(root, { startedAtMs, emptyDirPaths: ['/gone'] }).walks.get(1)).toMatchObject({
    state: 'unreadable',
    bytes: 0,
  });
});

/** Whether a `find` prints itself: that of busybox has `stat` print. */
const finds = { 'GNU find': 'exit 0', 'busybox find': 'exit 1' } as const;

interface CutFind {
  readonly find: string;
  /** How it ends when it is asked to print. */
  readonly printf: string;
  /** Of its `timeout`. */
  readonly end?: string;
}

/** Returns what a container prints whose programs are these. */
function cut(root: string, { find, printf, end = 'exit 124' }: CutFind): string {
  const stubs = { find: `[ "$2" = -maxdepth ] && ${printf}\n${find}`, timeout: `shift\n"$@"\n${end}` };
  for (const [name, text] of Object.entries(stubs)) {
    writeFileSync(path.join(root, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const [shell = '', ...words] = commandIn(root, { startedAtMs: 0 });
  const env = { PATH: `${root}:${process.env['PATH'] ?? ''}` };
  return spawnSync(shell, words, { encoding: 'utf8', env }).stdout;
}

const largeOutput = (root: string): string =>
  `i=0; while [ $i -lt 5000 ]; do echo "8 9999999999 8 1 $i ${root}/many/$i//"; i=$((i + 1)); done`;

it.runIf(isLinux).for([
  ['within a path', '/many/cut'],
  ['behind a directory', '/many/'],
  ['within the numbers', undefined],
  ['at the end of a line', '/many/last//\n'],
] as const)('a walk that is killed %s has what was found before, and is not complete', ([, end], { root }) => {
  for (const printf of Object.values(finds)) {
    const last = end === undefined ? '8 9999999999 8' : `8 9999999999 8 1 9999 ${root}${end}`;
    const stdout = cut(root, {
      find: `${largeOutput(root)}; printf '${last.replace('\n', String.raw`\n`)}'`,
      printf,
    });
    const walk = parseWalkOutput(stdout).walks.get(0);
    const fileCount = end?.endsWith('\n') === true ? 5001 : 5000;
    expect(walk).toMatchObject({ state: 'timeout', bytes: fileCount * block, fileCount, skippedCount: 0 });
    expect(pathsOf(walk?.entries)).toContain('/many/');
    expect(pathsOf(walk?.entries)).not.toContain('/many/cut');
  }
});

it.runIf(isLinux)('what a killed find has started goes on writing, and the walk is not complete', ({ root }) => {
  const stat = `(sleep 0.3; printf '/y//\\n8 9999999999 8 1 2 ${root}/z//\\n') &`;
  const find = `${stat}\nprintf '8 9999999999 8 1 1 ${root}/x'`;
  const walk = parseWalkOutput(cut(root, { find, printf: finds['busybox find'] })).walks.get(0);
  expect(walk).toMatchObject({ state: 'timeout', bytes: 2 * block });
});

it.runIf(isLinux)('a walk whose shell is killed before its find has ended is none', ({ root }) => {
  const stdout = cut(root, { find: largeOutput(root), printf: finds['GNU find'], end: 'kill -9 $PPID' });
  expect(stdout).toMatch(/^t 40000 5000 0$/m);
  expect(parseWalkOutput(stdout).walks.has(0)).toBe(false);
});

it.runIf(isLinux)('a walk that takes too long ends in the container, with what it has found', async ({ root }) => {
  const slow = path.join(root, 'find');
  const lines = [
    '#!/bin/sh',
    `[ "$2" = -maxdepth ] && exit 0`,
    `echo "8 9999999999 8 1 1 ${root}/x//"`,
    'exec sleep 60',
  ];
  await writeFile(slow, lines.join('\n'), { mode: 0o755 });
  const [shell = '', ...words] = commandIn(root, { startedAtMs: 0, durationSeconds: 1 });
  const { stdout } = spawnSync(shell, words, {
    encoding: 'utf8',
    env: { PATH: `${root}:${process.env['PATH'] ?? ''}` },
  });
  expect(parseWalkOutput(stdout).walks.get(0)).toMatchObject({ state: 'timeout', bytes: block });
});

it.runIf(isLinux)('an image without tools names them', ({ root }) => {
  const [shell = '', ...words] = commandIn(root, { startedAtMs: 0 });
  const { stdout } = spawnSync(`/bin/${shell}`, words, { encoding: 'utf8', env: { PATH: root } });
  expect(parseWalkOutput(stdout)).toMatchObject({ missingTools: ['awk', 'date', 'find', 'timeout', 'stat'] });
});

it.runIf(isLinux)('nothing is listed while all tasks of the node wait for its disks', async ({ root }) => {
  const pressure = path.join(root, 'pressure');
  await writeFile(
    pressure,
    'some avg10=80.10 avg60=1.0 avg300=0.1 total=9\nfull avg10=63.20 avg60=1.0 avg300=0.1 total=9\n',
  );
  const words = commandIn(root, { startedAtMs: 0 }).map((word) => word.replace('/proc/pressure/io', pressure));
  const [shell = '', ...others] = words;
  const { stdout } = spawnSync(shell, others, { encoding: 'utf8' });
  expect(stdout).toBe('p 63.2\n');
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
    const script = new URL(`../../../../src/commands/explain/directories/${name}`, import.meta.url).pathname;
    expect(spawnSync('shellcheck', [script], { encoding: 'utf8' }).stdout).toBe('');
  },
);
