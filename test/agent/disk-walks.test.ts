import { describe, expect, it } from 'vitest';

import { DiskWalks, type DiskWalksOptions } from '../../src/agent/disk-walks.js';
import type { DuJob, DuResult } from '../../src/agent/du-walker.js';
import type { DiskPlace } from '../../src/agent/owners-classify.js';
import { silentLogger } from '../../src/base/logger.js';
import { noLimits } from '../support/du.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';

const unknownUsage = { imagesBytes: undefined, unattributedBytes: undefined };
const minuteMs = 60_000;
const hourMs = 3_600_000;
const complete: DuResult = {
  end: 'complete',
  usedBytes: 0,
  entryCount: 0,
  unreadableCount: 0,
  message: undefined,
};

const logs = (...paths: readonly string[]): readonly DiskPlace[] => paths.map((path) => ({ kind: 'logs', path }));

/** Walks over a disk with these sizes; `walks` has the paths of each. */
function started(
  sizes: Readonly<Record<string, number>>,
  {
    places = logs(...Object.keys(sizes)),
    ...changed
  }: Partial<DiskWalksOptions> & { readonly places?: readonly DiskPlace[] } = {},
) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const walks: (readonly string[])[] = [];
  const state = { places, isBusy: false, result: complete, reached: undefined as readonly string[] | undefined };
  const walk = (job: DuJob): Promise<DuResult> => {
    walks.push(job.directories);
    for (const path of state.reached ?? job.directories) {
      const usedBytes = sizes[path];
      if (usedBytes !== undefined) job.onEntry({ rawPath: Buffer.from(path).toString('latin1'), usedBytes });
    }
    return Promise.resolve(state.result);
  };
  const disk = new DiskWalks({
    clock,
    logger: silentLogger,
    checkIntervalMs: minuteMs,
    walkIntervalMs: 6 * hourMs,
    list: () => Promise.resolve({ places: state.places, unlisted: new Set(), problems: [] }),
    walker: { walk },
    limits: noLimits,
    isBusy: () => Promise.resolve(state.isBusy),
    ...changed,
  });
  const done = disk.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort(new Error('over'));
    await done;
  };
  const logsBytes = () => disk.owners(unknownUsage).find(({ owner }) => owner === 'logs')?.usedBytes;
  return { clock, disk, state, walks, end, logsBytes };
}

