import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { documentPieces, readDocument } from '../../src/history/eviction-document.js';
import { EvictionFile } from '../../src/history/eviction-file.js';
import type { EvictionRecord } from '../../src/history/eviction-record.js';
import type { Pod } from '../../src/kube/objects.js';
import { aPod } from '../support/builders.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
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

const textOf = (...records: readonly EvictionRecord[]): string => textWatched([[-hourMs, 0]], ...records);

/** `times`: when exporters watched, from and until, counted from now. */
const textWatched = (times: readonly (readonly [number, number])[], ...records: readonly EvictionRecord[]): string => {
  const nowMs = clock.nowMs();
  const watched = times.map(([fromMs, untilMs]) => ({ fromMs: nowMs + fromMs, untilMs: nowMs + untilMs }));
  return [...documentPieces(records, watched)].join('');
};

/** With the text of a process that ended `ageMs` ago. */
const left = async (text: string, ageMs: number): Promise<void> => {
  await writeFile(file, text);
  const endedAt = (clock.nowMs() - ageMs) / 1_000;
  await utimes(file, endedAt, endedAt);
};

const timesOf = ({ watchedTimes: { sinceMs, gaps } }: EvictionFile, nowMs: number) => ({
  since: sinceMs - nowMs,
  gaps: gaps.map(({ fromMs, untilMs }) => [fromMs - nowMs, untilMs - nowMs]),
});

/** An eviction that is `ageMs` old. */
const aRecord = (pod: string, ageMs = 60_000): EvictionRecord =>
  anEvictionRecord({ pod, evictedAtMs: clock.nowMs() - ageMs, seenAtMs: clock.nowMs() - ageMs });

function evict({ log }: EvictionFile, name: string, change: { readonly isInitial?: boolean } = {}): void {
  const message = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ';
  const object: Pod = aPod({ name, uid: `uid-${name}`, phase: 'Failed', eviction: { message, atMs: clock.nowMs() } });
  log.podChanged({ object, previous: undefined, isInitial: false, ...change }, () => ({
    node: undefined,
    layout: undefined,
    measurement: undefined,
    snapshot: undefined,
    maxAgeMs: 0,
    samplesOf: () => [],
    workloads: [],
    attribution: 'measured',
    sidecars: 'auto',
  }));
}

