import { describe, expect, it } from 'vitest';

import { DiskWalks, type DiskWalksOptions } from '../../src/agent/disk-walks.js';
import type { DuJob, DuResult } from '../../src/agent/du-walker.js';
import { silentLogger } from '../../src/base/logger.js';
import { unmeasuredDisk } from '../../src/node/agent-disk.js';
import type { DiskPlace } from '../../src/node/owners-classify.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';

const unknownUsage = { imagesBytes: undefined, unattributedBytes: undefined };
const checkIntervalMs = 600_000;
const hourMs = 3_600_000;
const complete: DuResult = {
  end: 'complete',
  usedBytes: 0,
  unreadableCount: 0,
  message: undefined,
};

const logs = (...paths: readonly string[]): readonly DiskPlace[] => paths.map((path) => ({ kind: 'logs', path }));

/** Walks over a disk with these sizes; `walks` has the path of each. */
function started(
  sizes: Readonly<Record<string, number>>,
  {
    places = logs(...Object.keys(sizes)),
    imagesBytes,
    ...changed
  }: Partial<DiskWalksOptions> & { readonly places?: readonly DiskPlace[]; readonly imagesBytes?: number } = {},
) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const walks: string[] = [];
  const state = {
    places,
    imagesBytes,
    isBusy: false,
    results: {} as Readonly<Record<string, Partial<DuResult>>>,
  };
  const walk = ({ directory: path }: DuJob): Promise<DuResult> => {
    walks.push(path);
    return Promise.resolve({ ...complete, usedBytes: sizes[path] ?? 0, ...state.results[path] });
  };
  const disk = new DiskWalks({
    clock,
    logger: silentLogger,
    hostRoot: '/',
    list: () =>
      Promise.resolve({ places: state.places, unlisted: new Set(), problems: [], imagesBytes: state.imagesBytes }),
    walker: { walk },
    isBusy: () => Promise.resolve(state.isBusy),
    ...changed,
  });
  const done = disk.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort(new Error('over'));
    await done;
  };
  const logsBytes = () => disk.owners(unknownUsage).owners.find(({ owner }) => owner === 'logs')?.usedBytes;
  return { clock, disk, state, walks, end, logsBytes };
}

const noticesOf = (log: readonly string[]): readonly string[] => log.filter((line) => !line.startsWith('debug'));