describe('the walks over a disk', () => {
  it('measure all at the start and once in each interval', async () => {
    const { clock, walks, end, logsBytes } = started({ '/größe': 3, '/b': 4 });
    await clock.advance(0);
    expect(walks).toEqual([['/größe', '/b']]);
    expect(logsBytes()).toBe(7);
    await clock.advance(6 * hourMs - minuteMs);
    expect(walks).toHaveLength(1);
    await clock.advance(2 * minuteMs);
    expect(walks).toEqual([
      ['/größe', '/b'],
      ['/größe', '/b'],
    ]);
    await end();
  });

  it('measure between them what is new, and forget what is gone', async () => {
    const { clock, walks, state, end, logsBytes } = started(
      { '/a': 3, '/b': 4, '/c': 50 },
      { places: logs('/a', '/b') },
    );
    await clock.advance(0);
    state.places = logs('/b', '/c');
    await clock.advance(minuteMs);
    expect(walks).toEqual([['/a', '/b'], ['/c']]);
    expect(logsBytes()).toBe(54);
    state.places = logs('/a', '/b');
    await clock.advance(minuteMs);
    expect(walks.at(-1)).toEqual(['/a']);
    await end();
  });

  it('begin with what was measured the longest time before', async () => {
    const { clock, walks, state, end } = started({ '/a': 3, '/b': 4 });
    Object.assign(state, { reached: ['/b'], result: { ...complete, end: 'aborted' } });
    await clock.advance(0);
    Object.assign(state, { reached: undefined, result: complete });
    await clock.advance(minuteMs);
    state.isBusy = true;
    await clock.advance(7 * hourMs);
    state.isBusy = false;
    await clock.advance(minuteMs);
    expect(walks).toEqual([['/a', '/b'], ['/a'], ['/b', '/a']]);
    await end();
  });

  it('wait while the disk is busy', async () => {
    const { clock, walks, state, end, logsBytes } = started({ '/a': 3 });
    state.isBusy = true;
    await clock.advance(hourMs);
    expect(walks).toEqual([]);
    expect(logsBytes()).toBeUndefined();
    state.isBusy = false;
    await clock.advance(minuteMs);
    expect(walks).toEqual([['/a']]);
    await end();
  });

  it('keep what a cut walk has measured and begin with the rest', async () => {
    const { clock, walks, state, end, logsBytes } = started({ '/a': 3, '/b': 4, '/c': 50 });
    Object.assign(state, { reached: ['/a'], result: { ...complete, end: 'aborted' } });
    await clock.advance(0);
    expect(logsBytes()).toBeUndefined();
    Object.assign(state, { reached: undefined, result: complete });
    await clock.advance(minuteMs);
    expect(walks).toEqual([
      ['/a', '/b', '/c'],
      ['/b', '/c'],
    ]);
    await end();
  });

  it('do not return before the interval to a place that takes too long', async () => {
    const { clock, walks, state, end, logsBytes } = started({ '/a': 3, '/huge': 4, '/c': 50 });
    Object.assign(state, { reached: ['/a'], result: { ...complete, end: 'time' } });
    await clock.advance(0);
    Object.assign(state, { reached: undefined, result: complete });
    await clock.advance(hourMs);
    expect(walks).toEqual([['/a', '/huge', '/c'], ['/c']]);
    expect(logsBytes()).toBeUndefined();
    state.places = logs('/a', '/c');
    await clock.advance(minuteMs);
    expect(logsBytes()).toBe(53);
    await end();
  });

  it('have many places in several processes', async () => {
    const sizes = Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`/${index}`, 1]));
    const { clock, walks, end, logsBytes } = started(sizes);
    await clock.advance(0);
    expect(walks.map(({ length }) => length)).toEqual([20, 20, 5]);
    expect(logsBytes()).toBe(45);
    await end();
  });

  it('do not return before the interval to a place that cannot be measured', async () => {
    const { clock, walks, end, logsBytes } = started({ '/a': 3 }, { places: logs('/a', '/denied') });
    await clock.advance(hourMs);
    expect(walks).toEqual([['/a', '/denied']]);
    expect(logsBytes()).toBeUndefined();
    await end();
  });

  it('have no size of what could not be read as a whole', async () => {
    const { clock, state, end, logsBytes } = started({ '/a': 3 });
    state.result = { ...complete, unreadableCount: 1 };
    await clock.advance(0);
    expect(logsBytes()).toBeUndefined();
    await end();
  });

  it('continue after an error, and log once what is missing', async () => {
    let [isBroken, isFull] = [true, false];
    const list: DiskWalksOptions['list'] = () =>
      isBroken
        ? Promise.reject(new Error('no mount table'))
        : Promise.resolve({ places: logs('/a'), unlisted: new Set(), problems: isFull ? [] : ['cannot list /x'] });
    const log: string[] = [];
    const { clock, walks, end, disk } = started({ '/a': 3 }, { list, logger: recordingLogger(log) });
    await clock.advance(minuteMs);
    expect(disk.owners(unknownUsage)).toEqual([]);
    isBroken = false;
    await clock.advance(minuteMs);
    expect(walks).toEqual([['/a']]);
    isFull = true;
    await clock.advance(minuteMs);
    await end();
    expect(log.filter((line) => !line.startsWith('debug'))).toEqual([
      expect.stringMatching(/^warn: .*no mount table/),
      expect.stringMatching(/^info: disk measured after/),
    ]);
    expect(log.join('\n')).toMatch(/cannot list \/x; .*node-local-agent/);
    expect(clock.sleeperCount).toBe(0);
  });
});