const namesIn = async (at = file): Promise<readonly string[]> => {
  const { records } = readDocument(await readFile(at, 'utf8'), clock.nowMs() + 365 * 24 * hourMs);
  return records.map(({ pod }) => pod);
};

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
  it('the file of evictions is written 5 s after an eviction, and not again until the next', async () => {
    await using kept = await opened();
    evict(kept, 'a');
    await clock.advance(4_999);
    await sleep(20);
    expect(await readdir(folder)).toEqual([]);
    await clock.advance(1);
    await eventually(['a']);
    await rm(file);
    await clock.advance(60_000);
    await sleep(20);
    expect(await readdir(folder)).toEqual([]);
    evict(kept, 'b');
    await clock.advance(5_000);
    await eventually(['b', 'a']);
    expect(lines).toEqual([]);
  });

  it('the file of evictions is for its owner alone, with nothing left beside it', async () => {
    await writeFile(`${file}.tmp`, 'of a process that was killed', { mode: 0o644 });
    {
      await using kept = await opened();
      evict(kept, 'a');
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect([await readdir(folder), lines]).toEqual([['evictions.json'], []]);
  });

  it('the file of evictions has what came during the last write', async () => {
    const kept = await opened();
    evict(kept, 'a');
    await clock.advance(5_000);
    evict(kept, 'b');
    await kept[Symbol.asyncDispose]();
    expect(await namesIn()).toEqual(['b', 'a']);
  });

  it('the file of evictions has what came last when the exporter has stopped', async () => {
    const kept = await opened();
    evict(kept, 'a');
    await clock.advance(5_000);
    await eventually(['a']);
    evict(kept, 'b');
    await kept[Symbol.asyncDispose]();
    expect(await namesIn()).toEqual(['b', 'a']);
    expect(clock.sleeperCount).toBe(0);
  });

  it('the file of evictions has room for each namespace, however large the records of one are', async () => {
    const record = { ...aRecord('tenant', 0), message: 'x'.repeat(2 ** 20) };
    await using kept = await opened();
    const large = Array.from({ length: 9 }, (_, index) => ({ ...record, uid: String(index) }));
    kept.log.restore([...large, { ...aRecord('victim', hourMs), namespace: 'else' }]);
    await kept[Symbol.asyncDispose]();
    expect(await namesIn()).toContain('victim');
  });

  it('the file of evictions loses what is no longer listed', async () => {
    await writeFile(file, textOf(aRecord('young'), aRecord('old', 23 * hourMs)));
    await using kept = await opened();
    expect(kept.log.records.map(({ pod }) => pod)).toEqual(['young', 'old']);
    await clock.advance(hourMs);
    await sleep(20);
    await clock.advance(5_000);
    await eventually(['young']);
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
        await clock.advance(5_000);
        await sleep(0);
      }
    }
    return timesOf(kept, startMs);
  };
  const minuteMs = 60_000;

  it('evictions are known from when all pods are seen, not from the start', async () => {
    await using kept = await open(undefined);
    isWatching = false;
    expect(await after(kept, 0, 180)).toEqual({ since: 180 * minuteMs, gaps: [] });
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
  it('what was read is listed and not written again', async () => {
    await writeFile(file, textOf(aRecord('a'), aRecord('b', 120_000)));
    const { ino } = await stat(file);
    {
      await using kept = await opened();
      expect(kept.log.records).toEqual([aRecord('a'), aRecord('b', 120_000)]);
      await clock.advance(60_000);
    }
    expect((await stat(file)).ino).toBe(ino);
    expect(lines).toEqual([`info: evictions of before this start are read ${JSON.stringify({ file, count: 2 })}`]);
  });

  it('evictions are known since the first exporter, also where it saw none, within the retention', async () => {
    await left(textWatched([[-2 * hourMs, -hourMs]]), 10_000);
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
    await left(textWatched([[-hourMs, -ageMs - 20_000]]), ageMs);
    for (let start = 0; start < 2; start += 1) {
      await using kept = await opened();
      expect(timesOf(kept, nowMs)).toEqual({ since: -hourMs, gaps });
      await clock.advance(5_000);
    }
  });

  it('a file that is dated in the future hides no gap', async () => {
    await left(textWatched([[-2 * hourMs, -hourMs]]), -hourMs);
    await using kept = await opened();
    expect(timesOf(kept, clock.nowMs())).toEqual({ since: -2 * hourMs, gaps: [[-hourMs, 0]] });
  });

  it('a process that is killed has left until when it ran, to half a minute, without an eviction', async () => {
    await using kept = await opened();
    const changedAtMs = (): Promise<number> =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      );
    for (let seconds = 0; seconds < 60; seconds += 5) {
      await clock.advance(5_000);
      await sleep(20);
    }
    expect(clock.nowMs() - (await changedAtMs())).toBeLessThanOrEqual(30_000);
    expect(kept.fault).toBeUndefined();
  });

  it('a gap is forgotten with the evictions of its time', async () => {
    await left(
      textWatched([
        [-9 * hourMs, -8 * hourMs],
        [-7 * hourMs, -6 * hourMs],
      ]),
      6 * hourMs,
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

  it('of a file without times, evictions are known since the first one in it was seen', async () => {
    await left(textOf(aRecord('a'), aRecord('b', 120_000)).replace(/"watched":[^"]*/, ''), hourMs);
    await using kept = await opened();
    expect(kept.log.records).toHaveLength(2);
    expect(timesOf(kept, clock.nowMs())).toEqual({ since: -120_000, gaps: [] });
  });

  it('however often it is restarted, the file has the last twenty times', async () => {
    const times = Array.from({ length: 20 }, (_, index) => [-hourMs + index, -hourMs + index] as const);
    await left(textWatched(times), hourMs);
    await using kept = await opened();
    expect(kept.watchedTimes.gaps).toHaveLength(19);
    await clock.advance(5_000);
    await expect
      .poll(async () => readDocument(await readFile(file, 'utf8'), clock.nowMs()).watched.length, { interval: 5 })
      .toBe(20);
  });

  it('a file that does not exist is the rule at the first start', async () => {
    await using kept = await opened();
    expect([kept.log.records, lines]).toEqual([[], []]);
  });

  it.each<readonly [string, string | (() => string), RegExp]>([
    ['empty', '', /it is empty/],
    ['cut', () => textOf(aRecord('a')).slice(0, 200), /its end is missing/],
    ['of another version', '{"ephemeralStorageEvictions":9}', /it is of another version/],
  ])('a file that is %s is one warning, and is replaced', async (_what, content, reason) => {
    await writeFile(file, typeof content === 'string' ? content : content());
    await using kept = await opened();
    expect(kept.log.records).toEqual([]);
    expect(warnings()).toEqual([expect.stringMatching(/their file is broken/)]);
    expect(warnings()[0]).toMatch(reason);
    expect(warnings()[0]).toContain(JSON.stringify(file));
    const fix = 'nothing: the next eviction replaces the file';
    expect(warnings()[0]).toContain(`"fix":"${fix}"`);
    expect(kept.fault).toEqual({ text: expect.stringMatching(/^evictions\.file is broken: it/) as unknown, fix });
    evict(kept, 'b');
    await clock.advance(5_000);
    await eventually(['b']);
    expect(kept.fault).toBeUndefined();
  });

  it('what is left out of a file is one warning with the numbers', async () => {
    const text = textOf(aRecord('a'), aRecord('a'), aRecord('b'), aRecord('ahead', -hourMs));
    await writeFile(file, text.replace('[\n', '[\n{},\n{},\n'));
    await using kept = await opened();
    expect(kept.log.records.map(({ pod }) => pod)).toEqual(['a', 'b']);
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toContain(
      '2 not readable, 1 listed twice, 1 in the future: the clock is behind, or was ahead',
    );
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
    await expect.poll(() => namesIn(at), { interval: 5 }).toEqual(['b', 'a']);
  });

  it('what fails in the middle of a write leaves the former file, and nothing beside it', async () => {
    await writeFile(file, textOf(aRecord('former')));
    const kept = await opened();
    const records = Array.from({ length: 100 }, (_, index) => aRecord(`p-${index}`));
    const broken = {
      ...aRecord('broken', 2 * hourMs),
      get node(): string {
        throw new Error('no space left on device');
      },
    };
    kept.log.restore([...records, broken]);
    await kept[Symbol.asyncDispose]();
    expect(warnings()[0]).toMatch(/evictions are not written.*no space left on device/);
    expect([await namesIn(), await readdir(folder)]).toEqual([['former'], ['evictions.json']]);
  });
});

/** Writes the records of a file again and again, as fast as it can. */
const restlessWriter = `
  import { systemClock } from './base/clock.ts';
  import { silentLogger } from './base/logger.ts';
  import { EvictionFile } from './history/eviction-file.ts';
  const isWatching = () => true;
  const clock = { ...systemClock, sleep: () => new Promise((resolve) => setImmediate(resolve)) };
  const settings = { retentionMs: 1e12, maxRecords: 1_000, file: process.argv[2] };
  const { log } = await EvictionFile.open(settings, { clock, logger: silentLogger, isWatching });
  const { records } = log;
  setInterval(() => log.restore(records.map((record) => ({ ...record }))), 1);
  process.on('disconnect', () => process.exit());
`;

it('a process that is killed in the middle of a write leaves a complete file', async () => {
  const program = path.join(folder, 'writer.mjs');
  await build({
    stdin: { contents: restlessWriter, resolveDir: path.resolve(import.meta.dirname, '../../src') },
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  const records = Array.from({ length: 1_000 }, (_, index) => aRecord(`p-${index}`));
  const expected = records.map(({ pod }) => pod).sort();
  await writeFile(file, textOf(...records));
  let cutCount = 0;
  for (let turn = 0; turn < 5; turn += 1) {
    const { mtimeMs } = await stat(file);
    // With a channel, so that it ends with the test, however that ends.
    const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const ended = once(child, 'exit');
    const isWriting = async (): Promise<boolean> =>
      (await stat(file)).mtimeMs !== mtimeMs && (await isThere(`${file}.tmp`));
    try {
      await expect.poll(isWriting, { interval: 1, timeout: 15_000 }).toBe(true);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
    if (await isThere(`${file}.tmp`)) cutCount += 1;
    expect([...(await namesIn())].sort()).toEqual(expected);
  }
  expect(cutCount).toBeGreaterThan(0);
});
