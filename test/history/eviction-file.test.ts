import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { EvictionFile } from '../../src/facts/history/eviction-file.js';
import { linesFor, linesOf, readLines } from '../../src/facts/history/eviction-lines.js';
import type { EvictionRecord } from '../../src/facts/history/eviction-record.js';
import { aPod } from '../support/builders.js';
import { anEvictionContext, anEvictionRecord } from '../support/eviction-builders.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';

const hourMs = 3_600_000;
const settings = { retentionMs: 24 * hourMs, maxRecords: 1_000 };

let folder: string;
let file: string;
let clock: ManualClock;
let lines: string[];
let isWatching: boolean;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evictions-'));
  file = path.join(folder, 'evictions.json');
  clock = new ManualClock();
  lines = [];
  isWatching = true;
});
afterEach(() => rm(folder, { recursive: true }));

const open = (at: string | undefined): Promise<EvictionFile> =>
  EvictionFile.open({ ...settings, file: at }, { clock, logger: recordingLogger(lines), isWatching: () => isWatching });
const opened = (at = file): Promise<EvictionFile> => open(at);

const textOf = (...records: readonly EvictionRecord[]): string => textWatched([], ...records);

/** `times`: when exporters watched, from and until, counted from now. */
const textWatched = (times: readonly (readonly [number, number])[], ...records: readonly EvictionRecord[]): string => {
  const nowMs = clock.nowMs();
  const watched = times.map(([fromMs, untilMs]) => ({ fromMs: nowMs + fromMs, untilMs: nowMs + untilMs }));
  return [...linesOf({ records, watched })].join('');
};

/** With what is written then. */
const pass = async (durationMs: number, sleeperCount = 1): Promise<void> => {
  await clock.advance(durationMs);
  await expect.poll(() => clock.sleeperCount, { interval: 1 }).toBe(sleeperCount);
};

const timesOf = ({ watchedTimes: { sinceMs, gaps } }: EvictionFile, nowMs: number) => ({
  since: sinceMs - nowMs,
  gaps: gaps.map(({ fromMs, untilMs }) => [fromMs - nowMs, untilMs - nowMs]),
});

/** An eviction that is `ageMs` old. */
const aRecord = (pod: string, ageMs = 60_000): EvictionRecord =>
  anEvictionRecord({ pod, evictedAtMs: clock.nowMs() - ageMs, seenAtMs: clock.nowMs() - ageMs });

function evict({ log }: EvictionFile, name: string, { uid = `uid-${name}` } = {}): void {
  const message = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ';
  const object: Pod = aPod({ name, uid, phase: 'Failed', eviction: { message, atMs: clock.nowMs() } });
  log.podChanged({ object, previous: undefined, isInitial: false }, () => anEvictionContext());
}

const linesIn = async (at = file) => readLines(await readFile(at, 'utf8'), clock.nowMs() + 365 * 24 * hourMs);

/** Of the pods, sorted. */
const namesIn = async (at = file): Promise<readonly string[]> =>
  (await linesIn(at)).records.map(({ pod }) => pod).sort();

/** Real files take a while on a clock that is advanced. */
const eventually = (names: readonly string[]): Promise<void> =>
  expect.poll(() => namesIn().catch(() => undefined), { interval: 5 }).toEqual(names);

const isThere = (at: string): Promise<boolean> =>
  stat(at).then(
    () => true,
    () => false,
  );

const warnings = (): readonly string[] => lines.filter((line) => line.startsWith('warn'));

