import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { link, mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { findDuCommand } from '../../src/agent/du-command.js';
import { DuBudget } from '../../src/agent/du-pacing.js';
import type { DuEntry } from '../../src/agent/du-records.js';
import { aJob, aWalker, duNeeded, duOf, hasDu, scriptedDu } from '../support/du.js';
import { ManualClock } from '../support/manual-clock.js';
import { temporaryFolder } from '../support/programs.js';

const never = new AbortController().signal;

/** A script that writes its process ID and a total, and does not end. */
const hanging = (file: string): readonly string[] =>
  scriptedDu(String.raw`printf '1\ttotal\000'; echo $$ >> '${file}.new'; cp '${file}.new' '${file}'; exec sleep 600`);

async function stateOf(file: string): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  const pid = (await readFile(file, 'utf8')).trim();
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return /\) (\S)/.exec(text)?.[1] ?? 'gone';
}

async function fill(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'data/deep/er'), { recursive: true });
  await writeFile(path.join(folder, 'data/big'), Buffer.alloc(3_000_000, 1));
  await writeFile(path.join(folder, 'data/deep/er/small'), 'x');
  await writeFile(Buffer.from(`${folder}/data/line\nfeed\xff`, 'latin1'), Buffer.alloc(70_000, 1));
  await link(path.join(folder, 'data/big'), path.join(folder, 'data/deep/same'));
  await symlink('/usr', path.join(folder, 'data/away'));
  await symlink(path.join(folder, 'data'), path.join(folder, 'data/circle'));
  const sparse = await open(path.join(folder, 'data/sparse'), 'w');
  await sparse.truncate(2 ** 40);
  await sparse.close();
}

describe.skipIf(!hasDu)(`a walk; ${duNeeded}`, () => {
  it('measures a directory to the byte as du does, and does not follow links', async () => {
    await using folder = await temporaryFolder();
    await fill(folder.path);
    const entries: DuEntry[] = [];
    const result = await aWalker().walk(aJob(folder.path, { onEntry: (entry) => entries.push(entry) }), never);
    expect(result).toEqual({
      end: 'complete',
      usedBytes: duOf(folder.path),
      unreadableCount: 0,
      message: undefined,
    });
    const below = (name: string): string => `${folder.path}/data/${name}`;
    expect(new Set(entries.map(({ rawPath }) => rawPath))).toEqual(
      // Of a file with two names, du lists the first that it comes to.
      new Set([
        ...[folder.path, `${folder.path}/data`, below('deep'), below('deep/er'), below('deep/er/small')],
        ...[below('line\nfeed\xff'), below('away'), below('circle'), below('sparse')],
        ...entries.map(({ rawPath }) => rawPath).filter((rawPath) => /big$|same$/.test(rawPath)),
      ]),
    );
    expect(entries.find(({ rawPath }) => rawPath === `${folder.path}/data`)?.usedBytes).toBe(duOf(below('')));
  });

  it('lists nothing below the threshold and the depth, and measures it', async () => {
    await using folder = await temporaryFolder();
    await fill(folder.path);
    const names: string[] = [];
    const onEntry = ({ rawPath }: DuEntry): unknown => names.push(rawPath);
    const { usedBytes } = await aWalker().walk(aJob(folder.path, { maxDepth: 1, thresholdBytes: 1e6, onEntry }), never);
    expect(names).toEqual([`${folder.path}/data`, folder.path]);
    expect(usedBytes).toBe(duOf(folder.path));
  });

  it('has the total of a directory that is smaller than the threshold', async () => {
    await using folder = await temporaryFolder();
    const result = await aWalker().walk(aJob(folder.path, { thresholdBytes: 2 ** 40 }), never);
    expect(result).toMatchObject({ end: 'complete', usedBytes: duOf(folder.path) });
  });

  it.each(['data/sparse', 'data/away', 'data/big'])('measures a file or a link: %s', async (name) => {
    await using folder = await temporaryFolder();
    await fill(folder.path);
    const file = path.join(folder.path, name);
    const { usedBytes } = await aWalker().walk(aJob(file, { maxDepth: 0 }), never);
    expect(usedBytes).toBe(name === 'data/big' ? duOf(file) : 0);
  });

  it('measures a directory that is not there as empty, with a message', async () => {
    await using folder = await temporaryFolder();
    const result = await aWalker().walk(aJob(path.join(folder.path, 'none')), never);
    expect(result).toMatchObject({ end: 'complete', usedBytes: 0, unreadableCount: 0 });
    expect(result.message).toContain('No such file or directory');
  });

  it('finds the programs in the PATH', async () => {
    const command = await findDuCommand(process.env['PATH'] ?? '');
    await using folder = await temporaryFolder();
    expect(await aWalker({ command }).walk(aJob(folder.path), never)).toMatchObject({ end: 'complete' });
  });
});