describe('the walks over a disk', () => {
  it('measure all at the start and once in each interval', async () => {
    const { clock, walks, end, disk, logsBytes } = started({ '/größe': 3, '/b': 4 });
    await clock.advance(0);
    expect(walks).toEqual(['/größe', '/b']);
    expect(logsBytes()).toBe(7);
    await clock.advance(6 * hourMs - checkIntervalMs);
    expect(disk.owners(unknownUsage).ageMs).toBe(6 * hourMs - checkIntervalMs);
    expect(walks).toHaveLength(2);
    await clock.advance(2 * checkIntervalMs);
    expect(walks).toEqual(['/größe', '/b', '/größe', '/b']);
    await end();
  });

  it('measure compressed copies of images, which grow at each pull, at each check', async () => {
    const places: readonly DiskPlace[] = [{ kind: 'image_copies', path: '/blobs' }, ...logs('/a')];
    const { clock, walks, end } = started({ '/blobs': 3, '/a': 4 }, { places });
    await clock.advance(2 * checkIntervalMs);
    expect(walks).toEqual(['/blobs', '/a', '/blobs', '/blobs']);
    await end();
  });

  it('list again within two minutes when images have been deleted, and have nothing of snapshots until then', async () => {
    const layers = (...paths: readonly string[]) => paths.map((path): DiskPlace => ({ kind: 'unused_layers', path }));
    const { clock, disk, state, end } = started(
      { '/1': 3e9, '/2': 2e9 },
      { places: layers('/1', '/2'), imagesBytes: 4e9 },
    );
    const shown = () => {
      const { owners, unusedLayersBytes } = disk.owners({ imagesBytes: state.imagesBytes, unattributedBytes: 1e9 });
      return [owners.find(({ owner }) => owner === 'orphaned_snapshots')?.usedBytes, unusedLayersBytes];
    };
    await clock.advance(0);
    expect(shown()).toEqual([1e9, 5e9]);
    [state.places, state.imagesBytes] = [layers('/2'), 1e9];
    expect(shown()).toEqual([undefined, undefined]);
    await clock.advance(120_000);
    expect(shown()).toEqual([1e9, 2e9]);
    await end();
  });

  it('do not measure what is new while images grow, as layers are unpacked then', async () => {
    const { clock, disk, walks, state, end } = started(
      { '/1': 3e9, '/2': 2e9 },
      { places: logs('/1'), imagesBytes: 1e9 },
    );
    await clock.advance(0);
    state.places = logs('/1', '/2');
    for (let minute = 1; minute <= 5; minute += 1) {
      state.imagesBytes = (1 + minute) * 1e9;
      disk.owners({ ...unknownUsage, imagesBytes: state.imagesBytes });
      await clock.advance(60_000);
    }
    expect(walks).toEqual(['/1']);
    await clock.advance(60_000);
    expect(walks).toEqual(['/1', '/2']);
    await end();
  });

  it('measure between them what is new, and forget what is gone', async () => {
    const { clock, walks, state, end, logsBytes } = started(
      { '/a': 3, '/b': 4, '/c': 50 },
      { places: logs('/a', '/b') },
    );
    await clock.advance(0);
    state.places = logs('/b', '/c');
    await clock.advance(checkIntervalMs);
    expect(walks).toEqual(['/a', '/b', '/c']);
    expect(logsBytes()).toBe(54);
    state.places = logs('/a', '/b');
    await clock.advance(checkIntervalMs);
    expect(walks.at(-1)).toBe('/a');
    await end();
  });

  it('begin with what was measured the longest time before', async () => {
    const { clock, walks, state, end } = started({ '/a': 3, '/b': 4 });
    state.results = { '/a': { end: 'aborted' } };
    await clock.advance(0);
    state.results = {};
    await clock.advance(checkIntervalMs);
    state.isBusy = true;
    await clock.advance(7 * hourMs);
    state.isBusy = false;
    await clock.advance(checkIntervalMs);
    expect(walks).toEqual(['/a', '/b', '/a', '/b', '/a']);
    await end();
  });

  it('wait while the disk is busy, and log it when something has never been measured', async () => {
    const log: string[] = [];
    const { clock, walks, state, end, logsBytes } = started({ '/a': 3 }, { logger: recordingLogger(log) });
    state.isBusy = true;
    await clock.advance(hourMs);
    expect(walks).toEqual([]);
    expect(logsBytes()).toBeUndefined();
    state.isBusy = false;
    await clock.advance(checkIntervalMs);
    expect(walks).toEqual(['/a']);
    expect(noticesOf(log)).toEqual([
      expect.stringMatching(/^warn: .*"directories wait to be measured, as tasks of the node wait for I\/O"/),
      expect.stringMatching(/^info: the disk is measured again/),
    ]);
    await end();
  });

  it('log a busy disk when a whole interval has passed without the measurement that was due', async () => {
    const log: string[] = [];
    const { clock, state, end, logsBytes } = started({ '/a': 3 }, { logger: recordingLogger(log) });
    await clock.advance(0);
    state.isBusy = true;
    await clock.advance(12 * hourMs - checkIntervalMs);
    expect(noticesOf(log)).toEqual([]);
    await clock.advance(checkIntervalMs);
    expect(noticesOf(log)).toEqual([expect.stringContaining('wait for I/O')]);
    expect(logsBytes()).toBe(3);
    await end();
  });

  it('do not return before the interval to a place that takes too long, and log it', async () => {
    const log: string[] = [];
    const { clock, walks, state, end, logsBytes } = started(
      { '/a': 3, '/huge': 4, '/c': 50 },
      { logger: recordingLogger(log) },
    );
    state.results = { '/huge': { end: 'time', usedBytes: undefined, message: 'du ended' } };
    await clock.advance(hourMs);
    expect(walks).toEqual(['/a', '/huge', '/c']);
    expect(logsBytes()).toBeUndefined();
    expect(noticesOf(log)).toEqual([expect.stringContaining('cannot measure /huge: du ended')]);
    state.places = logs('/a', '/c');
    await clock.advance(checkIntervalMs);
    expect(logsBytes()).toBe(53);
    await end();
  });

  it('leave only that unknown of which not all could be read, and log the first message of du once with the fix', async () => {
    const log: string[] = [];
    const places: readonly DiskPlace[] = [{ kind: 'runtime_volumes', path: '/volumes' }, ...logs('/a')];
    const { clock, state, disk, end } = started({ '/a': 3, '/volumes': 4 }, { places, logger: recordingLogger(log) });
    const message = "du: cannot read directory '/a/b': Permission denied";
    state.results = { '/a': { unreadableCount: 1, message } };
    await clock.advance(hourMs);
    const { owners } = disk.owners(unknownUsage);
    expect(owners).toContainEqual(expect.objectContaining({ owner: 'runtime_volumes', usedBytes: 4 }));
    expect(owners.map(({ owner }) => owner)).not.toContain('logs');
    expect(noticesOf(log)).toEqual([
      expect.stringMatching(
        /^warn: .*add DAC_READ_SEARCH, as the overlay node-local-agent .*: cannot measure \/a: du: .*Permission denied/,
      ),
    ]);
    await end();
  });

  it('log each problem in a line of its own, once', async () => {
    const log: string[] = [];
    const problems = ['missing: /x', 'add DAC_READ_SEARCH: /y'];
    const list: DiskWalksOptions['list'] = () => Promise.resolve({ places: [], unlisted: new Set(), problems });
    const { clock, end } = started({}, { list, logger: recordingLogger(log) });
    await clock.advance(hourMs);
    expect(noticesOf(log)).toEqual([
      expect.stringMatching(/^warn: .*missing: \/x/),
      expect.stringMatching(/^warn: .*DAC_READ_SEARCH: \/y/),
    ]);
    await end();
  });

  it('measure at the next check what was not started, as the disk became busy', async () => {
    const { clock, state, walks, end, logsBytes } = started({ '/a': 3 });
    state.results = { '/a': { end: 'unstarted', usedBytes: undefined } };
    await clock.advance(0);
    state.results = {};
    await clock.advance(checkIntervalMs);
    expect(walks).toEqual(['/a', '/a']);
    expect(logsBytes()).toBe(3);
    await end();
  });

  it('log a problem that begins where another ends', async () => {
    const log: string[] = [];
    const problems = ['cannot list /x'];
    const list: DiskWalksOptions['list'] = () => Promise.resolve({ places: [], unlisted: new Set(), problems });
    const { clock, end } = started({}, { list, logger: recordingLogger(log) });
    await clock.advance(hourMs);
    problems.splice(0, 1, 'cannot list /y');
    await clock.advance(hourMs);
    expect(noticesOf(log)).toEqual([
      expect.stringMatching(/^warn: .*cannot list \/x/),
      expect.stringMatching(/^warn: .*cannot list \/y/),
    ]);
    await end();
  });

  it('continue after an error, and log once what is missing', async () => {
    let [isBroken, isFull] = [true, false];
    const list: DiskWalksOptions['list'] = () =>
      isBroken
        ? Promise.reject(new Error('no listing'))
        : Promise.resolve({ places: logs('/a'), unlisted: new Set(), problems: isFull ? [] : ['cannot list /x'] });
    const log: string[] = [];
    const { clock, walks, end, disk } = started({ '/a': 3 }, { list, logger: recordingLogger(log) });
    await clock.advance(checkIntervalMs);
    expect(disk.owners(unknownUsage)).toEqual(unmeasuredDisk);
    isBroken = false;
    await clock.advance(checkIntervalMs);
    expect(walks).toEqual(['/a']);
    isFull = true;
    await clock.advance(checkIntervalMs);
    await end();
    expect(noticesOf(log)).toEqual([
      expect.stringMatching(/^warn: .*no listing/),
      expect.stringMatching(/^warn: .*cannot list \/x/),
      expect.stringMatching(/^info: the disk is measured again/),
    ]);
    expect(clock.sleeperCount).toBe(0);
  });
});