describe('the file of evictions', () => {
  it('an eviction is appended within 5 s, and nothing while there is no news', async () => {
    isWatching = false;
    await using kept = await opened();
    await pass(5_000);
    const { ino, mtimeMs } = await stat(file);
    evict(kept, 'a');
    await pass(4_999);
    expect((await stat(file)).mtimeMs).toBe(mtimeMs);
    await pass(1);
    expect(await namesIn()).toEqual(['a']);
    const written = await stat(file);
    await pass(60_000);
    expect((await stat(file)).mtimeMs).toBe(written.mtimeMs);
    evict(kept, 'b');
    await pass(5_000);
    expect([await namesIn(), (await stat(file)).ino, lines]).toEqual([['a', 'b'], ino, []]);
  });

  it('the file of evictions is for its owner alone, with nothing left beside it', async () => {
    await writeFile(`${file}.1.tmp`, 'of a process that was killed');
    await utimes(`${file}.1.tmp`, 0, 0);
    {
      await using kept = await opened();
      evict(kept, 'a');
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect([await readdir(folder), lines]).toEqual([['evictions.json'], []]);
  });

  it.each([false, true])(
    'the file has what came last when the exporter has stopped, during a write: %s',
    async (isDuring) => {
      const kept = await opened();
      evict(kept, 'a');
      await clock.advance(5_000);
      if (!isDuring) await eventually(['a']);
      evict(kept, 'b');
      await kept[Symbol.asyncDispose]();
      expect(await namesIn()).toEqual(['a', 'b']);
      expect(clock.sleeperCount).toBe(0);
    },
  );

  it('the file is written anew once it has doubled, without what is no longer listed', async () => {
    await using kept = await opened();
    await pass(5_000);
    let mostBytes = 0;
    for (let count = 0; count < 100; count += 1) {
      evict(kept, `p-${count}`, { uid: `${count}`.padEnd(2_000, 'x') });
      await pass(hourMs);
      mostBytes = Math.max(mostBytes, (await stat(file)).size);
    }
    expect([mostBytes > 100_000, mostBytes < 200_000, (await readdir(folder)).length]).toEqual([true, true, 1]);
    expect(kept.log.records).toHaveLength(23);
    expect(await namesIn()).toContain('p-99');
    expect(await namesIn()).not.toContain('p-0');
  });

  /** In whose middle of being written something happens. */
  const during = (pod: string, happens: () => void): EvictionRecord => ({
    ...aRecord(pod),
    get node(): string {
      happens();
      return 'node-1';
    },
  });

  it('what another process appends while the file is written anew is not lost', async () => {
    await using kept = await opened();
    let isFirst = true;
    const appendOnce = (): void => {
      if (isFirst) appendFileSync(file, [...linesFor([aRecord('of-another')])].join(''));
      isFirst = false;
    };
    await writeFile(file, textOf());
    kept.log.restore([during('a', appendOnce)]);
    await pass(5_000);
    expect(await namesIn()).toEqual(['a', 'of-another']);
  });

  it('what is appended while another process replaces the file is not lost', async () => {
    await using kept = await opened();
    await pass(5_000);
    let isFirst = true;
    const replaceOnce = (): void => {
      if (!isFirst) return;
      isFirst = false;
      writeFileSync(`${file}.new`, textOf(aRecord('of-another')));
      renameSync(`${file}.new`, file);
    };
    kept.log.restore([during('a', replaceOnce)]);
    await pass(5_000);
    expect(await namesIn()).toEqual(['a', 'of-another']);
  });

  it('the file of evictions has room for each namespace, however large the records of one are', async () => {
    const record = { ...aRecord('tenant', 0), message: 'x'.repeat(2 ** 20) };
    await using kept = await opened();
    const large = Array.from({ length: 9 }, (_, index) => ({ ...record, uid: String(index) }));
    kept.log.restore([...large, { ...aRecord('victim', hourMs), namespace: 'else' }]);
    await kept[Symbol.asyncDispose]();
    expect(await namesIn()).toContain('victim');
  });

  it('without evictions.file, nothing is written', async () => {
    await using kept = await open(undefined);
    evict(kept, 'a');
    await clock.advance(60_000);
    expect([await readdir(folder), lines]).toEqual([[], []]);
  });
});

describe('while changes of pods are not seen', () => {
  /** Returns what is known after the steps: for how many minutes changes of pods are seen, and not seen, in turns. */
  const after = async (kept: EvictionFile, ...minutes: readonly number[]) => {
    const startMs = clock.nowMs();
    for (const [index, duration] of minutes.entries()) {
      isWatching = index % 2 === 0;
      for (let at = 0; at < duration * 60_000; at += 5_000) {
        await pass(5_000);
      }
    }
    return timesOf(kept, startMs);
  };
  const minuteMs = 60_000;

  it('evictions are known from when all pods are seen, not from the start', async () => {
    await using kept = await open(undefined);
    isWatching = false;
    expect(await after(kept, 0, 30)).toEqual({ since: 30 * minuteMs, gaps: [] });
    expect(await after(kept, 1)).toEqual({ since: 5_000, gaps: [] });
  });

  it.each([
    ['of 45 s is none, as watches end now and then', [5, 0.75, 5], []],
    ['of an hour is a gap', [5, 60, 5], [[5 * minuteMs, 65 * minuteMs + 5_000]]],
    ['is a gap while it lasts', [5, 60], [[5 * minuteMs, 65 * minuteMs]]],
  ])('a break %s', async (_what, minutes, gaps) => {
    await using kept = await open(undefined);
    expect(await after(kept, ...minutes)).toEqual({ since: 5_000, gaps });
  });

  it('a restart does not make up for a break', async () => {
    {
      await using kept = await opened();
      await after(kept, 5, 10);
      evict(kept, 'a');
      await clock.advance(5_000);
      await eventually(['a']);
    }
    isWatching = true;
    await using kept = await opened();
    expect(timesOf(kept, clock.nowMs())).toEqual({ since: -900_000, gaps: [[-605_000, 0]] });
  });
});

describe('after a restart', () => {
  it('what was read is listed, and was not counted by this process', async () => {
    await writeFile(file, textOf(aRecord('a'), aRecord('b', 120_000)));
    await using kept = await opened();
    expect(kept.log.records).toEqual([aRecord('a'), aRecord('b', 120_000)]);
    expect(lines).toEqual([`info: evictions of before this start are read ${JSON.stringify({ file, count: 2 })}`]);
  });

  it('evictions are known since the first exporter, also where it saw none, within the retention', async () => {
    await writeFile(file, textWatched([[-2 * hourMs, -10_000]]));
    await using kept = await opened();
    expect(timesOf(kept, clock.nowMs())).toEqual({ since: -2 * hourMs, gaps: [] });
    await clock.advance(23 * hourMs);
    expect(timesOf(kept, clock.nowMs())).toEqual({ since: -24 * hourMs, gaps: [] });
  });

  it.each([
    [60_000, []],
    [61_000, [[-61_000, 0]]],
  ])('%d ms without an exporter are the gaps %j, also after the next restart', async (ageMs, gaps) => {
    const nowMs = clock.nowMs();
    await writeFile(file, textWatched([[-hourMs, -ageMs]]));
    for (let start = 0; start < 2; start += 1) {
      await using kept = await opened();
      expect(timesOf(kept, nowMs)).toEqual({ since: -hourMs, gaps });
      await clock.advance(5_000);
    }
  });

  it('a process that is killed has left until when it ran, to half a minute, without an eviction', async () => {
    await using kept = await opened();
    for (let seconds = 0; seconds < 60; seconds += 5) {
      await clock.advance(5_000);
      await sleep(20);
    }
    expect(clock.nowMs() - ((await linesIn()).watched.at(-1)?.untilMs ?? 0)).toBeLessThanOrEqual(30_000);
    expect(kept.fault).toBeUndefined();
  });

  it('a gap is forgotten with the evictions of its time', async () => {
    await writeFile(
      file,
      textWatched([
        [-9 * hourMs, -8 * hourMs],
        [-7 * hourMs, -6 * hourMs],
      ]),
    );
    await using kept = await opened();
    const nowMs = clock.nowMs();
    const last = [-6 * hourMs, 0];
    expect(timesOf(kept, nowMs)).toEqual({ since: -9 * hourMs, gaps: [[-8 * hourMs, -7 * hourMs], last] });
    await clock.advance(16 * hourMs - 1_000);
    expect(timesOf(kept, nowMs)).toEqual({ since: -8 * hourMs - 1_000, gaps: [[-8 * hourMs, -7 * hourMs], last] });
    await clock.advance(1_000);
    expect(timesOf(kept, nowMs)).toEqual({ since: -7 * hourMs, gaps: [last] });
  });

  it('what is left out of a file is one warning, and a problem until the file is rewritten', async () => {
    await writeFile(file, textOf(aRecord('a'), aRecord('b'), aRecord('ahead', -hourMs)));
    await appendFile(file, '\n{}');
    await truncate(file, (await appendFile(file, '\n{"cause"'), (await stat(file)).size - 2));
    await using kept = await opened();
    expect(kept.log.records.map(({ pod }) => pod)).toEqual(['a', 'b']);
    const fault = {
      text: 'lines of evictions.file are left out: 3, not readable or in the future',
      fix: 'nothing: it is rewritten without them',
    };
    expect(kept.fault).toEqual(fault);
    expect(warnings()).toEqual([`warn: ${fault.text} ${JSON.stringify({ file, fix: fault.fix })}`]);
    await clock.advance(5_000);
    await expect.poll(async () => (await linesIn()).leftOutCount, { interval: 5 }).toBe(0);
    await expect.poll(() => kept.fault, { interval: 5 }).toBeUndefined();
  });

  it.each([
    ['1', () => '{"ephemeralStorageEvictions":1,"records":[]}', 0],
    ['10', () => '{"ephemeralStorageEvictions":10}\n{}', 0],
    ['3 with a line of this one', () => `${textOf(aRecord('a')).replace(':2}', ':3}')}\n{}`, 1],
  ])('a file of version %s is a problem that says so, until it is rewritten', async (_what, text, readCount) => {
    await writeFile(file, text());
    await using kept = await opened();
    expect(kept.log.records).toHaveLength(readCount);
    expect(kept.fault?.text).toMatch(/^lines of evictions\.file are left out: \d, written by another version$/);
    await pass(5_000);
    expect(kept.fault).toBeUndefined();
    expect(await readFile(file, 'utf8')).toMatch(/^\{"ephemeralStorageEvictions":2\}\n/);
  });

  it('a file that cannot be used is a problem for as long as the exporter runs', async () => {
    await writeFile(file, 'password: secret');
    await using kept = await opened();
    await clock.advance(25 * hourMs);
    expect(kept.fault?.text).toMatch(/^evictions\.file cannot be used: /);
  });

  it.each<readonly [string, (at: string) => Promise<unknown>, RegExp, RegExp]>([
    ['a folder', (at) => mkdir(at), /it is a folder/, /name a file in it, such as evictions\.json/],
    ['a device', (at) => symlink('/dev/zero', at), /it is no regular file/, /name another file/],
    ['a file of something else', (at) => writeFile(at, 'password: secret'), /something else/, /or remove this one/],
    [
      'a large file of something else',
      (at) => writeFile(at, 'x'.repeat(2 ** 24)),
      /something else/,
      /name another file/,
    ],
    [
      'in a file',
      async (at) => {
        await rm(at, { force: true });
      },
      /ENOTDIR/,
      /name another file/,
    ],
  ])('%s in place of the file is one warning, and is never touched', async (what, make, reason, fix) => {
    await make(file);
    const at = what === 'in a file' ? path.join(file, 'evictions.json') : file;
    if (what === 'in a file') await writeFile(file, 'x');
    {
      await using kept = await opened(at);
      evict(kept, 'a');
      await clock.advance(60_000);
      expect(kept.fault?.text).toMatch(/^evictions\.file cannot be used: /);
      expect(kept.fault?.fix).toMatch(fix);
    }
    expect(warnings()).toEqual([expect.stringMatching(/evictions are not kept over a restart/)]);
    expect(warnings()[0]).toMatch(reason);
    expect(warnings()[0]).toMatch(fix);
    expect(warnings()[0]).not.toContain('secret');
    expect(await readdir(folder)).toEqual(['evictions.json']);
    if (what === 'a file of something else') expect(await readFile(file, 'utf8')).toBe('password: secret');
  });
});

describe('a folder that cannot be written', () => {
  it('is one warning, is tried again in a minute, and then as usual', async () => {
    const at = path.join(folder, 'volume', 'evictions.json');
    await using kept = await opened(at);
    const inVolume = (): Promise<boolean> => isThere(at);
    expect(kept.fault).toBeUndefined();
    await clock.advance(5_000); // no eviction is needed to see it
    await expect.poll(() => lines.length, { interval: 5 }).toBe(1);
    expect(kept.fault?.text).toMatch(/^evictions\.file cannot be written: .*ENOENT/);
    expect(kept.fault?.fix).toMatch(/^mount a volume/);
    evict(kept, 'a');
    expect(warnings()[0]).toMatch(/evictions are not written.*"fix":"mount a volume, such as an emptyDir,.*ENOENT/);
    await clock.advance(60_000);
    await expect.poll(() => lines.length, { interval: 5 }).toBe(2);
    expect(lines[1]).toMatch(/^debug/);
    await mkdir(path.dirname(at));
    await clock.advance(59_999);
    await sleep(20);
    expect(await inVolume()).toBe(false);
    await clock.advance(1);
    await expect.poll(inVolume, { interval: 5 }).toBe(true);
    await expect.poll(() => lines[2], { interval: 5 }).toMatch(/^info: evictions are written again after 2 failed/);
    expect(kept.fault).toBeUndefined();
    evict(kept, 'b');
    await clock.advance(5_000);
    await expect.poll(() => namesIn(at), { interval: 5 }).toEqual(['a', 'b']);
  });

  it('what fails in the middle of a write leaves the former file, and nothing beside it', async () => {
    await writeFile(file, textOf(aRecord('former')));
    const kept = await opened();
    const broken = {
      ...aRecord('broken', 2 * hourMs),
      get node(): string {
        throw new Error('no space left on device');
      },
    };
    kept.log.restore([...Array.from({ length: 100 }, (_, index) => aRecord(`p-${index}`)), broken]);
    await kept[Symbol.asyncDispose]();
    expect(warnings()[0]).toMatch(/evictions are not written.*no space left on device/);
    expect([await namesIn(), await readdir(folder)]).toEqual([['former'], ['evictions.json']]);
  });

  it.each([
    ['no UTF-8', Buffer.from([0x0a, 0xff, 0xfe])],
    ['more than is read', Buffer.alloc(33 * 2 ** 20, '\n')],
  ])('a file with %s is written again', async (_what, added) => {
    await writeFile(file, textOf(aRecord('a')));
    await appendFile(file, added);
    await using kept = await opened();
    await pass(5_000);
    const { records, leftOutCount } = await linesIn();
    expect([records.map(({ pod }) => pod), leftOutCount, (await stat(file)).size < 10_000]).toEqual([['a'], 0, true]);
    expect(kept.log.records).toHaveLength(1);
  });

  it.each([
    ['removed', () => rm(file)],
    ['cut in the middle of a line', async () => truncate(file, (await stat(file)).size - 9)],
    ['emptied', () => truncate(file, 0)],
  ])('an eviction is not lost in a file that somebody has %s', async (_what, damage) => {
    await using kept = await opened();
    evict(kept, 'a');
    await pass(5_000);
    expect(await namesIn()).toEqual(['a']);
    await damage();
    evict(kept, 'b');
    await pass(5_000);
    expect(await namesIn()).toContain('b');
  });
});