describe('an image without du', () => {
  it('is an error that names the missing programs and the fix', async () => {
    const error = 'cannot measure directories: ionice, nice, du not found in PATH (/nonexistent)';
    await expect(findDuCommand('/nonexistent')).rejects.toThrow(error);
    await expect(findDuCommand('/nonexistent')).rejects.toThrow('GNU coreutils and util-linux');
  });

  it('rejects the walk', async () => {
    await expect(aWalker({ command: ['/nonexistent/du'] }).walk(aJob('/'), never)).rejects.toThrow('ENOENT');
  });
});

describe('a walk ends', () => {
  const endless = scriptedDu(String.raw`while :; do printf '4096\t/a/b\000'; done`);

  it.each([
    [
      'at its number of entries',
      { maxEntryCount: 100 },
      { end: 'entries', message: 'du had listed 100 directories and files, and not all' },
      100,
    ],
    [
      'at its size of output',
      { maxOutputBytes: 10_000 },
      { end: 'output', message: 'du had listed 10000 bytes, and not all' },
      1_000,
    ],
  ])('%s', async (_case, limits, expected, maxCount) => {
    let count = 0;
    const onEntry = (): unknown => (count += 1);
    const result = await aWalker({ command: endless }).walk(aJob('/a', { ...limits, onEntry }), never);
    expect(result).toMatchObject(expected);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(maxCount);
  });

  it('at the size of its messages', async () => {
    const command = scriptedDu('while :; do echo "du: cannot read directory: Permission denied" >&2; done');
    expect(await aWalker({ command }).walk(aJob('/a', { maxOutputBytes: 1e5 }), never)).toMatchObject({
      end: 'output',
    });
  });

  it('as failed when du ends without a total, with its message', async () => {
    const command = scriptedDu(`echo "du: unrecognized option '--threshold=0'" >&2; exit 1`);
    const result = await aWalker({ command }).walk(aJob('/a'), never);
    expect(result).toMatchObject({ end: 'failed', message: "du: unrecognized option '--threshold=0'" });
    const killed = await aWalker({ command: scriptedDu('kill -9 $$') }).walk(aJob('/a'), never);
    expect(killed).toMatchObject({ end: 'failed', message: 'du ended before it had measured all' });
  });

  it('with the number of directories that could not be read', async () => {
    const command = scriptedDu(
      String.raw`echo "du: cannot read directory '/a/b': Permission denied" >&2; printf '1\t/a\000''1\ttotal\000'; exit 1`,
    );
    const result = await aWalker({ command }).walk(aJob('/a'), never);
    expect(result).toMatchObject({ end: 'complete', usedBytes: 1, unreadableCount: 1 });
  });

  it('with the number of records that are malformed', async () => {
    const command = scriptedDu(String.raw`printf 'nonsense\000''1\ttotal\000'`);
    expect(await aWalker({ command }).walk(aJob('/a'), never)).toMatchObject({ end: 'complete', unreadableCount: 1 });
  });

  it('with messages in the locale C', async () => {
    const command = scriptedDu('echo "du: $LC_ALL" >&2');
    expect(await aWalker({ command }).walk(aJob('/a'), never)).toMatchObject({ message: 'du: C' });
  });

  it.each(['time', 'aborted'])('and its process with it: %s', async (end) => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'pid');
    const clock = new ManualClock();
    const abort = new AbortController();
    const walker = aWalker({ command: hanging(file), clock, budget: new DuBudget(0.05) });
    const walk = walker.walk(aJob('/a', { maxDurationMs: 5_000 }), abort.signal);
    await expect.poll(() => stateOf(file)).toBe('S');
    // Also while it is stopped.
    await clock.advance(100);
    await expect.poll(() => stateOf(file)).toBe('T');
    if (end === 'time') await clock.advance(5_000);
    else abort.abort(new Error('not needed'));
    expect(await walk).toMatchObject({ end, usedBytes: undefined });
    await expect.poll(() => stateOf(file)).toBe('gone');
    expect(clock.sleeperCount).toBe(0);
  });
});

