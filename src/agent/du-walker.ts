import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { Mutex } from 'async-mutex';

import { abortable, LinkedAbort, notNeeded } from '../base/abortable.js';
import { startDeadline } from '../base/clock.js';
import { formatCount } from '../base/text.js';
import { duArguments, type DuTarget } from './du-command.js';
import { type DuPacing, paceProcess, untilAllowed } from './du-pacing.js';
import { type DuEntry, DuMessages, DuRecords, totalPath } from './du-records.js';
import { textOf } from './host-files.js';

interface DuLimits {
  /** Wall time, also that in which the walk waits or is stopped. */
  readonly maxDurationMs: number;
  readonly maxEntryCount: number;
  /** Of both streams. */
  readonly maxOutputBytes: number;
}

/** What ended a walk: du itself at its end (`complete`) or before it (`failed`), the caller (`aborted`), or a limit; `unstarted`: that of time. */
type DuEnd = 'complete' | 'failed' | 'aborted' | 'unstarted' | 'time' | 'entries' | 'output';

export interface DuResult {
  readonly end: DuEnd;
  /** Of the directory, without what could not be read; undefined unless the walk is complete. */
  readonly usedBytes: number | undefined;
  /** Directories and files that are missing in the sums. */
  readonly unreadableCount: number;
  /** What du reported first of that, or why it failed. */
  readonly message: string | undefined;
}

export interface DuJob extends DuTarget, DuLimits {
  /** Called for each entry, those of a directory before itself; a cut walk has whole entries only. Must not throw. */
  readonly onEntry: (entry: DuEntry) => void;
}

export interface DuWalkerOptions extends DuPacing {
  /** See {@link findDuCommand}. */
  readonly command: readonly string[];
  /** Default: that of this process, and so of du. */
  readonly mountTable?: string;
}

class WalkStop extends Error {
  override readonly name = 'WalkStop';
  readonly end: DuEnd;

  constructor(end: DuEnd) {
    super(`walk ended: ${end}`);
    this.end = end;
  }
}

/** Measures directories with du, one walk at a time. */
export class DuWalker {
  readonly #options: DuWalkerOptions;
  /** Held until du has ended: of a process that hangs in the kernel there is never more than one. */
  readonly #mutex = new Mutex();

  constructor(options: DuWalkerOptions) {
    this.#options = options;
  }

  /** Rejects only when du cannot be started. When `signal` aborts or a limit is reached, du is killed. */
  async walk(job: DuJob, signal: AbortSignal): Promise<DuResult> {
    const { clock } = this.#options;
    const error = (): Error => new WalkStop('time');
    using deadline = startDeadline({ clock, durationMs: job.maxDurationMs, error, parent: signal });
    using stop = new LinkedAbort(deadline.signal);
    const progress = new WalkProgress(job, stop);
    const running = this.#mutex.runExclusive(() => this.#run(job, progress, stop.signal));
    try {
      await abortable(running, stop.signal);
    } catch (failure) {
      if (!stop.signal.aborted) throw failure;
    }
    return progress.result();
  }

  async #run(job: DuJob, progress: WalkProgress, signal: AbortSignal): Promise<void> {
    const isBusy = async (): Promise<boolean> => (progress.isBusy = await this.#options.isBusy());
    const ownPacing = { ...this.#options, isBusy };
    await untilAllowed(ownPacing, signal);
    progress.isStarted = true;
    const { command, mountTable = '/proc/self/mountinfo' } = this.#options;
    const [program = '', ...priorities] = command;
    const child = spawn(program, [...priorities, ...duArguments(job, textOf(mountTable) ?? '')], {
      detached: true, // a process group, which is signalled as a whole
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { LC_ALL: 'C' },
    });
    child.stdout.on('data', (chunk: Buffer) => {
      progress.output(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      progress.messages(chunk);
    });
    const send = signalGroup.bind(undefined, child);
    const kill = send.bind(undefined, 'SIGKILL');
    const ended = new AbortController();
    signal.addEventListener('abort', kill, { once: true });
    process.once('exit', kill);
    const pacing = paceProcess(send, ownPacing, ended.signal);
    try {
      await once(child, 'close');
    } finally {
      ended.abort(notNeeded);
      signal.removeEventListener('abort', kill);
      process.removeListener('exit', kill);
      await pacing;
    }
  }
}

/** Signals the group that a child process leads; a stopped one ends by SIGKILL too. */
function signalGroup({ pid, exitCode, signalCode }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It has ended, and Node.js has not reported it yet.
  }
}

/** Counts what a walk has listed, and stops it at its limits. */
class WalkProgress {
  readonly #job: DuJob;
  readonly #stop: LinkedAbort;
  readonly #records = new DuRecords();
  readonly #messages = new DuMessages();
  #outputBytes = 0;
  #entryCount = 0;
  #totalBytes: number | undefined;
  isStarted = false;
  /** When the disk was looked at last. */
  isBusy = false;

  constructor(job: DuJob, stop: LinkedAbort) {
    this.#job = job;
    this.#stop = stop;
  }

  output(chunk: Buffer): void {
    if (!this.#takes(chunk)) return;
    for (const entry of this.#records.push(chunk)) {
      if (entry.rawPath === totalPath) this.#totalBytes = entry.usedBytes;
      else if (this.#entryCount < this.#job.maxEntryCount) {
        this.#entryCount += 1;
        this.#job.onEntry(entry);
      } else {
        this.#stop.abort(new WalkStop('entries'));
        return;
      }
    }
  }

  messages(chunk: Buffer): void {
    if (this.#takes(chunk)) this.#messages.push(chunk);
  }

  result(): DuResult {
    const end = this.#end();
    const { unreadableCount, first } = this.#messages;
    const { malformedCount } = this.#records;
    const isCut = end !== 'complete' && unreadableCount === 0;
    return {
      end,
      usedBytes: end === 'complete' ? this.#totalBytes : undefined,
      unreadableCount: unreadableCount + malformedCount,
      message: isCut ? this.#cutText(end) : first,
    };
  }

  #cutText(end: DuEnd): string {
    const { maxDurationMs, maxEntryCount, maxOutputBytes } = this.#job;
    const time = `within ${Math.ceil(maxDurationMs / 1000)} s`;
    const cause = this.isBusy ? 'tasks of the node wait for I/O: ' : '';
    if (end === 'unstarted') return `${cause}du was not started ${time}`;
    if (end === 'time') return `${cause}du had not measured all ${time}`;
    if (end === 'failed') return 'du ended before it had measured all';
    const listed =
      end === 'entries' ? `${formatCount(maxEntryCount)} directories and files` : `${maxOutputBytes} bytes`;
    return `du had listed ${listed}, and not all`;
  }

  #end(): DuEnd {
    const { signal } = this.#stop;
    if (!signal.aborted) return this.#totalBytes === undefined ? 'failed' : 'complete';
    const end = signal.reason instanceof WalkStop ? signal.reason.end : 'aborted';
    return end === 'time' && !this.isStarted ? 'unstarted' : end;
  }

  /** Not when the walk is over: what a killed process still has in its pipes is left. */
  #takes(chunk: Buffer): boolean {
    if (this.#stop.signal.aborted) return false;
    this.#outputBytes += chunk.length;
    if (this.#outputBytes > this.#job.maxOutputBytes) this.#stop.abort(new WalkStop('output'));
    return !this.#stop.signal.aborted;
  }
}
