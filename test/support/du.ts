import { execFileSync } from 'node:child_process';

import { DuBudget } from '../../src/agent/du-pacing.js';
import { type DuJob, DuWalker, type DuWalkerOptions } from '../../src/agent/du-walker.js';
import { systemClock } from '../../src/base/clock.js';
import { isInstalled } from './programs.js';

export const hasDu = ['du', 'ionice', 'nice'].every(isInstalled);

/** Suffix for the names of skipped tests. */
export const duNeeded = 'needs du, nice and ionice';

/** As `findDuCommand` finds it on any Linux. */
const realCommand = ['ionice', '-c3', 'nice', '-n19', 'du'];

/** A shell script in place of du; its arguments are those of du. */
export const scriptedDu = (script: string): readonly string[] => ['sh', '-c', script, 'sh'];

/** Runs du all the time, on a disk that is not busy. */
export function aWalker(options: Partial<DuWalkerOptions> = {}): DuWalker {
  const isBusy = (): Promise<boolean> => Promise.resolve(false);
  return new DuWalker({ command: realCommand, clock: systemClock, budget: new DuBudget(1), isBusy, ...options });
}

export const noLimits = { maxDurationMs: 60_000, maxEntryCount: 2_000_000, maxOutputBytes: 2 ** 30 };

export function aJob(directory: string, job: Partial<DuJob> = {}): DuJob {
  return {
    directory,
    maxDepth: 100,
    thresholdBytes: 0,
    onEntry: () => undefined,
    ...noLimits,
    ...job,
  };
}

/** What du reports of a directory; without options of the exporter. */
export function duOf(...directories: readonly string[]): number {
  const lines = execFileSync('du', ['-sxc', '-B1', '--', ...directories], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return Number(lines.at(-1)?.split('\t')[0]);
}