describe('the process of a walk', () => {
  it('is stopped and continues by the budget', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'pid');
    const clock = new ManualClock();
    const abort = new AbortController();
    const walk = aWalker({ command: hanging(file), clock, budget: new DuBudget(0.05) }).walk(aJob('/a'), abort.signal);
    await expect.poll(() => stateOf(file)).toBe('S');
    await clock.advance(100);
    await expect.poll(() => stateOf(file)).toBe('T');
    await clock.advance(1_900);
    await expect.poll(() => stateOf(file)).toBe('S');
    abort.abort();
    await walk;
  });

  it('is not followed by another before the budget allows it, however short it was', async () => {
    await using folder = await temporaryFolder();
    const [started, go] = ['started', 'go'].map((name) => path.join(folder.path, name));
    const command = scriptedDu(
      String.raw`echo >> '${started}'; while [ ! -e '${go}' ]; do sleep 0.01; done; printf '1\ttotal\000'`,
    );
    const startCount = (): number => (existsSync(`${started}`) ? readFileSync(`${started}`).length : 0);
    const clock = new ManualClock();
    const walker = aWalker({ command, clock, budget: new DuBudget(0.05) });
    const first = walker.walk(aJob('/a'), never);
    await expect.poll(startCount).toBe(1);
    await clock.advance(50);
    await writeFile(`${go}`, '');
    await first;
    const second = walker.walk(aJob('/a'), never);
    await clock.advance(949);
    expect(startCount()).toBe(1);
    await clock.advance(1);
    expect(await second).toMatchObject({ end: 'complete' });
    expect(startCount()).toBe(2);
  });

  it('ends when the exporter exits', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'pid');
    const module = new URL('../support/du.ts', import.meta.url).href;
    const script = `
      import { existsSync, readFileSync } from 'node:fs';
      import { aJob, aWalker } from ${JSON.stringify(module)};
      const command = ${JSON.stringify(hanging(file))};
      aWalker({ command }).walk(aJob('/a'), new AbortController().signal);
      setInterval(() => existsSync(${JSON.stringify(file)}) && process.exit(3), 10);`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
    const [code] = (await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')) as [number];
    expect(code).toBe(3);
    await expect.poll(() => stateOf(file)).toBe('gone');
  });

  it('is not started while the disk is busy', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'pid');
    const clock = new ManualClock();
    const command = scriptedDu(String.raw`touch '${file}'; printf '1\ttotal\000'`);
    let isBusy = true;
    const walk = aWalker({ command, clock, isBusy: () => Promise.resolve(isBusy) }).walk(aJob('/a'), never);
    await clock.advance(30_000);
    expect(existsSync(file)).toBe(false);
    isBusy = false;
    await clock.advance(1_000);
    expect(await walk).toMatchObject({ end: 'complete', usedBytes: 1 });
  });

  it('that is not started within its time says so, and that the disk was busy', async () => {
    const clock = new ManualClock();
    const walker = aWalker({ clock, isBusy: () => Promise.resolve(true) });
    const walk = walker.walk(aJob('/a', { maxDurationMs: 60_000 }), never);
    await clock.advance(60_000);
    const message = 'tasks of the node wait for I/O: du was not started within 60 s';
    expect(await walk).toMatchObject({ end: 'unstarted', usedBytes: undefined, message });
  });

  it.each([
    [false, 'du had not measured all within 60 s'],
    [true, 'tasks of the node wait for I/O: du had not measured all within 60 s'],
  ])('that is ended by its time says so, and whether the disk was busy: %s', async (isBusyThen, message) => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'pid');
    const clock = new ManualClock();
    let isBusy = false;
    const walker = aWalker({ command: hanging(file), clock, isBusy: () => Promise.resolve(isBusy) });
    const walk = walker.walk(aJob('/a', { maxDurationMs: 60_000 }), never);
    await expect.poll(() => existsSync(file)).toBe(true);
    isBusy = isBusyThen;
    await clock.advance(60_000);
    expect(await walk).toMatchObject({ end: 'time', message });
  });

  it('is the only one: a second walk waits, for no longer than it may take', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'pid');
    const clock = new ManualClock();
    const abort = new AbortController();
    const walker = aWalker({ command: hanging(file), clock });
    const first = walker.walk(aJob('/a'), abort.signal);
    await expect.poll(() => existsSync(file)).toBe(true);
    const second = walker.walk(aJob('/b', { maxDurationMs: 3_000 }), never);
    await clock.advance(3_000);
    expect(await second).toMatchObject({ end: 'unstarted', message: 'du was not started within 3 s' });
    expect((await readFile(`${file}.new`, 'utf8')).trim().split('\n')).toHaveLength(1);
    abort.abort();
    expect(await first).toMatchObject({ end: 'aborted' });
  });
});
